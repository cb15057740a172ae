import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createLogLimiter } from '../../runtime/report/log-limiter.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';
import { resources } from '../../schemas/wire/resources.ts';
import { connectionTo, createSite, type Site } from './process-world.ts';
import { cloneSet } from './stage.ts';

let site: Site | undefined;
afterEach(async () => {
  await site?.close();
  site = undefined;
});

const countOf = (of: Site, text: string): number => of.lines.filter(({ msg }) => msg.includes(text)).length;

describe('a process with problems', () => {
  test('that cannot read the Lease is not ready, and logs the problem and its end once', async () => {
    site = await createSite(20);
    const here = site;
    let isExpired = false;
    const headers = () =>
      isExpired ? Promise.resolve({ authorization: 'Bearer expired' }) : here.connection.headers();
    const process = await here.start({ connection: { ...here.connection, headers } });
    const readiness = async (): Promise<string> =>
      (await fetch(`http://127.0.0.1:${process.port}/readyz`)).text();
    await here.until('a leader', () => countOf(here, 'acquired the lease') === 1);
    isExpired = true;
    await here.until('the end of its lead', () => countOf(here, 'lost the lease') === 1);
    const later = here.clock.now() + 30_000;
    await here.until('half a minute', () => here.clock.now() >= later);
    expect(await readiness()).toMatch(/the lease could not be acquired or renewed: .*credentials.*; .+/);
    expect(countOf(here, 'the lease could not be acquired or renewed')).toBeLessThanOrEqual(2);
    isExpired = false;
    await here.until('another lead', () => countOf(here, 'acquired the lease') >= 2);
    expect(countOf(here, 'the lease can be acquired or renewed again')).toBe(1);
    await here.until('readiness', async () => (await readiness()).trim() === 'ok');
  }, 40_000);

  test('does not start while the installed runtime leads, whatever Lease it uses', async () => {
    // Its Lease is renewed in time, also where the machine is slow.
    site = await createSite(5, { namespaces: ['default', 'shop', 'kruise-system'] });
    const here = site;
    const installed = await here.start({
      election: { namespace: 'kruise-system', name: 'kruise', identity: 'installed' },
    });
    await here.until('the first leader', () => countOf(here, 'acquired the lease') === 1);
    await here.start();
    const refusal = 'the installed runtime leads here (installed); scale its Deployment to 0';
    await here.until('a refusal', () => countOf(here, refusal) > 0);
    expect(countOf(here, 'acquired the lease')).toBe(1);
    await installed.stop();
    await here.until('the second leader', () => countOf(here, 'acquired the lease') === 2);
  }, 40_000);
});

/** OpenKruise's manager: creates its Lease, and renews it every two seconds until it is stopped. */
async function manager(here: Site): Promise<() => void> {
  const user = here.world.cluster('openkruise');
  const lease = { namespace: 'kruise-system', name: 'kruise-manager' };
  const spec = { holderIdentity: 'manager-0', leaseDurationSeconds: 15 };
  const api = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
  await user.create(resources.Lease, { ...api, metadata: lease, spec }).catch(() => undefined);
  let cancel = (): void => {};
  const renew = (): void => {
    const body = { metadata: { annotations: { renewed: String(here.clock.now()) } } };
    void user.patch(resources.Lease, lease, { type: 'merge', body });
    cancel = here.clock.after(2_000, renew);
  };
  renew();
  return () => cancel();
}

const REFUSAL = "OpenKruise's manager leads here (manager-0)";

test('a write that waits while the Lease is lost is not sent', async () => {
  site = await createSite(10);
  const here = site;
  const user = here.world.cluster('user');
  let waiting = 0;
  let open = (): void => {};
  let gate = Promise.resolve();
  // Whoever asks for credentials waits, as for a plugin that is slow.
  const headers = async () => {
    waiting += 1;
    await gate;
    waiting -= 1;
    return here.connection.headers();
  };
  const process = await here.start({ connection: { ...here.connection, headers } });
  await here.until('a leader', () => countOf(here, 'acquired the lease') === 1);
  const readyz = `http://127.0.0.1:${process.port}/readyz`;
  await here.until('sight of everything', async () => (await fetch(readyz)).status === 200);
  gate = new Promise((resolve) => (open = resolve));
  await user.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 1 }));
  await here.until('a renewal of the Lease and a first write', () => waiting >= 2);
  const lease = { spec: { holderIdentity: 'mona', leaseDurationSeconds: 15 } };
  const at = { namespace: 'default', name: 'kruise' };
  await user.patch(resources.Lease, at, { type: 'merge', body: lease });
  await here.until('the end of its lead', () => countOf(here, 'lost the lease') === 1);
  const from = here.world.log.length;
  open();
  const later = here.clock.now() + 5_000;
  await here.until('a while', () => here.clock.now() >= later);
  // The Lease itself is safe by its version.
  const aside = (verb: string, resource: string): boolean =>
    ['get', 'list', 'watch'].includes(verb) || resource === 'leases';
  const written = here.world.log
    .slice(from)
    .filter(({ user: who, verb, resource }) => who === 'kruise' && !aside(verb, resource));
  expect(written.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([]);
  await here.until('its pod, when mona is gone', async () => {
    return (await user.list(resources.Pod, { namespace: 'shop' })).items.length === 1;
  });
}, 40_000);

