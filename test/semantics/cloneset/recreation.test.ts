import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { actions, mark, midway, OLD } from './midway.ts';
import { type Model, template } from './model.ts';

const KEY = 'apps.kruise.io/specified-delete';
const STATE = 'lifecycle.apps.kruise.io/state';
const DRAIN = 'example.com/drain';
const old = templateHash(template(OLD));
const back = { goal: old, stable: old, obeyPartition: false, back: { broken: [] } };

/** Five pods on the old revision that are recreated, two at a time, and wait at a hook. */
function waiting(lifecycle: JsonObject = {}, strategy: JsonObject = {}): Model {
  const model = midway(5, 0, {
    spec: { lifecycle: { preDelete: { labelsHandler: { [DRAIN]: 'true' }, ...lifecycle } } },
    strategy: { type: 'ReCreate', maxUnavailable: 2, ...strategy },
  });
  for (let n = 0; n < 5; n++) mark(model, `o${n}`, { [DRAIN]: 'true', [STATE]: 'Normal' });
  model.run();
  expect(preparing(model)).toEqual(['o0', 'o1']);
  return model;
}

function preparing(model: Model): string[] {
  return model.pods
    .filter(({ metadata }) => metadata.labels?.[STATE] === 'PreparingDelete')
    .map(({ metadata }) => metadata.name);
}

function withSpec(model: Model, spec: JsonObject): void {
  model.target = { ...model.target, spec: { ...(model.target['spec'] as object), ...spec } };
}

const marks = (model: Model) => model.pods.map(({ metadata }) => metadata.labels?.[KEY]);

describe('a pod that is marked to be recreated, and not deleted yet', () => {
  test.each<[string, Parameters<typeof waiting>[0], Parameters<Model['run']>[0]]>([
    ['the rollout goes back', {}, back],
    ['it goes back, and the hook keeps pods out of traffic', { markPodNotReady: true }, back],
    ['the rollout has stopped', {}, { moving: false }],
  ])('returns where %s', (_, lifecycle, envelope) => {
    const model = waiting(lifecycle);
    const names = model.pods.map(({ metadata }) => metadata.name);
    model.run(envelope);
    expect(preparing(model)).toEqual([]);
    expect(marks(model)).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(model.pods.map(({ metadata }) => metadata.name)).toEqual(names);
    expect(actions(model, envelope)).toEqual([]);
  });

  test('returns with one write, before anything else happens to it', () => {
    expect(actions(waiting(), back)).toEqual(['withdraw recreation o0', 'withdraw recreation o1']);
  });

  test('is recreated after all where the rollout goes on', () => {
    const model = waiting();
    expect(actions(model)).toEqual([]);
    for (const name of ['o0', 'o1']) mark(model, name, { [DRAIN]: 'false' });
    expect(actions(model)).toEqual(['delete o0', 'delete o1']);
  });

  test('is deleted where a person or OpenKruise has marked it', () => {
    const model = midway(5, 0, { strategy: { maxUnavailable: 1 } });
    mark(model, 'o0', { [KEY]: 'true' });
    expect(actions(model, back)).toEqual(['delete o0']);
    expect(actions(model, { moving: false })).toEqual(['delete o0']);
  });

  test('is deleted where it is named in podsToDelete, and its hook is not begun again', () => {
    const model = waiting();
    withSpec(model, { scaleStrategy: { podsToDelete: ['o0'] } });
    expect(actions(model, back)).toEqual(['withdraw recreation o1']);
    model.run(back);
    expect(preparing(model)).toEqual(['o0']);
  });

  test('is deleted where there are more pods than wanted, as many as there are too many', () => {
    const model = waiting();
    withSpec(model, { replicas: 4 });
    for (const envelope of [{ moving: false }, back]) {
      model.run(envelope);
      expect(model.pods).toHaveLength(5);
      expect(preparing(model)).toEqual(['o0']);
      expect(actions(model, envelope)).toEqual([]);
    }
    mark(model, 'o0', { [DRAIN]: 'false' });
    expect(actions(model, back)).toEqual(['delete o0']);
  });

  test('returns where another pod is deleted already', () => {
    const model = waiting();
    mark(model, 'o4', { [KEY]: 'true' });
    withSpec(model, { replicas: 4 });
    model.run(back);
    expect(preparing(model)).toEqual(['o4']);
  });

  describe('beside a pod of a surge', () => {
    const surging = (): Model => {
      const model = waiting({}, { maxSurge: 1 });
      expect(model.pods).toHaveLength(6);
      return model;
    };

    test('returns where the rollout goes back, and that pod is deleted instead', () => {
      const model = surging();
      const [created] = model.pods.filter(({ metadata }) => !metadata.name.startsWith('o'));
      expect(actions(model, back)).toEqual([
        `delete ${created?.metadata.name}`,
        'withdraw recreation o0',
        'withdraw recreation o1',
      ]);
      model.run(back);
      expect(marks(model)).toEqual([undefined, undefined, undefined, undefined, undefined]);
      expect(actions(model, back)).toEqual([]);
    });

    test('is the one that is deleted where the rollout stops; the others return', () => {
      const model = surging();
      model.run({ moving: false });
      expect(preparing(model)).toEqual(['o0']);
      expect(marks(model)).toEqual(['recreate', undefined, undefined, undefined, undefined, undefined]);
      expect(actions(model, { moving: false })).toEqual([]);
    });
  });
});
