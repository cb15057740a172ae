import { createVirtualClock, createWorld, type VirtualClock, type World } from 'kruise-sandbox';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { main } from '../../../cli/dispatch.ts';
import type { Machine } from '../../../cli/host.ts';
import { createRuntime, type Runtime } from '../../../runtime/runtime.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { serves } from '../../conformance/serving.ts';
import { cloneSet } from '../../runtime/stage.ts';
import { memoryHost } from '../world/memory-host.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const SECOND = 1_000;
const namespace = 'shop';
const PODS = 4;

interface Stage {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  runtime: Runtime | undefined;
  pods(): Promise<Pod[]>;
  requests(): Promise<KubeObject[]>;
  /** The restarts of each container of each pod. */
  restarts(): Promise<string[]>;
}

// Loads what a command loads on demand: no virtual time is to pass meanwhile.
beforeAll(async () => {
  await main(memoryHost({}), ['restart', '--batch', '0']);
  await import('../../../cli/restart/restart.ts');
});

let stage: Stage | undefined;
afterEach(async () => {
  if (stage === undefined) return;
  const { world, clock, runtime } = stage;
  stage = undefined;
  await Promise.all([runtime?.stop(), clock.settle()]);
  world.stop();
  await clock.settle();
});

/** A CloneSet of four pods that lets one be unavailable. */
async function started({ policy = 'IfNotPresent', hasRuntime = true, hookSeconds = 0 } = {}): Promise<Stage> {
  const clock = createVirtualClock(NOON);
  const world = createWorld({ clock, namespaces: ['default', namespace], crds: [...crds] });
  const begin = (): Runtime => {
    const runtime = createRuntime({
      ...{ cluster: world.cluster('kruise'), clock, policy: 'Auto', onError: () => {} },
    });
    runtime.start();
    return runtime;
  };
  const runtime = begin();
  const user = world.cluster('user');
  await clock.settle();
  const containers = ['main', 'side'].map((name): JsonObject => {
    const imagePullPolicy = name === 'side' ? 'IfNotPresent' : policy;
    const lifecycle = { preStop: { sleep: { seconds: hookSeconds } } };
    return { name, image: `${name}:1`, imagePullPolicy, ...(hookSeconds > 0 && { lifecycle }) };
  });
  const template = { metadata: { labels: { app: 'web', team: 'pay' } }, spec: { containers } };
  await user.create(
    resources.CloneSet,
    cloneSet('web', '', { replicas: PODS, template }, { maxUnavailable: 1 }),
  );
  await clock.advance(180 * SECOND);
  if (!hasRuntime) await Promise.all([runtime.stop(), clock.settle()]);
  const pods = async (): Promise<Pod[]> => (await user.list(resources.Pod, { namespace })).items as Pod[];
  stage = {
    ...{ world, clock, user, pods },
    runtime: hasRuntime ? runtime : undefined,
    requests: async () => (await user.list(resources.ContainerRecreateRequest, { namespace })).items,
    restarts: async () =>
      (await pods()).map(({ status }) =>
        (status?.containerStatuses ?? []).map(({ restartCount }) => restartCount).join(' '),
      ),
  };
  return stage;
}

interface Ran {
  code: number;
  out: string;
  err: string;
}

interface Asking {
  /** What a person answers. Undefined: nobody is there to ask. */
  confirms?: boolean | (() => Promise<boolean>);
  /** Gets what sends the command a signal. */
  during?: (signal: () => void) => Promise<void>;
  through?: (cluster: Cluster) => Cluster;
}

/** Runs `kruise restart` for as long as it takes. */
async function restart(
  { clock, user }: Stage,
  args: readonly string[],
  { confirms, during, through = (cluster) => cluster }: Asking = {},
): Promise<Ran> {
  let signal = (): void => {};
  const machine = {
    onSignal(listener: () => void) {
      signal = listener;
      return () => {};
    },
  } as unknown as Machine;
  const host = Object.assign(memoryHost({}, { cluster: through(user) }), {
    ...{ clock, machine },
    ...(confirms !== undefined && {
      confirm: () => (typeof confirms === 'boolean' ? Promise.resolve(confirms) : confirms()),
    }),
  });
  let code: number | undefined;
  const running = main(host, ['restart', ...args]).then((ended) => (code = ended));
  await clock.settle();
  await during?.(() => signal());
  await clock.runUntil(() => code !== undefined, { what: 'the end', limitMs: 3_600_000 });
  return { code: await running, out: host.out, err: host.err };
}

