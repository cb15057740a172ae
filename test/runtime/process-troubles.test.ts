import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createQuietLog } from '../../runtime/report/quiet.ts';
import { createVirtualClock } from '../../sandbox/clock/virtual.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { connectionTo, createSite, type Site } from './process-world.ts';

let site: Site | undefined;
afterEach(async () => {
  await site?.close();
  site = undefined;
});

const said = (of: Site, text: string): number => of.lines.filter(({ msg }) => msg.includes(text)).length;

describe('a process in trouble', () => {
  test('that cannot see the Lease does not stand by, says so once, and says when it is over', async () => {
    site = await createSite(20);
    const here = site;
    let isExpired = false;
    const headers = () =>
      isExpired ? Promise.resolve({ authorization: 'Bearer expired' }) : here.connection.headers();
    const process = await here.start({ connection: { ...here.connection, headers } });
    const readiness = async (): Promise<string> =>
      (await fetch(`http://127.0.0.1:${process.port}/readyz`)).text();
    await here.until('a leader', () => said(here, 'it leads') === 1);
    isExpired = true;
    await here.until('the end of its lead', () => said(here, 'it leads no more') === 1);
    const later = here.clock.now() + 30_000;
    await here.until('half a minute', () => here.clock.now() >= later);
    expect(await readiness()).toMatch(/the lease could not be had or renewed: .*credentials.*; .+/);
    expect(said(here, 'the lease could not be had or renewed')).toBeLessThanOrEqual(2);
    isExpired = false;
    await here.until('another lead', () => said(here, 'it leads') >= 3);
    expect(said(here, 'the lease can be had or renewed again')).toBe(1);
    await here.until('readiness', async () => (await readiness()).trim() === 'ok');
  }, 40_000);

  test('does not begin beside the runtime that is installed, whichever Lease it was told to take', async () => {
    site = await createSite(60, { namespaces: ['default', 'shop', 'kruise-system'] });
    const here = site;
    const installed = await here.start({
      election: { namespace: 'kruise-system', name: 'kruise', identity: 'installed' },
    });
    await here.until('the first leader', () => said(here, 'it leads') === 1);
    await here.start();
    const refusal = 'the runtime that is installed leads here (installed); scale its Deployment to 0';
    await here.until('a refusal', () => said(here, refusal) > 0);
    expect(said(here, 'it leads')).toBe(1);
    await installed.stop();
    await here.until('the second leader', () => said(here, 'it leads') === 2);
  }, 40_000);
});

test('a process does not begin while OpenKruise leads, and begins when it does no more', async () => {
  site = await createSite(60, { namespaces: ['default', 'shop', 'kruise-system'] });
  const here = site;
  const user = here.world.cluster('openkruise');
  const lease = { namespace: 'kruise-system', name: 'kruise-manager' };
  const spec = { holderIdentity: 'manager-0', leaseDurationSeconds: 15 };
  const api = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
  await user.create(resources.Lease, { ...api, metadata: lease, spec });
  let renewals = 0;
  let cancel = (): void => {};
  const renew = (): void => {
    renewals += 1;
    const body = { metadata: { annotations: { renewals: String(renewals) } } };
    void user.patch(resources.Lease, lease, { type: 'merge', body });
    cancel = here.clock.after(2_000, renew);
  };
  renew();
  await here.start();
  await here.until('a refusal', () => said(here, "OpenKruise's manager leads here (manager-0)") > 0);
  expect(said(here, 'it leads')).toBe(0);
  cancel();
  await here.until('a leader', () => said(here, 'it leads') === 1);
}, 40_000);

test('a server that takes the connection and says nothing is named after five seconds', async () => {
  site = await createSite(50);
  const here = site;
  const server = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  await here.start({ connection: connectionTo(`http://${host}`) });
  await here.until('a word', () => said(here, `${host} has not answered yet; it is waited for`) === 1);
  expect(said(here, 'does not answer')).toBe(0);
  await here.until('the end of patience', () => said(here, `${host} does not answer`) > 0);
  server.close();
}, 40_000);

test('a trouble is told once a minute, another one at once, and its end only where there was one', async () => {
  const clock = createVirtualClock(0);
  const lines: string[] = [];
  const line = (text: string): void => void lines.push(`${clock.now() / 1000} ${text}`);
  const quiet = createQuietLog({ info: line, warn: line, error: line }, clock);
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
