import { describe, expect, test } from 'vitest';
import { cloneSetKind } from '../../../semantics/cloneset/kind.ts';
import { statefulSetKind } from '../../../semantics/statefulset/kind.ts';
import { actions, midway } from '../cloneset/midway.ts';
import { actions as actionsOf, targetOf } from '../statefulset/model.ts';

/** The names of the pods that are drained. */
const drained = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => /^drain (\S+)/.exec(text)?.[1] ?? []);

describe('a pod that another target is about to write counts as unavailable', () => {
  test('of a CloneSet', () => {
    const model = midway(4, 0, { spec: { replicas: 4 }, strategy: { maxUnavailable: 2 } });
    expect(drained(actions(model))).toHaveLength(2);
    const [first] = drained(actions(model));
    const other = model.pods.find(({ metadata }) => metadata.name !== first);
    model.reserved = new Set([other?.metadata.uid ?? '']);
    const now = drained(actions(model));
    // The reserved pod uses up nothing more, and no more than one other is drained.
    expect(now.filter((name) => name !== other?.metadata.name)).toHaveLength(1);
  });

  test('of a StatefulSet', () => {
    const given = { replicas: 4, max: 2, rolling: { podUpdatePolicy: 'InPlaceIfPossible' }, pods: '0 1 2 3' };
    expect(drained(actionsOf(given))).toEqual(['3', '2']);
    expect(drained(actionsOf({ ...given, reserved: [0] }))).toEqual(['3']);
    expect(drained(actionsOf({ ...given, reserved: [0, 1] }))).toEqual([]);
  });

  test('its status is still that of the pod', () => {
    const model = midway(4, 0, { spec: { replicas: 4 } });
    const available = (): unknown =>
      (model.decide().status as { availableReplicas: number }).availableReplicas;
    model.reserved = new Set(model.pods.map(({ metadata }) => metadata.uid ?? ''));
    expect(available()).toBe(4);
  });
});

describe('the budget that a workload has for others', () => {
  const { target } = midway(4, 0, {
    spec: { replicas: 4, minReadySeconds: 5 },
    strategy: { maxUnavailable: '50%' },
  });

  test.each([
    [undefined, 2],
    [{ maxUnavailable: 1 }, 1],
    [{ maxUnavailable: 3 }, 2],
  ])('of a CloneSet, in the window %j', (window, maxUnavailable) => {
    expect(cloneSetKind.budget?.(target, window)).toEqual({
      replicas: 4,
      minReadySeconds: 5,
      maxUnavailable,
    });
  });

  test.each([
    ['Parallel', undefined, 2],
    ['Parallel', { maxUnavailable: 0 }, 1],
    ['OrderedReady', undefined, 1],
  ] as const)('of a StatefulSet %s, in the window %j', (policy, window, maxUnavailable) => {
    const found = targetOf({ policy, replicas: 4, max: 2, pods: '' });
    expect(statefulSetKind.budget?.(found, window)).toMatchObject({ replicas: 4, maxUnavailable });
  });
});
