import { afterEach, describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { connectionTo, createSite, type Site } from './process-world.ts';
import { cloneSet, planOf, templateOf } from './stage.ts';

let site: Site | undefined;
afterEach(async () => {
  await site?.close();
  site = undefined;
});

const web = { namespace: 'shop', name: 'web' };
const writes = (of: Site, from = 0) =>
  of.world.log
    .slice(from)
    .filter(({ user, verb }) => user === 'kruise' && !['get', 'list', 'watch'].includes(verb));

async function phaseOf({ world }: Site): Promise<string | undefined> {
  const { items } = await world.cluster('user').list(resources.RolloutPlan, { namespace: 'shop' });
  return (items[0]?.['status'] as { phase?: string } | undefined)?.phase;
}

async function imagesOf({ world }: Site): Promise<string[]> {
  const { items } = await world.cluster('user').list(resources.Pod, { namespace: 'shop' });
  return items
    .map((pod) => (pod['spec'] as { containers: { image: string }[] }).containers[0]?.image ?? '')
    .sort();
}

async function rollOut(of: Site, image: string): Promise<void> {
  const user = of.world.cluster('user');
  await user.create(resources.RolloutPlan, planOf('web', 'web:1', image));
  const body = { spec: { template: templateOf('web', image) } };
  await user.patch(resources.CloneSet, web, { type: 'merge', body });
}

const get = async (port: number | undefined, path: string): Promise<{ code: number; text: string }> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { code: response.status, text: await response.text() };
};