describe('OpenKruise', () => {
  test('is waited for: a process starts when it no longer leads', async () => {
    site = await createSite(60, { namespaces: ['default', 'shop', 'kruise-system'] });
    const here = site;
    const end = await manager(here);
    await here.start();
    await here.until('a refusal', () => countOf(here, REFUSAL) > 0);
    expect(countOf(here, 'acquired the lease')).toBe(0);
    end();
    await here.until('a leader', () => countOf(here, 'acquired the lease') === 1);
  }, 40_000);

  test('that starts later makes the leader and the standby step down until it has ended', async () => {
    site = await createSite(30, { namespaces: ['default', 'shop', 'kruise-system'] });
    const here = site;
    const user = here.world.cluster('user');
    const own = { namespace: 'default', name: 'kruise' };
    // It was there before, and its Lease still names it.
    (await manager(here))();
    const [first, second] = [await here.start(), await here.start()];
    await here.until('a leader', () => countOf(here, 'acquired the lease') === 1);
    await user.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 1 }));
    const pods = async (): Promise<number> =>
      (await user.list(resources.Pod, { namespace: 'shop' })).items.length;
    await here.until('its pod', async () => (await pods()) === 1);
    // The other watches the Lease of OpenKruise for twelve seconds first, and would refuse to start.
    await here.until('a standby', () => countOf(here, 'waiting for the lease') === 2);
    const end = await manager(here);
    await here.until('two that give way', () => countOf(here, 'this process steps down until then') >= 2);
    await here.until('a Lease that is handed back', async () => {
      const { spec } = (await user.get(resources.Lease, own)) as unknown as {
        spec: { holderIdentity: string };
      };
      return spec.holderIdentity === '';
    });
    const ready = await Promise.all(
      [first, second].map(async ({ port }) => (await fetch(`http://127.0.0.1:${port}/readyz`)).text()),
    );
    for (const text of ready) expect(text).toContain(REFUSAL);
    const terms = countOf(here, 'acquired the lease');
    const body = { spec: { replicas: 3 } };
    await user.patch(resources.CloneSet, { namespace: 'shop', name: 'web' }, { type: 'merge', body });
    const later = here.clock.now() + 60_000;
    await here.until('a minute', () => here.clock.now() >= later);
    expect([await pods(), countOf(here, 'acquired the lease')]).toEqual([1, terms]);
    end();
    await here.until('three pods', async () => (await pods()) === 3, 20_000);
    await first.stop();
    await second.stop();
  }, 60_000);
});

test('a server that accepts the connection and does not respond is logged after five seconds', async () => {
  site = await createSite(50);
  const here = site;
  const server = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  await here.start({ connection: connectionTo(`http://${host}`) });
  await here.until('a word', () => countOf(here, `${host} has not answered yet; still waiting`) === 1);
  expect(countOf(here, 'does not answer')).toBe(0);
  await here.until('the end of patience', () => countOf(here, `${host} does not answer`) > 0);
  server.close();
}, 40_000);

test('a problem is logged once a minute, another one at once, and its end only if it was logged', async () => {
  const clock = createVirtualClock(0);
  const lines: string[] = [];
  const line = (text: string): void => void lines.push(`${clock.now() / 1000} ${text}`);
  const quiet = createLogLimiter({ info: line, warn: line, error: line }, clock);
  quiet.over('a', 'a is well');
  for (let second = 0; second < 70; second += 1) {
    quiet.warn('a', 'a is ill');
    if (second === 5) quiet.warn('b', 'b is ill');
    await clock.advance(1_000);
  }
  quiet.warn('a', 'a is worse');
  quiet.over('a', 'a is well');
  quiet.over('a', 'a is well');
  expect(lines).toEqual(['0 a is ill', '5 b is ill', '60 a is ill', '70 a is worse', '70 a is well']);
});
