import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { childKindOf } from '../../../semantics/uniteddeployment/child-kinds.ts';
import { judgeSubset } from '../../../semantics/uniteddeployment/schedulable.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const at = (seconds: number): string => timestamp(NOW + seconds * 1000);
const child = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'CloneSet',
  metadata: { name: 'web-b', uid: 'b' },
} as KubeObject;

/** A pod without a node that was created so many seconds ago. */
function waiting(age: number): Pod {
  return {
    metadata: {
      name: `web-b-${age}`,
      creationTimestamp: at(-age),
      ownerReferences: [
        { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web-b', uid: 'b', controller: true },
      ],
    },
    spec: { containers: [] },
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
    },
  } as unknown as Pod;
}

const full = (since: number) => ({
  ...{ type: 'Schedulable', status: 'False', reason: 'reschedule', message: 'a pod had no node after 30s' },
  lastTransitionTime: at(since),
});
const open = (since: number) => ({
  ...{ type: 'Schedulable', status: 'True', reason: 'recover', message: '' },
  lastTransitionTime: at(since),
});

function judge(before: object | undefined, ages: readonly number[]) {
  const conditions = before === undefined ? [] : [before];
  const target = { status: { subsetStatuses: [{ name: 'b', conditions }] } } as unknown as KubeObject;
  const strategy = { criticalSeconds: 30, fullSeconds: 300, reserves: false };
  const { condition, isFull, stuck, again } = judgeSubset('b', strategy, {
    ...{ target, records: new Map(), minReadySeconds: 0, now: NOW },
    kind: childKindOf('cloneSetTemplate'),
    objectIn: () => child,
    pods: ages.map(waiting),
  });
  return { condition, isFull, stuck, again: again === undefined ? undefined : (again - NOW) / 1000 };
}

/** OpenKruise uniteddeployment, rule 6.3. */
describe('whether pods of a subset get nodes', () => {
  test.each<[string, object | undefined, readonly number[], ReturnType<typeof judge>]>([
    ['they always have', undefined, [], { condition: undefined, isFull: false, stuck: 0, again: undefined }],
    ['one waits for 29 s', undefined, [29], { condition: undefined, isFull: false, stuck: 0, again: 1 }],
    [
      'one has waited for 30 s: nothing follows before that is on record',
      undefined,
      [30, 10],
      { condition: full(0), isFull: false, stuck: 1, again: 20 },
    ],
    ['it is on record', full(-1), [31], { condition: full(-1), isFull: true, stuck: 1, again: 299 }],
    ['none waits, within 300 s', full(-299), [], { condition: full(-299), isFull: true, stuck: 0, again: 1 }],
    [
      'none waits, after 300 s',
      full(-300),
      [],
      { condition: open(0), isFull: false, stuck: 0, again: undefined },
    ],
    [
      'one still waits after 300 s',
      full(-300),
      [400],
      { condition: full(0), isFull: true, stuck: 1, again: 300 },
    ],
    ['it had room again', open(-99), [], { condition: open(-99), isFull: false, stuck: 0, again: undefined }],
    ['it is full once more', open(-99), [40], { condition: full(0), isFull: false, stuck: 1, again: 300 }],
  ])('%s', (_what, before, ages, expected) => {
    expect(judge(before, ages)).toEqual(expected);
  });
});
