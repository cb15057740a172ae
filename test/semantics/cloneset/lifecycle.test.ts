import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { KRUISE_POD_READY, LIFECYCLE_LABEL, SPECIFIED_DELETE_LABEL } from '../../../semantics/pod/types.ts';
import { PREPARING_UPDATE_ANNOTATION } from '../../../semantics/cloneset/normalize.ts';
import { actions, change, made, mark, midway, NEW, OLD } from './midway.ts';
import { actionText, catchUp, createModel, type Model, template } from './model.ts';

const DRAIN = 'example.com/drain';
const READY = 'example.com/ready';
const GUARD = 'example.com/guard';
const drains = { preDelete: { labelsHandler: { [DRAIN]: 'true' } } };
const asks = { inPlaceUpdate: { labelsHandler: { [READY]: 'true' } } };
const state = (name: string): JsonObject => ({ [LIFECYCLE_LABEL]: name });
const begun = state('PreparingDelete');
const specified = { [SPECIFIED_DELETE_LABEL]: 'true' };

/** So many pods on each revision that carry the handlers of these hooks, one of which may be unavailable. */
function hooked(
  lifecycle: JsonObject,
  {
    old = 0,
    fresh = 0,
    spec = {},
    strategy = {},
  }: { old?: number; fresh?: number; spec?: JsonObject; strategy?: JsonObject },
): Model {
  const model = midway(old, fresh, {
    spec: { lifecycle, replicas: old + fresh, ...spec },
    strategy: { maxUnavailable: 1, ...strategy },
  });
  for (const { metadata } of model.pods) mark(model, metadata.name, { [DRAIN]: 'true', [READY]: 'true' });
  return model;
}

function unhook(model: Model, name: string, ...keys: string[]): void {
  change(model, name, (pod) => {
    const labels = Object.entries(pod.metadata.labels ?? {}).filter(([key]) => !keys.includes(key));
    return { ...pod, metadata: { ...pod.metadata, labels: Object.fromEntries(labels) } };
  });
}

const stateOf = (model: Model, name: string): string | undefined =>
  model.pods.find(({ metadata }) => metadata.name === name)?.metadata.labels?.[LIFECYCLE_LABEL];

const reasons = (model: Model): string[] =>
  model.decide().explanations.map(({ about, reason }) => `${about} ${reason}`);