describe('a process over HTTP', () => {
  test(
    'leads, executes a plan, and then writes only its Lease for ten minutes',
    { timeout: 60_000 },
    async () => {
      site = await createSite(60);
      const here = site;
      const process = await here.start();
      await here.world.cluster('user').create(resources.CloneSet, cloneSet('web', 'web:1'));
      await here.until('three pods', async () => (await imagesOf(here)).length === 3);
      await rollOut(here, 'web:2');
      await here.until('the end of the rollout', async () => (await phaseOf(here)) === 'Succeeded');
      expect(await imagesOf(here)).toEqual(['web:2', 'web:2', 'web:2']);
      // At this speed, a short load of the machine makes watches seem dead, and they are opened again.
      await here.until('readiness', async () => (await get(process.port, '/readyz')).code === 200);

      // Delayed status writes end within a minute.
      const settled = here.clock.now() + 60_000;
      await here.until('a minute', () => here.clock.now() >= settled);
      const from = here.world.log.length;
      const end = here.clock.now() + 600_000;
      await here.until('ten minutes', () => here.clock.now() >= end, 20_000);
      const written = writes(here, from);
      expect(written.filter(({ resource }) => resource !== 'leases')).toEqual([]);
      expect(written.length).toBeGreaterThan(100);

      // A machine that is busy for 160 ms has lost the Lease at this speed, and gets it again.
      let text = '';
      await here.until('what it tells as the leader', async () => {
        ({ text } = await get(process.port, '/metrics'));
        return (
          text.includes('kruise_leader 1\n') &&
          text.includes('kruise_plans{group="apps.kruise.io",kind="CloneSet",phase="Succeeded"} 1\n')
        );
      });
      expect(text).toMatch(/kruise_api_requests_total\{verb="patch",resource="pods",code="200"\} \d+/);
      // The log names the subject of each write.
      const about = here.lines.filter(({ target }) => target === 'CloneSet/shop/web');
      expect(
        about.some(
          ({ step, plan, msg }) =>
            step === 'all' && plan?.startsWith('h1:') && msg.startsWith('update in place'),
        ),
      ).toBe(true);
      expect(here.lines.filter(({ level }) => level === 'error')).toEqual([]);
      expect(JSON.stringify(here.lines)).not.toContain('a-token-that-nobody-may-see');
    },
  );

  test(
    'stopped during a rollout, it ends within five seconds; the next one finishes',
    { timeout: 60_000 },
    async () => {
      site = await createSite(10);
      const here = site;
      const first = await here.start();
      const target = cloneSet('web', 'web:1', { replicas: 8 });
      await here.world.cluster('user').create(resources.CloneSet, target);
      await here.until('eight pods', async () => (await imagesOf(here)).length === 8);
      await here.until('readiness', async () => {
        const { status } = await here.world.cluster('user').get(resources.CloneSet, web);
        return (status as { availableReplicas?: number } | undefined)?.availableReplicas === 8;
      });
      await rollOut(here, 'web:2');
      await here.until('the middle of the rollout', async () => (await imagesOf(here)).includes('web:2'));
      const began = Date.now();
      await first.stop();
      expect(Date.now() - began).toBeLessThan(5_000);
      const from = here.world.log.length;
      const lease = await here.world
        .cluster('user')
        .get(resources.Lease, { namespace: 'default', name: 'kruise' });
      expect(lease['spec']).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
      await expect(get(first.port, '/livez')).rejects.toThrow('fetch failed');
      expect(await imagesOf(here)).toContain('web:1');
      const quiet = here.clock.now() + 20_000;
      await here.until('a while', () => here.clock.now() >= quiet);
      expect(writes(here, from)).toEqual([]);

      await here.start();
      await here.until('the end of the rollout', async () => (await phaseOf(here)) === 'Succeeded');
      expect(new Set(await imagesOf(here))).toEqual(new Set(['web:2']));
      expect(await imagesOf(here)).toHaveLength(8);
    },
  );

  test(
    'of two processes one leads and the other is ready; it continues when the first one ends',
    { timeout: 60_000 },
    async () => {
      site = await createSite(20);
      const here = site;
      const first = await here.start();
      await here.until('a leader', () => here.lines.some(({ msg }) => msg === 'acquired the lease'));
      const second = await here.start();
      await here.until('two that are ready', async () => {
        const codes = await Promise.all(
          [first, second].map(async ({ port }) => (await get(port, '/readyz')).code),
        );
        return codes.every((code) => code === 200);
      });
      expect((await get(second.port, '/metrics')).text).toContain('kruise_leader 0\n');
      await here.world.cluster('user').create(resources.CloneSet, cloneSet('web', 'web:1'));
      await here.until('three pods', async () => (await imagesOf(here)).length === 3);
      await first.stop();
      const body = { spec: { replicas: 5 } };
      await here.world.cluster('user').patch(resources.CloneSet, web, { type: 'merge', body });
      await here.until('five pods', async () => (await imagesOf(here)).length === 5);
      expect((await get(second.port, '/metrics')).text).toContain('kruise_leader 1\n');
    },
  );

  test('whose Lease another one takes stops working and waits', { timeout: 60_000 }, async () => {
    site = await createSite(20);
    const here = site;
    const process = await here.start();
    const user = here.world.cluster('user');
    await here.until('a leader', () => here.lines.some(({ msg }) => msg === 'acquired the lease'));
    const body = { spec: { holderIdentity: 'mona', leaseDurationSeconds: 15 } };
    await user.patch(resources.Lease, { namespace: 'default', name: 'kruise' }, { type: 'merge', body });
    await here.until('its end', () => here.lines.some(({ msg }) => msg.includes('mona has taken the lease')));
    expect((await get(process.port, '/readyz')).code).toBe(200);
    await user.create(resources.CloneSet, cloneSet('web', 'web:1'));
    const end = here.clock.now() + 10_000;
    await here.until('a while', () => here.clock.now() >= end);
    expect(await imagesOf(here)).toEqual([]);
    await here.until('three pods', async () => (await imagesOf(here)).length === 3);
    expect(here.lines.filter(({ msg }) => msg === 'acquired the lease')).toHaveLength(2);
  });

  test('of one namespace does not touch the others', { timeout: 60_000 }, async () => {
    site = await createSite(20);
    const here = site;
    await here.start({ namespace: 'shop', election: undefined });
    const user = here.world.cluster('user');
    const other = cloneSet('web', 'web:1');
    await user.create(resources.CloneSet, { ...other, metadata: { name: 'web', namespace: 'default' } });
    await user.create(resources.CloneSet, cloneSet('web', 'web:1'));
    await here.until('three pods', async () => (await imagesOf(here)).length === 3);
    expect((await user.list(resources.Pod, { namespace: 'default' })).items).toEqual([]);
    const reads = here.world.log.filter(
      ({ user: who, verb }) => who === 'kruise' && ['list', 'watch'].includes(verb),
    );
    expect(reads.length).toBeGreaterThan(8);
    expect(reads.filter(({ namespace }) => namespace !== 'shop')).toEqual([]);
  });

  test('an unknown path, and a method that is not allowed', async () => {
    site = await createSite(1);
    const { port } = await site.start();
    expect((await get(port, '/')).code).toBe(404);
    expect((await get(port, '/__proto__')).code).toBe(404);
    expect((await get(port, '/livez?verbose')).code).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST', body: 'x' })).status).toBe(405);
  });

  test('an unknown token ends it at once, with an explanation', async () => {
    site = await createSite(1);
    const process = await site.start({ connection: connectionTo(site.connection.server, 'expired') });
    const obstacle = await process.failed;
    expect(obstacle.problem).toMatch(/does not accept the credentials of the tester: they have expired/);
    expect((await get(process.port, '/readyz')).code).toBe(503);
  });

  test('an unreachable server is waited for', { timeout: 30_000 }, async () => {
    site = await createSite(20);
    const here = site;
    const process = await here.start({ connection: connectionTo('http://127.0.0.1:1') });
    await here.until('a second try', () => here.lines.filter(({ level }) => level === 'warn').length > 1);
    expect(here.lines.find(({ level }) => level === 'warn')?.msg).toMatch(
      /^nothing listens at 127.0.0.1:1; .*; retrying$/,
    );
    const ready = await get(process.port, '/readyz');
    expect([ready.code, ready.text]).toEqual([
      503,
      expect.stringMatching(/^nothing listens at 127.0.0.1:1; /),
    ]);
    expect((await get(process.port, '/livez')).code).toBe(200);
  });
});
