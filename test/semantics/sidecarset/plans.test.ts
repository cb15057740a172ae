import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import { sidecarSetKind } from '../../../semantics/sidecarset/kind.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { sidecar } from './model.ts';
import { type Rolling, rolling } from './rolling.ts';

/** A set `log` and its pods `p0` to `p9`, at version 1; its manifest is at version 2. */
interface Given {
  maxUnavailable: number;
  /** Of the manifest. */
  partition?: number;
  /** Pods that were updated already, and serve. */
  updated?: readonly string[];
  /** Pods whose sidecar does not serve. */
  broken?: readonly string[];
}

const PODS = 10;
const log = (version: number): JsonObject => sidecar('log', { image: `log:${version}` });

function worldOf({ maxUnavailable, partition, updated = [], broken = [] }: Given): Rolling {
  const world = rolling();
  world.set('log', { containers: [log(1)] });
  world.reconcile();
  for (let n = 0; n < PODS; n++) if (!updated.includes(`p${n}`)) world.create(`p${n}`);
  world.set('log', { containers: [log(2)], updateStrategy: { paused: true } });
  world.reconcile();
  // What is injected now has the content of the manifest.
  for (const name of updated) world.create(name);
  world.kubelet();
  for (const name of broken) breakSidecar(world, name);
  const strategy = { maxUnavailable, ...(partition !== undefined && { partition }) };
  world.set('log', { containers: [log(2)], updateStrategy: strategy });
  return world;
}

/** Its sidecar is not ready, and so the pod is not. */
function breakSidecar({ pods }: Rolling, name: string): void {
  const pod = pods.get(name);
  if (pod === undefined) throw new Error(`there is no ${name}`);
  const containerStatuses = (pod.status?.containerStatuses ?? []).map((each) =>
    each.name === 'log' ? { ...each, ready: false } : each,
  );
  const conditions = [{ type: 'Ready', status: 'False' as const }];
  pods.set(name, { ...pod, status: { ...pod.status, conditions, containerStatuses } });
}

/** A step that allows so many pods at version 2. */
function step(world: Rolling, allowed: number, more: Partial<Envelope> = {}): Envelope {
  const [goal = '', stable = ''] = [2, 1].map((version) => {
    const target = world.sets.get('log');
    if (target === undefined) throw new Error('there is no set');
    const spec = { ...objectOf(target['spec']), containers: [log(version)] };
    return templateHash(sidecarSetKind.git.read({ ...target, spec }).template);
  });
  return {
    goal,
    stable,
    allowed,
    obeyPartition: true,
    touch: true,
    moving: true,
    mode: 'InPlace',
    reason: 'a step',
    ...more,
  };
}

const rows: readonly (readonly [
  what: string,
  given: Given,
  allowed: number,
  more: Partial<Envelope>,
  count: number,
])[] = [
  ['a step of 4', { maxUnavailable: 10 }, 4, {}, 4],
  ['a step of 4, of which 1 is done', { maxUnavailable: 10, updated: ['p0'] }, 4, {}, 3],
  ['a bound of 7: 3 of 10', { maxUnavailable: 10 }, 10, { bound: 7 }, 3],
  ['a bound of 65%: 6.5 rounded up is 7, and 3 are left', { maxUnavailable: 10 }, 10, { bound: '65%' }, 3],
  [
    'a bound of 7, and 2 of the 3 have it',
    { maxUnavailable: 10, updated: ['p0', 'p1'] },
    10,
    { bound: 7 },
    1,
  ],
  ['a step below the bound', { maxUnavailable: 10 }, 2, { bound: 7 }, 2],
  ['a partition of the manifest below the step', { maxUnavailable: 10, partition: 9 }, 4, { bound: 7 }, 1],
  ['3 at a time', { maxUnavailable: 3 }, 10, {}, 3],
  [
    '3 at a time, and an updated one does not serve',
    { maxUnavailable: 3, updated: ['p0'], broken: ['p0'] },
    10,
    {},
    2,
  ],
];

describe('within the envelope of a plan', () => {
  test.each(rows)('%s', (_, given, allowed, more, count) => {
    const world = worldOf(given);
    expect(world.updatedWithin('log', step(world, allowed, more))).toHaveLength(count);
  });

  test('pods of the old revision that do not serve come first, and each uses up one of the three', () => {
    const world = worldOf({ maxUnavailable: 3, broken: ['p7', 'p8'] });
    const taken = world.updatedWithin('log', step(world, 10));
    expect(taken.slice(0, 2).sort()).toEqual(['p7', 'p8']);
    expect(taken).toHaveLength(3);
  });

  test('with four of them none is left for a pod that serves', () => {
    const world = worldOf({ maxUnavailable: 3, broken: ['p5', 'p6', 'p7', 'p8'] });
    expect(world.updatedWithin('log', step(world, 10)).sort()).toEqual(['p5', 'p6', 'p7', 'p8']);
  });

  test('during a revert those that were broken before the plan use up nothing', () => {
    const world = worldOf({ maxUnavailable: 3, broken: ['p7', 'p8'] });
    const back = { broken: ['uid-of-p7', 'uid-of-p8'] };
    expect(world.updatedWithin('log', step(world, 10, { back }))).toHaveLength(5);
  });
});