describe('preDelete (OpenKruise cloneset, rule 6.4)', () => {
  test('a marked pod is prepared, counts as a replica, and is deleted and replaced when it is let go (CS-15)', () => {
    const model = hooked(drains, { fresh: 5 });
    mark(model, 'n1', specified);
    expect(model.run()).toEqual(['set lifecycle PreparingDelete n1']);
    expect(model.decide().status).toMatchObject({ replicas: 5, availableReplicas: 4 });
    expect(reasons(model)[0]).toMatch(
      /^n1 waits for hook preDelete, label example.com\/drain=true: kubectl label pod n1 /,
    );
    unhook(model, 'n1', DRAIN);
    expect(made(model.run({}, 2))).toEqual(['delete n1', `create at ${NEW}`]);
  });

  test('excludePreparingDelete: the replacement is created while the pod waits (CS-16)', () => {
    const model = hooked(drains, { fresh: 5, spec: { scaleStrategy: { excludePreparingDelete: true } } });
    mark(model, 'n1', specified);
    expect(made(model.run({}, 2))).toEqual(['set lifecycle PreparingDelete n1', `create at ${NEW}`]);
    expect(model.decide().status).toMatchObject({ replicas: 6 });
  });

  test('the label of v1alpha1 asks for the same (CS-16)', () => {
    const model = hooked(drains, { fresh: 5 });
    model.target = {
      ...model.target,
      metadata: {
        ...model.target.metadata,
        labels: { 'apps.kruise.io/cloneset-scaling-exclude-preparing-delete': 'true' },
      },
    };
    mark(model, 'n1', specified);
    expect(made(model.run())).toContain(`create at ${NEW}`);
  });

  test('a scale-in prepares a pod, and no other while it waits', () => {
    const model = hooked(drains, { fresh: 5, spec: { replicas: 3 }, strategy: { maxUnavailable: 1 } });
    const [first] = actions(model);
    expect(first).toMatch(/^set lifecycle PreparingDelete/);
    model.run();
    expect(
      model.pods.filter((pod) => pod.metadata.labels?.[LIFECYCLE_LABEL] === 'PreparingDelete'),
    ).toHaveLength(2);
    expect(actions(model)).toEqual([]);
  });

  test('replicas are raised again: the pod goes back (CS-17)', () => {
    const model = hooked(drains, { fresh: 5 });
    mark(model, 'n1', begun);
    expect(model.run()).toEqual(['set lifecycle Normal n1']);
  });

  test('and through PreparingNormal where a hook asks for it (CS-17)', () => {
    const model = hooked({ ...drains, preNormal: { labelsHandler: { [GUARD]: 'true' } } }, { fresh: 5 });
    mark(model, 'n1', begun);
    expect(model.run()).toEqual(['set lifecycle PreparingNormal n1']);
    mark(model, 'n1', { [GUARD]: 'true' });
    expect(model.run()).toEqual(['set lifecycle Normal n1']);
  });

  test.each(['preDelete', 'inPlaceUpdate'])(
    'with markPodNotReady in %s it does not go back (CS-17)',
    (hook) => {
      const lifecycle = { ...drains, [hook]: { labelsHandler: { [DRAIN]: 'true' }, markPodNotReady: true } };
      const model = hooked(lifecycle, { fresh: 5 });
      mark(model, 'n1', begun);
      expect(actions(model)).toEqual([]);
      expect(stateOf(model, 'n1')).toBe('PreparingDelete');
    },
  );

  test('a pod that is marked by name does not go back (CS-18)', () => {
    const model = hooked(drains, { fresh: 5, spec: { replicas: 7 } });
    mark(model, 'n1', { ...begun, ...specified });
    model.run();
    expect(stateOf(model, 'n1')).toBe('PreparingDelete');
  });

  test('the pods that wait use up the limit', () => {
    const model = hooked(drains, { fresh: 5 });
    for (const name of ['n1', 'n3']) mark(model, name, specified);
    expect(model.run()).toEqual(['set lifecycle PreparingDelete n1']);
  });

  test('a pod that somebody deletes is replaced at once (IU-33)', () => {
    const model = hooked(drains, { fresh: 5 });
    change(model, 'n1', (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T12:00:00Z' },
    }));
    expect(made(actions(model))).toEqual([`create at ${NEW}`]);
  });

  test('recreation goes through the hook, and never takes more pods than a step allows', () => {
    const model = hooked(drains, { old: 5, strategy: { type: 'ReCreate', maxUnavailable: 2 } });
    model.run({ allowed: 1 });
    expect(model.pods.map((pod) => stateOf(model, pod.metadata.name))).toEqual([
      'PreparingDelete',
      'Normal',
      'Normal',
      'Normal',
      'Normal',
    ]);
  });

  test('under a plan, a new pod that waits counts as new until it is gone', () => {
    const strategy = { maxUnavailable: 5, maxSurge: 1 };
    const model = hooked(drains, { old: 5, fresh: 1, spec: { replicas: 5 }, strategy });
    mark(model, 'n0', { ...begun, ...specified });
    expect(actions(model, { allowed: 1 })).toEqual([]);
    expect(actions(model, { allowed: 1, ownStrategy: true })).toEqual(['drain o0']);
  });

  test('while it waits the rules of plans count it as gone', () => {
    const model = hooked(drains, { fresh: 5 });
    mark(model, 'n1', { ...begun, ...specified });
    const { rollout } = model.snapshot();
    expect(rollout.pods.map(({ name }) => name)).toEqual(['n0', 'n2', 'n3', 'n4']);
    const { units } = rollout;
    expect(units.of === 'owned' && units.hookWaits().map(({ pod }) => pod)).toEqual(['n1']);
  });

  test('while the CloneSet is being deleted no pod is prepared (CS-45)', () => {
    const model = hooked(drains, { fresh: 5, spec: { replicas: 3 } });
    model.target = {
      ...model.target,
      metadata: { ...model.target.metadata, deletionTimestamp: '2026-01-01T12:00:00Z' },
    };
    expect(actions(model)).toEqual([]);
  });
});

