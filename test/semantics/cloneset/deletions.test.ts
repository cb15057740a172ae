import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { diffCloneSet, type SideCounts } from '../../../semantics/cloneset/diff.ts';
import { actions, made, mark, midway } from './midway.ts';
import { type Model } from './model.ts';

const KEY = 'apps.kruise.io/specified-delete';
/** The limits of a plan that runs, where the manifest allows 3 of each. */
const window = { maxUnavailable: 1, maxSurge: 0 };
const wide = { maxUnavailable: 3, maxSurge: 3 };

function withSpec(model: Model, spec: JsonObject): Model {
  model.target = { ...model.target, spec: { ...(model.target['spec'] as object), ...spec } };
  return model;
}

/** Ten pods, of which some are marked as people, OpenKruise or this runtime mark them. */
function tenWith(marks: Record<string, string>, strategy: JsonObject = {}): Model {
  const model = midway(10, 0, { spec: { replicas: 10 }, strategy: { ...wide, maxSurge: 0, ...strategy } });
  for (const [name, value] of Object.entries(marks)) mark(model, name, { [KEY]: value });
  return model;
}

describe('deletions under a plan that allows less than the manifest', () => {
  test.each([
    ['a scale-in', () => withSpec(tenWith({}), { replicas: 6 }), { moving: false }],
    ['pods that people mark', () => tenWith({ o0: 'true', o1: 'true', o2: 'true' }), {}],
    [
      'pods named in podsToDelete',
      () => withSpec(tenWith({}), { scaleStrategy: { podsToDelete: ['o0', 'o1', 'o2'] } }),
      {},
    ],
    [
      'pods named in podsToDelete that were to be recreated',
      () =>
        withSpec(tenWith({ o0: 'recreate', o1: 'recreate', o2: 'recreate' }), {
          scaleStrategy: { podsToDelete: ['o0', 'o1', 'o2'] },
        }),
      {},
    ],
  ])('%s: the limits of the manifest hold alone', (_, modelOf, envelope) => {
    const own = actions(modelOf(), envelope);
    expect(own.length).toBeGreaterThan(2);
    expect(actions(modelOf(), { ...envelope, window })).toEqual(own);
  });

  test.each([
    ['recreate', 'recreate'],
    ['the uid of the pod, where a template has the value', 'uid'],
  ])('pods that the update recreates, marked %s: the lower limits hold', (_, value) => {
    const model = tenWith({});
    for (const name of ['o0', 'o1', 'o2']) {
      const uid = model.pods.find((pod) => pod.metadata.name === name)?.metadata.uid ?? '';
      mark(model, name, { [KEY]: value === 'uid' ? uid : value });
    }
    expect(actions(model)).toEqual(['delete o0', 'delete o1', 'delete o2']);
    expect(actions(model, { window })).toEqual(['delete o0']);
  });

  test('of both, each has its limit, and what people delete leaves less to the update', () => {
    const marks = { o0: 'recreate', o1: 'true', o2: 'recreate', o3: 'true', o4: 'true' };
    expect(actions(tenWith(marks), { window })).toEqual(['delete o0', 'delete o1', 'delete o3']);
    expect(actions(tenWith({ ...marks, o0: 'true' }), { window })).toEqual([
      'delete o0',
      'delete o1',
      'delete o3',
    ]);
  });

  test('what is deleted beyond the limit of the plan keeps the update waiting', () => {
    const model = tenWith({ o0: 'true', o1: 'true' }, { type: 'ReCreate' });
    expect(actions(model, { window })).toEqual(['delete o0', 'delete o1']);
    model.run({ window });
    expect(actions(model, { window })).toEqual([]);
  });

  test('pods that people mark are replaced by the surge of the manifest, and recreated ones by that of the plan', () => {
    const strategy = { maxUnavailable: 0, maxSurge: 3 };
    const none = { window: { maxUnavailable: 0, maxSurge: 1 } };
    const create = (count: number) => Array<string>(count).fill('create at web:2');
    const marked = tenWith({ o0: 'true', o1: 'true' }, strategy);
    expect(made(actions(marked, { ...none, moving: false }))).toEqual(create(2));
    const recreated = tenWith({ o0: 'recreate', o1: 'recreate' }, strategy);
    expect(made(actions(recreated, none))).toEqual(create(1));
  });
});

describe('the arithmetic of limits of a plan', () => {
  const none: SideCounts = { preparingDelete: 0, toDelete: 0, unavailable: 0, available: 0 };
  const numbers = [0, 1, 2, 3];
  const inputs = numbers.flatMap((maxUnavailable) =>
    numbers.flatMap((maxSurge) =>
      numbers.flatMap((toDelete) =>
        numbers.flatMap((unavailable) =>
          [0, 2, 5].map((fresh) => ({
            replicas: 6,
            partition: 0,
            maxUnavailable,
            maxSurge,
            scaleMaxUnavailable: undefined,
            paused: false,
            moving: true,
            old: { ...none, toDelete, available: 6 - toDelete },
            new: { ...none, unavailable, available: fresh },
          })),
        ),
      ),
    ),
  );

  test('where plan and manifest allow the same, who has marked a pod changes nothing', () => {
    for (const input of inputs)
      for (let recreated = 0; recreated <= input.old.toDelete; recreated++)
        expect(diffCloneSet({ ...input, recreated }), JSON.stringify(input)).toEqual(diffCloneSet(input));
  });

  test('where nothing is recreated, the plan limits no deletion', () => {
    for (const input of inputs) {
      const still = { ...input, moving: false };
      const { maxUnavailable, maxSurge } = still;
      const planned = { ...still, maxUnavailable: 0, maxSurge: 0, own: { maxUnavailable, maxSurge } };
      const { recreateReadyLimit: _, ...own } = diffCloneSet(still);
      expect(diffCloneSet(planned), JSON.stringify(input)).toMatchObject(own);
    }
  });
});