test('containers of all pods are restarted a batch at a time, within the limit of the owner', async () => {
  const own = await started();
  const pods = new Map((await own.pods()).map((pod) => [pod.metadata.uid, pod]));
  let most = 0;
  own.world.onCommit(({ resource, object }) => {
    if (resource !== 'pods') return;
    pods.set(object.metadata.uid, object as Pod);
    most = Math.max(most, PODS - [...pods.values()].filter(serves).length);
  });
  const { code, out, err } = await restart(own, [
    'CloneSet/web',
    '-n',
    'shop',
    '-c',
    'main',
    '--batch',
    '50%',
    '-y',
  ]);
  const names = (await own.pods()).map(({ metadata }) => metadata.name).sort();
  expect({ code, err }).toEqual({
    code: 0,
    err: '  restarts main in 4 pods of shop, 2 at a time: 2 batches\n',
  });
  expect(out).toBe(
    `batch 1 of 2: ${names.slice(0, 2).join(', ')} restarted\nbatch 2 of 2: ${names.slice(2).join(', ')} restarted\n`,
  );
  expect(await own.restarts()).toEqual(['1 0', '1 0', '1 0', '1 0']);
  expect(most).toBe(1);
});

test('pods of any owner are chosen by their labels', async () => {
  const own = await started();
  const { code, err } = await restart(own, [
    '-n',
    'shop',
    '-l',
    'team=pay',
    '-c',
    'side',
    '--batch',
    '100%',
    '-y',
  ]);
  expect({ code, err }).toEqual({
    code: 0,
    err: '  restarts side in 4 pods of shop, 4 at a time: 1 batch\n',
  });
  expect(await own.restarts()).toEqual(['0 1', '0 1', '0 1', '0 1']);
  const none = await restart(own, ['-n', 'shop', '-l', 'team=none', '-y']);
  expect(none).toMatchObject({ code: 0, err: 'kruise restart: there are no such pods in shop\n' });
});

test('--check says what would be restarted and what cannot be, and sends nothing', async () => {
  const own = await started({ policy: 'Always' });
  const { code, out, err } = await restart(own, ['CloneSet/web', '-n', 'shop', '--check']);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(
    /^ {2}not restarted in web-\S+ and 3 more pods: main: its imagePullPolicy is Always: .*\n {2}restarts side in 4 pods of shop, 1 at a time: 4 batches\n$/,
  );
  expect(await own.requests()).toEqual([]);
});

test('nothing is sent that nobody has confirmed', async () => {
  const own = await started();
  const asked = await restart(own, ['CloneSet/web', '-n', 'shop'], { confirms: false });
  expect(asked).toMatchObject({ code: 1, out: '' });
  const alone = await restart(own, ['CloneSet/web', '-n', 'shop']);
  expect(alone.err).toContain('nothing was sent; add --yes to confirm, or --check to look alone');
  expect(await own.requests()).toEqual([]);
});

test('after an interruption it goes on where it was, and restarts none twice', async () => {
  const own = await started();
  const args = ['CloneSet/web', '-n', 'shop', '-c', 'main', '--batch', '1', '-y'];
  const first = await restart(own, args, {
    during: async (signal) => {
      await own.clock.advance(4 * SECOND);
      signal();
    },
  });
  expect(first.code).toBe(130);
  const [, since = ''] = /goes on with --since (\S+)\n$/.exec(first.err) ?? [];
  expect(first.err).toContain('requests that were sent are carried out');
  const sent = (await own.requests()).length;
  expect([sent > 0, sent < PODS]).toEqual([true, true]);
  // At once: the last request is still under way.
  const second = await restart(own, [...args, '--since', since]);
  expect(second.code).toBe(0);
  expect(await own.restarts()).toEqual(['1 0', '1 0', '1 0', '1 0']);
  expect(await own.requests()).toHaveLength(PODS);
  const third = await restart(own, [...args, '--since', since]);
  expect(third).toMatchObject({ code: 0, out: '' });
  expect(third.err).toContain('nothing is left to restart');
});

