import { afterEach, describe, expect, test } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { createSlots } from '../../runtime/plan/slots.ts';
import { createStates } from '../../runtime/reconcile/state.ts';
import { createRolloutContexts, type RolloutContextsOptions } from '../../runtime/plan/rollout-contexts.ts';
import type { TargetKey } from '../../runtime/observe/target-key.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';
import { snapshotObject } from '../../semantics/plan/memory.ts';
import type { RolloutView } from '../../semantics/plan/rollout-view.ts';
import {
  cloneSet,
  createTestCluster,
  planOf,
  type TestCluster,
  type StageOptions,
  startRuntime,
  templateOf,
} from '../runtime/stage.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const soaks: Step[] = [
  { id: 'one', update: { to: 1 } },
  { id: 'soak', soak: { for: '720h' } },
  { id: 'all', update: { to: '100%' } },
];
const asks: Step[] = [
  { id: 'one', update: { to: 1 } },
  { id: 'approve', approve: {} },
  { id: 'all', update: { to: '100%' } },
];

let stage: TestCluster;
afterEach(() => stage.stop());

function inNamespace(object: KubeObject, namespace: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, namespace } };
}

type Target = readonly [namespace: string, name: string];

/** One CloneSet `web` in `shop`, and these, settled. */
async function start(
  maxRunning: number,
  rest: readonly Target[],
  wrap?: StageOptions['wrap'],
): Promise<void> {
  stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 2 }), {
    maxRunning,
    ...(wrap !== undefined && { wrap }),
    world: { namespaces: ['default', 'shop', 'evil'] },
  });
  for (const [namespace, name] of rest)
    await stage.user.create(
      resources.CloneSet,
      inNamespace(cloneSet(name, `${name}:1`, { replicas: 2 }), namespace),
    );
  await stage.clock.advance(MINUTE);
}

/** Another image and the plan that leads there. */
async function change([namespace, name]: Target, steps?: Step[]): Promise<void> {
  const plan = planOf(name, `${name}:1`, `${name}:2`, steps === undefined ? {} : { steps });
  await stage.user.create(resources.RolloutPlan, inNamespace(plan, namespace));
  const body = { spec: { template: templateOf(name, `${name}:2`) } };
  await stage.user.patch(resources.CloneSet, { namespace, name }, { type: 'merge', body });
}

async function shown([namespace, name]: Target): Promise<{ phase?: string; waitingOn?: string }> {
  const plan = await stage.user.get(resources.RolloutPlan, { namespace, name: `cloneset-${name}` });
  return plan['status'] ?? {};
}

/** Approves the step `approve` of a plan. */
async function approve([namespace, name]: Target): Promise<void> {
  const plan = await stage.user.get(resources.RolloutPlan, { namespace, name: `cloneset-${name}` });
  await stage.user.create(resources.RolloutCommand, {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutCommand',
    metadata: { namespace, name: `approve-${name}` },
    spec: {
      action: 'Approve',
      target: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name },
      digest: (plan['spec'] as { digest: string }).digest,
      step: 'approve',
      by: 'ann',
    },
  });
}

/** The plans that came to Succeeded, in that order, of one namespace each. */
function finished(): string[] {
  const observed: string[] = [];
  stage.world.onCommit(({ object }) => {
    const { phase } = (object['status'] ?? {}) as { phase?: string };
    const text = `${object.metadata.namespace}/${object.metadata.name}`;
    if (object.kind === 'RolloutPlan' && phase === 'Succeeded' && !observed.includes(text))
      observed.push(text);
  });
  return observed;
}

