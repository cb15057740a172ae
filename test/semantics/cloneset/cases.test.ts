import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { type Case, cases, type Decided, podsOf } from './cases.ts';
import { actions, change, mark, midway, NEW, OLD } from './midway.ts';
import { broken, type Model } from './model.ts';

const MARKS: Record<string, JsonObject> = {
  sd: { 'apps.kruise.io/specified-delete': '' },
  pd: { 'lifecycle.apps.kruise.io/state': 'PreparingDelete' },
};

type Policy = 'InPlaceIfPossible' | 'InPlaceOnly' | 'ReCreate';

/** The first action of an update. */
const VERB: Record<Policy, string> = {
  InPlaceIfPossible: 'drain',
  InPlaceOnly: 'drain',
  ReCreate: 'mark for recreation',
};

/** The pods of the case: those with a state are the last ones of their side so far. */
function given(row: Case, type: Policy): Model {
  const { replicas, partition, maxUnavailable, maxSurge, scaleMaxUnavailable, paused = false } = row;
  const count = (side: string): number =>
    podsOf(row.pods).reduce((sum, each) => sum + (each.side === side ? each.count : 0), 0);
  const updateStrategy: JsonObject = row.onDelete
    ? { type: 'OnDelete' }
    : { type, partition, maxUnavailable, maxSurge, paused };
  const model = midway(count('o'), count('n'), {
    spec: {
      replicas,
      updateStrategy,
      ...(scaleMaxUnavailable === undefined
        ? {}
        : { scaleStrategy: { maxUnavailable: scaleMaxUnavailable } }),
      ...(row.young ? { minReadySeconds: 7_200 } : {}),
    },
  });
  const placed = { o: 0, n: 0 };
  for (const { count: some, side, is } of podsOf(row.pods))
    for (let i = 0; i < some; i++) {
      const name = `${side}${placed[side]++}`;
      if (is === '!' && !row.young) change(model, name, (pod) => broken(pod, model.now));
      else if (MARKS[is] !== undefined) mark(model, name, MARKS[is]);
    }
  if (row.rollback) {
    const annotations = { 'plan.kruise.io/partition-rollback': 'true' };
    model.target = { ...model.target, metadata: { ...model.target.metadata, annotations } };
  }
  return model;
}

function reconcileOnce(model: Model, verb: string): Decided {
  const texts = actions(model, { ownStrategy: true });
  const count = (pattern: RegExp): number => texts.filter((text) => pattern.test(text)).length;
  const look: Decided = {
    make: [count(new RegExp(`^create .* ${OLD}$`)), count(new RegExp(`^create .* ${NEW}$`))],
    delete: [count(/^delete o/), count(/^delete n/)],
    update: count(new RegExp(`^${verb} `)),
  };
  const others = texts.filter((text) => !/^(create|delete|set lifecycle Normal) /.test(text));
  expect(others).toHaveLength(look.update);
  return look;
}

const policies = ['InPlaceIfPossible', 'InPlaceOnly', 'ReCreate'] as const;

describe.each(policies)('what one reconcile does, %s', (policy) => {
  test.each(cases)('case $n (OpenKruise cloneset, rules 6.3 to 6.5): $replicas replicas, $pods', (row) => {
    expect(reconcileOnce(given(row, policy), VERB[policy])).toEqual(row.decided);
  });
});