test('what the first run has asked of a pod counts, though one of its containers had restarted before the second one looked', async () => {
  const own = await started({ hookSeconds: 10 });
  const args = ['CloneSet/web', '-n', 'shop', '--batch', '1'];
  const first = await restart(own, [...args, '-y'], {
    during: async (signal) => {
      await own.clock.advance(18 * SECOND);
      signal();
    },
  });
  const [, since = ''] = /goes on with --since (\S+)\n$/.exec(first.err) ?? [];
  expect((await own.restarts()).filter((each) => each !== '0 0')).toEqual(['1 0']);
  const second = await restart(own, [...args, '--since', since], {
    confirms: () => new Promise((resolve) => void own.clock.after(60 * SECOND, () => resolve(true))),
  });
  expect(second.code).toBe(0);
  expect(await own.restarts()).toEqual(['1 1', '1 1', '1 1', '1 1']);
  expect(await own.requests()).toHaveLength(PODS);
});

test('once it is interrupted, it sends no further request of its batch', async () => {
  const own = await started();
  const { code } = await restart(own, ['CloneSet/web', '-n', 'shop', '-c', 'main', '--batch', '100%', '-y'], {
    through: (cluster) => ({
      ...cluster,
      async create(...sent) {
        await new Promise<void>((resolve) => void own.clock.after(SECOND, resolve));
        return cluster.create(...sent);
      },
    }),
    during: async (signal) => {
      await own.clock.advance(1.5 * SECOND);
      signal();
    },
  });
  expect(code).toBe(130);
  expect(await own.requests()).toHaveLength(2);
});

describe('a batch', () => {
  test('that fails ends it: no further one follows', async () => {
    const own = await started();
    const [first] = (await own.pods()).sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    const ran = await restart(own, ['CloneSet/web', '-n', 'shop', '--batch', '1', '-y'], {
      during: async () => {
        await own.user.delete(resources.Pod, { namespace, name: first?.metadata.name ?? '' });
      },
    });
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(`${first?.metadata.name} has not restarted: not allowed to recreate`);
    expect(ran.err).toMatch(
      /; 0 of 4 pods had restarted before this batch; no further batch follows: .* --since /,
    );
    expect(await own.requests()).toHaveLength(1);
  });

  test('that waits for a budget says so', async () => {
    const own = await started();
    await own.user.create(resources.PodDisruptionBudget, {
      ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'web', namespace } },
      spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 0 },
    });
    await own.clock.advance(SECOND);
    const ran = await restart(own, ['CloneSet/web', '-n', 'shop', '--timeout', '30s', '-y']);
    expect(ran.code).toBe(4);
    expect(ran.err).toMatch(
      /batch 1 has not ended within 30s: web-\S+ waits: PodDisruptionBudget shop\/web allows 0 unavailable pods; /,
    );
    expect(await own.restarts()).toEqual(['0 0', '0 0', '0 0', '0 0']);
  });

  test('that nobody takes up ends it after its time', async () => {
    const own = await started({ hasRuntime: false });
    const ran = await restart(own, ['CloneSet/web', '-n', 'shop', '--timeout', '30s', '-y']);
    expect(ran.code).toBe(4);
    expect(ran.err).toMatch(/batch 1 has not ended within 30s: web-\S+ no runtime has taken its request up/);
    expect(await own.requests()).toHaveLength(1);
  });
});

test.each([
  [[], 'no target is named'],
  [['CloneSet/web', 'CloneSet/api'], 'name one target at a time'],
  [['web'], "'web' has no kind"],
  [['Deployment/web'], 'pods of any owner are chosen by their labels, with -l'],
  [['SidecarSet/web'], 'a SidecarSet has no pods of its own'],
  [['CloneSet/web', '--batch', '0'], "--batch cannot be '0'"],
  [['CloneSet/web', '--batch', '101%'], "--batch cannot be '101%'"],
  [['CloneSet/web', '--since', 'soon'], "--since cannot be 'soon'"],
  [['CloneSet/none', '-n', 'shop', '-y'], 'not found'],
])('%j is refused', async (args, problem) => {
  const own = await started({ hasRuntime: false });
  const { code, err } = await restart(own, args);
  expect([code, err]).toEqual([1, expect.stringContaining(problem)]);
  expect(await own.requests()).toEqual([]);
});
