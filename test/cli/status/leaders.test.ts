import { afterEach, expect, test, vi } from 'vitest';
import { main } from '../../../cli/dispatch.ts';
import { nodeMachine } from '../../../cli/machine/node-machine.ts';
import { createHostClock } from '../../../runtime/host-clock.ts';
import { createVirtualClock, createWorld, type VirtualClock } from 'kruise-sandbox';
import { ApiError, type Cluster } from '../../../schemas/wire/cluster.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { cloneSet } from '../../runtime/stage.ts';
import { kruise } from '../world/at-sandbox.ts';
import { memoryHost } from '../world/memory-host.ts';
import { request } from '../world/sandbox-client.ts';
import { endSandboxes, startReady } from '../world/sandbox-run.ts';

afterEach(endSandboxes);

const HELP = '; check whether kruise run is running\n';

interface Held {
  /** `namespace/name`. */
  at: string;
  holder?: string;
  /** Seconds ago. */
  renewed?: number;
}

interface Setup {
  clock: VirtualClock;
  cluster: Cluster;
  renew(at: string, holder?: string): Promise<void>;
}

/** web in shop and api in bank, observed by a runtime or not, with Leases. */
async function setup(held: readonly Held[], isObserved: boolean): Promise<Setup> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1, 12));
  const world = createWorld({ clock, namespaces: ['default', 'shop', 'bank', 'kruise-system'] });
  const cluster = world.cluster('user');
  const createdAt = Promise.all(
    ['shop', 'bank'].map(async (namespace) => {
      const object = cloneSet('web', 'web:1', { replicas: 0 });
      await cluster.create(resources.CloneSet, { ...object, metadata: { name: 'web', namespace } });
      if (!isObserved) return;
      const counts = { replicas: 0, readyReplicas: 0, availableReplicas: 0, updatedReplicas: 0 };
      const body = { status: { observedGeneration: 1, updatedReadyReplicas: 0, ...counts } };
      const at = { namespace, name: 'web' };
      await cluster.patch(resources.CloneSet, at, { type: 'merge', body }, { subresource: 'status' });
    }),
  );
  await clock.settle();
  await createdAt;
  await clock.advance(60_000);
  const spec = (holder: string, ago: number): object => ({
    holderIdentity: holder,
    leaseDurationSeconds: 15,
    renewTime: new Date(clock.now() - ago * 1000).toISOString().replace('Z', '000Z'),
  });
  for (const { at, holder = '', renewed = 1 } of held) {
    const [namespace = '', name = ''] = at.split('/');
    const kind = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
    await cluster.create(resources.Lease, {
      ...kind,
      metadata: { namespace, name },
      spec: spec(holder, renewed),
    });
  }
  return {
    clock,
    cluster,
    async renew(at, holder = 'host-1') {
      const [namespace = '', name = ''] = at.split('/');
      const body = { spec: spec(holder, 0) } as never;
      await cluster.patch(resources.Lease, { namespace, name }, { type: 'merge', body });
    },
  };
}

/** Standard error of `kruise status`; `meanwhile` runs before it checks again. */
async function outputOf(
  { clock, cluster }: Setup,
  args: string[],
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const host = Object.assign(memoryHost({}, { cluster }), { clock });
  const ended = main(host, ['status', ...args]);
  await clock.advance(1_000);
  await meanwhile();
  await clock.advance(3_000);
  expect(await ended).toBe(0);
  expect(host.out).toContain('CloneSet/web');
  return host.err;
}

const BACK = 'the Lease default/kruise was released, and no runtime has acquired it';
const GONE = 'host-1 does not renew the Lease default/kruise, last at 2026-01-01T12:00:00Z';
const UNOBSERVED = 'and none holds a Lease in this cluster';
test.each<[string, Held[], boolean, string[], string]>([
  ['a runtime leads', [{ at: 'default/kruise', holder: 'host-1' }], false, ['-A'], ''],
  ['handed back', [{ at: 'default/kruise' }], true, ['-A'], `no runtime leads: ${BACK}${HELP}`],
  [
    'not renewed for a minute',
    [{ at: 'default/kruise', holder: 'host-1', renewed: 60 }],
    true,
    ['-n', 'shop'],
    `no runtime leads: ${GONE}${HELP}`,
  ],
  [
    'one was handed back, another leads',
    [{ at: 'default/kruise' }, { at: 'kruise-system/kruise', holder: 'host-2' }],
    true,
    ['-A'],
    '',
  ],
  [
    'one leads in its namespace alone',
    [{ at: 'default/kruise' }, { at: 'shop/kruise-shop', holder: 'host-2' }],
    true,
    ['-A'],
    `no runtime leads in bank: ${BACK}${HELP}`,
  ],
  ['the same, for that target', [{ at: 'shop/kruise-shop', holder: 'host-2' }], false, ['-n', 'shop'], ''],
  ['no Lease, and a runtime has observed it', [], true, ['-A'], ''],
  [
    'no Lease, and no runtime has observed it',
    [],
    false,
    ['web', '-n', 'shop'],
    `no runtime has processed the current CloneSet/web in shop, ${UNOBSERVED}${HELP}`,
  ],
])('leader: %s', async (_what, held, isObserved, args, expected) => {
  const err = await outputOf(await setup(held, isObserved), args);
  expect(err).toBe(expected === '' ? '' : `kruise status: ${expected}`);
});