describe('security 10: slots', () => {
  test('plans that soak for a month hold none: another team continues at once', async () => {
    const evil: Target[] = [
      ['evil', 'a'],
      ['evil', 'b'],
    ];
    await start(2, evil);
    for (const target of evil) await change(target, soaks);
    await stage.clock.advance(5 * MINUTE);
    for (const target of evil) expect(await shown(target)).toMatchObject({ phase: 'Soaking' });
    await change(['shop', 'web']);
    await stage.clock.advance(5 * MINUTE);
    expect(await shown(['shop', 'web'])).toMatchObject({ phase: 'Succeeded' });
  });

  test('the namespaces alternate, whatever their names and however many plans wait in one of them', async () => {
    const evil: Target[] = ['a', 'b', 'c', 'd'].map((name) => ['evil', name] as const);
    await start(1, evil);
    const observed = finished();
    for (const target of evil) await change(target);
    await change(['shop', 'web']);
    await stage.clock.advance(10 * MINUTE);
    expect(observed).toHaveLength(5);
    expect(observed.indexOf('shop/cloneset-web')).toBeLessThan(2);
  });

  test('a plan that continues after a gate waits for a slot like others, and moves no pod before', async () => {
    await start(1, [['shop', 'api']]);
    await change(['shop', 'web'], asks);
    await stage.clock.advance(5 * MINUTE);
    expect(await shown(['shop', 'web'])).toMatchObject({ phase: 'AwaitingApproval' });
    stage.world.images.set('api:2', { pullMs: 3 * MINUTE });
    await change(['shop', 'api']);
    await stage.clock.advance(MINUTE);
    await approve(['shop', 'web']);
    await stage.clock.advance(30_000);
    expect(await shown(['shop', 'api'])).toMatchObject({ phase: 'Running' });
    expect(await shown(['shop', 'web'])).toMatchObject({ phase: 'Running', waitingOn: 'Queued' });
    expect(await stage.images()).toEqual({ 'web:1': 1, 'web:2': 1 });
    await stage.clock.advance(20 * MINUTE);
    expect(await shown(['shop', 'api'])).toMatchObject({ phase: 'Succeeded' });
    expect(await shown(['shop', 'web'])).toMatchObject({ phase: 'Succeeded' });
  });

  test('a restarted runtime gives out no more slots than exist, to the same plans', async () => {
    await start(1, [['shop', 'api']]);
    await change(['shop', 'web'], asks);
    await stage.clock.advance(5 * MINUTE);
    stage.world.images.set('api:2', { pullMs: 10 * MINUTE });
    await change(['shop', 'api']);
    await stage.clock.advance(MINUTE);
    await approve(['shop', 'web']);
    await stage.clock.advance(30_000);
    await stage.runtime.stop();
    const runtime = startRuntime(stage.world, stage.clock, stage.errors, { maxRunning: 1 });
    await stage.clock.advance(2 * MINUTE);
    expect(await shown(['shop', 'web'])).toMatchObject({ phase: 'Running', waitingOn: 'Queued' });
    expect(await shown(['shop', 'api'])).not.toMatchObject({ waitingOn: 'Queued' });
    expect(await stage.images()).toEqual({ 'web:1': 1, 'web:2': 1 });
    await stage.clock.advance(DAY);
    expect(await stage.images()).toEqual({ 'web:2': 2 });
    void runtime.stop();
  });
});

/** Its pods become available after weeks, and its step does not fail before. */
async function crawl(target: Target): Promise<void> {
  const [namespace, name] = target;
  await change(target, [{ id: 'all', update: { to: '100%' }, timeout: '720h' }]);
  const body = { spec: { minReadySeconds: 2_000_000 } };
  await stage.user.patch(resources.CloneSet, { namespace, name }, { type: 'merge', body });
}

const waits = async (target: Target): Promise<boolean> => (await shown(target)).waitingOn === 'Queued';