describe('inPlaceUpdate (OpenKruise cloneset, rule 6.5)', () => {
  test('a pod is prepared, updated, Updated, and Normal (IU-28)', () => {
    const model = hooked(asks, { old: 2, strategy: { maxUnavailable: 1 } });
    expect(model.run()).toEqual(['set lifecycle PreparingUpdate o0']);
    expect(reasons(model)[0]).toMatch(/^o0 waits for hook inPlaceUpdate, label example.com\/ready=true/);
    unhook(model, 'o0', READY);
    expect(model.run()).toEqual(['drain o0', 'update in place o0']);
    expect(stateOf(model, 'o0')).toBe('Updating');
    change(model, 'o0', (pod) => catchUp(pod, model.now));
    expect(model.run()).toEqual(['set InPlaceUpdateReady=True o0', 'set lifecycle Updated o0']);
    change(model, 'o0', (pod) => catchUp(pod, model.now));
    expect(actions(model)).toEqual([]);
    mark(model, 'o0', { [READY]: 'true' });
    expect(model.run()).toEqual(['set lifecycle Normal o0', 'set lifecycle PreparingUpdate o1']);
  });

  test('an updated pod that waits is no part of the budget, and says what it waits for', () => {
    const model = hooked(asks, { old: 1, fresh: 1 });
    mark(model, 'n0', state('Updated'));
    unhook(model, 'n0', READY);
    expect(actions(model)).toEqual([]);
    const row = model.snapshot().rollout.pods.find(({ name }) => name === 'n0');
    expect(row).toMatchObject({ available: false, beingUpdated: true });
    expect(row?.hook).toMatch(/^waits for hook inPlaceUpdate, label/);
  });

  test('going back while a pod is prepared changes nothing of it but its state (IU-30)', () => {
    const model = hooked(asks, { old: 2 });
    model.run();
    model.setTemplate(template(OLD));
    expect(model.run()).toEqual(['set lifecycle Normal o0']);
  });

  test('going back when its hook has let go: Updated, until the hook is back (IU-30)', () => {
    const model = hooked(asks, { old: 2 });
    model.run();
    unhook(model, 'o0', READY);
    model.setTemplate(template(OLD));
    expect(model.run()).toEqual(['set lifecycle Updated o0']);
  });

  test.each<[string, object]>([
    ['a plan that has stopped', { moving: false }],
    ['a plan that allows no further pod', { allowed: 0 }],
  ])('%s: a prepared pod is not left out of traffic', (_, envelope) => {
    const model = hooked(asks, { old: 2 });
    model.run();
    expect(model.run(envelope)).toEqual(['set lifecycle Normal o0']);
  });

  test('prepared pods come first, whatever the order', () => {
    const model = hooked(asks, { old: 3 });
    mark(model, 'o2', state('PreparingUpdate'));
    unhook(model, 'o2', READY);
    expect(actions(model)).toEqual(['drain o2']);
  });

  test('a pod in PreparingDelete is not updated, and takes the place of no other', () => {
    const strategy = { maxUnavailable: 2, partition: 1 };
    const model = hooked({ ...asks, ...drains }, { old: 3, strategy });
    mark(model, 'o0', { ...begun, ...specified });
    expect(actions(model)).toEqual(['set lifecycle PreparingUpdate o1']);
  });
});