test('no Lease: a status of a kind that records no generation counts as processed', async () => {
  const stage = await setup([], true);
  const { clock, cluster } = stage;
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'job:1' }] } };
  const kind = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'BroadcastJob' };
  const at = { namespace: 'shop', name: 'job' };
  await cluster.create(resources.BroadcastJob, { ...kind, metadata: at, spec: { template } });
  await clock.advance(60_000);
  const unseen = `no runtime has processed the current BroadcastJob/job in shop, ${UNOBSERVED}${HELP}`;
  expect(await outputOf(stage, ['-A'])).toBe(`kruise status: ${unseen}`);
  const body = { status: { desired: 0, active: 0, succeeded: 0, failed: 0, phase: 'running' } } as never;
  await cluster.patch(resources.BroadcastJob, at, { type: 'merge', body }, { subresource: 'status' });
  await clock.advance(1_000);
  expect(await outputOf(stage, ['-A'])).toBe('');
});

test('a renewed Lease is valid whatever the clock of its holder, and forbidden Leases are not reported as missing', async () => {
  const late = await setup([{ at: 'default/kruise', holder: 'host-1', renewed: 60 }], true);
  expect(await outputOf(late, ['-A'], () => late.renew('default/kruise'))).toBe('');
  const hidden = await setup([], false);
  const cluster: Cluster = {
    ...hidden.cluster,
    list: async (resource, options) => {
      if (resource.plural === 'leases')
        throw new ApiError({ code: 403, reason: 'Forbidden', message: 'no leases for you' });
      return hidden.cluster.list(resource, options);
    },
  };
  expect(await outputOf({ ...hidden, cluster }, ['-A'])).toBe('');
});

test('a watch reports that the Lease is no longer renewed, until it is renewed again', async () => {
  const { clock, cluster, renew } = await setup([{ at: 'default/kruise', holder: 'host-1' }], true);
  let interrupt = (): void => {};
  const machine = {
    ...nodeMachine(),
    onSignal(listener: () => void) {
      interrupt = listener;
      return () => {};
    },
  };
  let picture = '';
  const host = {
    ...memoryHost({}, { cluster }),
    clock,
    machine,
    // Enough rows for a line of the table and the note below it.
    screen: () => ({ columns: 200, rows: 5 }),
    stdout: (text: string) => void (picture = text),
  };
  const ended = main(host, ['status', '-w', '-A']);
  await vi.waitFor(() => clock.settle().then(() => expect(picture).toContain('CloneSet/web')));
  for (let second = 0; second < 30; second += 2) {
    await renew('default/kruise');
    await clock.advance(2_000);
    expect(picture).not.toContain('no runtime');
  }
  await clock.advance(20_000);
  expect(picture).toContain('more lines');
  expect(picture).toContain('no runtime leads: host-1 does not renew the Lease default/kruise');
  await renew('default/kruise', 'host-2');
  await clock.advance(4_000);
  expect(picture).not.toContain('no runtime');
  interrupt();
  await clock.settle();
  expect(await ended).toBe(130);
});

test('ages use the clock of the server, whatever the local clock', async () => {
  const { folder } = await startReady(['--no-runtime']);
  const createdAt = async (hours: number): Promise<string> => {
    const host = createHostClock();
    const clock = { ...host, now: () => host.now() + hours * 3_600_000 };
    return (await kruise(folder, ['status', '-n', 'shop', '-w', '--timeout', '1s'], { clock })).out;
  };
  const object = cloneSet('web', 'web:1', { replicas: 0 });
  const body = (value: object): { method: string; body: string; contentType: string } => ({
    method: 'POST',
    body: JSON.stringify(value),
    contentType: 'application/json',
  });
  await request(folder, '/api/v1/namespaces', body({ metadata: { name: 'shop' } }));
  const at = '/apis/apps.kruise.io/v1beta1/namespaces/shop/clonesets';
  expect(
    (await request(folder, at, body({ ...object, metadata: { name: 'web', namespace: 'shop' } }))).code,
  ).toBe(201);
  const day = new Date().toISOString().slice(0, 13);
  for (const text of await Promise.all([-30, 0, 30].map(createdAt)))
    expect(text).toMatch(new RegExp(`^${day}`));
});