describe('security 10: idle slots', () => {
  const evil: Target[] = [
    ['evil', 'a'],
    ['evil', 'b'],
  ];

  test('a namespace whose pods do not become available gives a slot to another one, and gets it back later', async () => {
    await start(2, evil);
    for (const target of evil) await crawl(target);
    await stage.clock.advance(MINUTE);
    await change(['shop', 'web']);
    await stage.clock.advance(9 * MINUTE);
    expect(await shown(['shop', 'web'])).toMatchObject({ phase: 'Pending', waitingOn: 'Queued' });
    expect([await waits(['evil', 'a']), await waits(['evil', 'b'])]).toEqual([false, false]);
    await stage.clock.advance(6 * MINUTE);
    expect(await shown(['shop', 'web'])).toMatchObject({ phase: 'Succeeded' });
    expect([await waits(['evil', 'a']), await waits(['evil', 'b'])]).toEqual([false, false]);
  });

  test('two failing namespaces alternate after ten minutes and more', async () => {
    await start(1, [['evil', 'a']]);
    await crawl(['evil', 'a']);
    await stage.clock.advance(MINUTE);
    await crawl(['shop', 'web']);
    const served: string[] = [];
    for (let minute = 0; minute < 60; minute++) {
      await stage.clock.advance(MINUTE);
      served.push((await waits(['evil', 'a'])) ? 'shop' : 'evil');
    }
    const changes = served.flatMap((round, i) => (i > 0 && round !== served[i - 1] ? [i] : []));
    expect(changes.length).toBeGreaterThan(2);
    for (const [n, at] of changes.entries()) expect(at - (changes[n - 1] ?? -1)).toBeGreaterThanOrEqual(10);
  });

  test('a single namespace keeps its slots, however many of its plans wait', async () => {
    await start(1, evil);
    await crawl(['evil', 'a']);
    await stage.clock.advance(MINUTE);
    await change(['evil', 'b']);
    await stage.clock.advance(DAY / 2);
    expect([await waits(['evil', 'a']), await waits(['evil', 'b'])]).toEqual([false, true]);
  });

  test('a pod that becomes available repeatedly is no progress, nor is another goal; a further pod is', () => {
    const asked: string[] = [];
    let now = 0;
    const slots = createSlots<string>(
      1,
      (key, delayMs) => void (delayMs === 0 && asked.push(key)),
      () => now,
    );
    const slot = (namespace: string) => ({ isStarted: true, group: '', namespace, name: 'web' });
    slots.enter('a', slot('evil'));
    slots.observe('a', 'h1', 0);
    slots.enter('web', slot('shop'));
    now = 8 * MINUTE;
    slots.observe('a', 'h1', 1);
    now = 16 * MINUTE;
    for (const count of [0, 1, 0, 1]) slots.observe('a', 'h1', count);
    slots.observe('a', 'h2', 5);
    expect(slots.holds('a')).toBe(true);
    now = 19 * MINUTE;
    slots.observe('a', 'h2', 5);
    expect([slots.holds('a'), asked]).toEqual([false, ['web']]);
    // A revert continues without a slot.
    slots.note('a', 'evil', true);
    expect([slots.holds('a'), slots.enter('a', slot('evil')), slots.enter('web', slot('shop'))]).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe('security 10: records that are refused', () => {
  let refuses = false;
  const quota = (cluster: Cluster): Cluster => ({
    ...cluster,
    create(resource, body, options) {
      if (!refuses || resource !== resources.ControllerRevision || body.metadata.namespace !== 'evil')
        return cluster.create(resource, body, options);
      const message = 'controllerrevisions.apps "x" is forbidden: exceeded quota: few';
      return Promise.reject(
        new ApiError({ kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message } as never),
      );
    },
  });
  async function held([namespace, name]: Target): Promise<string> {
    const target = await stage.user.get(resources.CloneSet, { namespace, name });
    const { conditions = [] } = (target['status'] ?? {}) as {
      conditions?: { type: string; reason: string; message: string }[];
    };
    const found = conditions.find(({ type }) => type === 'plan.kruise.io/Held');
    return found === undefined ? '' : `${found.reason}: ${found.message}`;
  }

  test('a plan that cannot be recorded holds no slot, and the target says why', async () => {
    await start(1, [['evil', 'a']], quota);
    const body = { spec: { template: templateOf('a', 'a:2') } };
    await stage.user.patch(resources.CloneSet, { namespace: 'evil', name: 'a' }, { type: 'merge', body });
    await stage.clock.advance(5_000);
    refuses = true;
    await stage.user.create(resources.RolloutPlan, inNamespace(planOf('a', 'a:1', 'a:2'), 'evil'));
    await stage.clock.advance(MINUTE);
    await change(['shop', 'web']);
    await stage.clock.advance(10 * MINUTE);
    expect(await shown(['shop', 'web'])).toMatchObject({ phase: 'Succeeded' });
    expect(await held(['evil', 'a'])).toMatch(/^RecordRefused: .*exceeded quota: few. Free some quota/);
    refuses = false;
    await stage.clock.advance(5 * MINUTE);
    expect(await shown(['evil', 'a'])).toMatchObject({ phase: 'Succeeded' });
    expect(await held(['evil', 'a'])).toBe('');
  });

  test('a waiting plan whose revision cannot be created does not block others', async () => {
    refuses = false;
    await start(
      1,
      [
        ['evil', 'a'],
        ['shop', 'api'],
      ],
      quota,
    );
    stage.world.images.set('api:2', { pullMs: 3 * MINUTE });
    await change(['shop', 'api']);
    await stage.clock.advance(10_000);
    await change(['evil', 'a']);
    await stage.clock.advance(10_000);
    await change(['shop', 'web']);
    await stage.clock.advance(10_000);
    expect([await waits(['evil', 'a']), await waits(['shop', 'web'])]).toEqual([true, true]);
    refuses = true;
    const body = { spec: { template: templateOf('a', 'a:3') } };
    await stage.user.patch(resources.CloneSet, { namespace: 'evil', name: 'a' }, { type: 'merge', body });
    await stage.clock.advance(20 * MINUTE);
    expect(await shown(['shop', 'api'])).toMatchObject({ phase: 'Succeeded' });
    expect(await shown(['shop', 'web'])).toMatchObject({ phase: 'Succeeded' });
    expect(await held(['evil', 'a'])).toMatch(/^RecordRefused: /);
    refuses = false;
  });
});

describe('security 10: the memory of slots', () => {
  test('a namespace that was served a thousand namespaces ago counts as never served', () => {
    const slots = createSlots<string>(
      1,
      () => undefined,
      () => 0,
    );
    const serve = (namespace: string) => {
      slots.enter(namespace, { isStarted: false, group: '', namespace, name: 'web' });
      return slots.holds(namespace);
    };
    for (let n = 0; n < 1_200; n++) {
      expect(serve(`a-${n}`)).toBe(true);
      slots.note(`a-${n}`, `a-${n}`, false);
    }
    serve('holder');
    // By name alone; else `b`, which was never served, came before it.
    for (const namespace of ['b', 'a-0']) serve(namespace);
    slots.note('holder', 'holder', false);
    expect([serve('b'), serve('a-0')]).toEqual([false, true]);
  });

  test('an unreadable target does not affect the slots of others after a restart', () => {
    const targetOf = (name: string, status: unknown) =>
      [
        { group: 'apps.kruise.io', kind: 'CloneSet', namespace: 'shop', name } as TargetKey,
        {
          apiVersion: 'apps.kruise.io/v1beta1',
          kind: 'CloneSet',
          metadata: { namespace: 'shop', name, uid: name },
          status,
        } as unknown as KubeObject,
      ] as const;
    const [bad, web] = [targetOf('bad', { conditions: {} }), targetOf('web', {})];
    const owner = { apiVersion: 'v1', kind: 'CloneSet', name: 'x', uid: 'x', controller: true };
    const spec = planOf('web', 'web:1', 'web:2')['spec'] as never;
    const progress = {
      seq: 1,
      phase: 'Running',
      step: 0,
      frozenN: 1,
      clockMs: 0,
      idleMs: 0,
      best: 0,
      stepSince: 0,
      baseline: { unavailable: [], restarts: {} },
      approved: [],
      consumed: [],
    } as never;
    const caches = {
      targets: () => new Map([bad, web]),
      target: (key: TargetKey) => (key === bad[0] ? bad[1] : web[1]),
      revisionsOf: () => [snapshotObject({ name: 'web', namespace: 'shop', owner }, spec, progress)],
      ...{ pullPodsOf: () => [], plansOf: () => [], nodes: new Map() },
    };
    const clock = createVirtualClock(0);
    const contexts = createRolloutContexts({
      caches,
      states: createStates({ caches, clock } as unknown as Parameters<typeof createStates>[0]),
      checks: { resultOf: () => undefined },
      clock,
      maxRunning: 1,
      ask: () => undefined,
    } as unknown as RolloutContextsOptions);
    const view = { pods: [] } as unknown as RolloutView;
    const observe = (key: TargetKey): string | undefined => {
      try {
        return contexts.contextOf(key, view).queued;
      } catch {
        return 'failed';
      }
    };
    observe(bad[0]);
    expect(observe(web[0])).toBeUndefined();
  });
});