describe('PreparingUpdateAsUpdate (OpenKruise cloneset, rule 6.3)', () => {
  /** Six wanted, two of them old: an old pod is prepared and another one is missing. */
  function scaling(isOn: boolean): Model {
    const model = hooked(asks, { old: 3, fresh: 2, spec: { replicas: 6 }, strategy: { partition: 2 } });
    mark(model, 'o0', state('PreparingUpdate'));
    if (isOn)
      model.target = {
        ...model.target,
        metadata: { ...model.target.metadata, annotations: { [PREPARING_UPDATE_ANNOTATION]: 'true' } },
      };
    return model;
  }

  test('a prepared pod counts as old, and a missing pod is new', () => {
    const model = scaling(false);
    model.setTemplate(template(NEW));
    expect(made(actions(model))).toEqual([`create at ${NEW}`]);
  });

  test('with the annotation it counts as new while scaling: with partition 3 the missing pod is old', () => {
    const three = (isOn: boolean): string[] => {
      const model = scaling(isOn);
      const spec = model.target['spec'] as { updateStrategy: JsonObject };
      model.target = {
        ...model.target,
        spec: { ...spec, updateStrategy: { ...spec.updateStrategy, partition: 3 } },
      };
      return made(actions(model)).slice(0, 1);
    };
    expect([three(false), three(true)]).toEqual([[`create at ${NEW}`], [`create at ${OLD}`]]);
  });
});

describe('preNormal and new pods', () => {
  const guards = { preNormal: { labelsHandler: { [GUARD]: 'true' } } };

  test('a new pod waits in PreparingNormal, ready and not available, until the hook is there (CS-3)', () => {
    const model = createModel({ spec: { replicas: 1, lifecycle: guards } });
    for (let i = 0; i < 4; i++) {
      model.run({}, 1);
      model.pods = model.pods.map((pod) => catchUp(pod, model.now));
    }
    const [pod] = model.pods;
    const name = pod?.metadata.name ?? '';
    expect(stateOf(model, name)).toBe('PreparingNormal');
    expect(model.decide().status).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
    mark(model, name, { [GUARD]: 'true' });
    expect(model.run()).toEqual([`set lifecycle Normal ${name}`]);
    expect(model.decide().status).toMatchObject({ availableReplicas: 1 });
    unhook(model, name, GUARD);
    expect(actions(model)).toEqual([]);
  });

  test.each<[JsonObject, boolean]>([
    [drains, false],
    [{ preDelete: { ...drains.preDelete, markPodNotReady: true } }, true],
    [{ inPlaceUpdate: { ...asks.inPlaceUpdate, markPodNotReady: true } }, true],
    [{ preNormal: { ...guards.preNormal, markPodNotReady: true } }, false],
  ])('with %j a new pod has the gate KruisePodReady: %s', (lifecycle, has) => {
    const model = createModel({ spec: { replicas: 1, lifecycle } });
    model.run({}, 1);
    const gates = model.pods[0]?.spec.readinessGates?.map(({ conditionType }) => conditionType);
    expect(gates?.includes(KRUISE_POD_READY)).toBe(has);
  });

  test('markPodNotReady: out of traffic while it waits, and back when it stays (IU-31)', () => {
    const lifecycle = { inPlaceUpdate: { ...asks.inPlaceUpdate, markPodNotReady: true } };
    const model = createModel({ spec: { replicas: 1, lifecycle }, template: template(OLD) });
    const settle = (): string[] => {
      const done = model.run().map((text) => text.replace(/ web-\w+$/, ''));
      model.pods = model.pods.map((pod) => catchUp(pod, model.now));
      return done;
    };
    for (let i = 0; i < 3; i++) settle();
    const name = model.pods[0]?.metadata.name ?? '';
    mark(model, name, { [READY]: 'true' });
    model.setTemplate(template(NEW));
    expect(settle()).toEqual(['set KruisePodReady=False', 'set lifecycle PreparingUpdate']);
    unhook(model, name, READY);
    expect(settle()).toEqual(['drain', 'update in place']);
    expect(settle()).toEqual([
      'set InPlaceUpdateReady=True and KruisePodReady=True',
      'set lifecycle Updated',
    ]);
  });
});

test('the claims of a pod are marked only when its hook lets it go', () => {
  const model = hooked(drains, { fresh: 5, spec: { replicas: 4 } });
  expect(model.decide().actions.map(actionText)).toEqual(['set lifecycle PreparingDelete n0']);
});
