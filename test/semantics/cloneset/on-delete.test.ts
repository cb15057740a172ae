import { describe, expect, test } from 'vitest';
import type { CloneSetStatus } from '../../../schemas/generated/types/cloneset.ts';
import { normalizeCloneSet } from '../../../semantics/cloneset/normalize.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { actions, interrupted, made, mark, midway, NEW, OLD } from './midway.ts';
import { catchUp, createModel, imageOf, template } from './model.ts';

const onDelete = { updateStrategy: { type: 'OnDelete' } };

describe('OnDelete (OpenKruise cloneset, rule 6.5 step 2; CS-11)', () => {
  test('no pod is updated or recreated, and none is drained', () => {
    const model = midway(5, 0, { spec: onDelete });
    const decision = model.decide();
    expect(decision.actions).toEqual([]);
    expect(decision.status as CloneSetStatus).toMatchObject({
      updatedReplicas: 0,
      expectedUpdatedReplicas: 5,
      replicas: 5,
    });
  });

  test('two that are deleted are recreated on the new revision', () => {
    const model = midway(5, 0, { spec: onDelete });
    model.pods = model.pods.slice(2);
    expect(made(actions(model))).toEqual([`create at ${NEW}`, `create at ${NEW}`]);
  });

  test('within a step: as many as it allows, the others as before', () => {
    const model = midway(5, 0, { spec: onDelete });
    model.pods = model.pods.slice(2);
    expect(made(actions(model, { allowed: 1 }))).toEqual([`create at ${OLD}`, `create at ${NEW}`]);
  });

  test('its own partition retains as many old ones', () => {
    const rollingUpdate = { partition: 4 };
    const model = midway(5, 0, { spec: { updateStrategy: { type: 'OnDelete', rollingUpdate } } });
    model.pods = model.pods.slice(2);
    expect(made(actions(model))).toEqual([`create at ${OLD}`, `create at ${NEW}`]);
  });

  test('a scale-in deletes the old ones first', () => {
    const model = midway(2, 3, { spec: { ...onDelete, replicas: 4 } });
    expect(actions(model)).toEqual(['delete o0']);
  });

  test('no surge is used, as no pods are updated', () => {
    const rollingUpdate = { maxSurge: 2 };
    const model = midway(5, 0, { spec: { updateStrategy: { type: 'OnDelete', rollingUpdate } } });
    expect(actions(model)).toEqual([]);
  });

  test('a marked pod is deleted, also with few replicas, and recreated on the new revision', () => {
    const model = midway(3, 0, { spec: { ...onDelete, replicas: 3 } });
    mark(model, 'o1', { 'apps.kruise.io/specified-delete': '' });
    expect(actions(model)).toEqual(['delete o1']);
    model.run({}, 1);
    expect(made(actions(model))).toEqual([`create at ${NEW}`]);
  });

  test('new pods become ready, and one that was drained before gets its traffic back', () => {
    const model = midway(2, 0, { spec: { replicas: 2 } });
    interrupted(model);
    model.target = { ...model.target, spec: { ...(model.target['spec'] as object), ...onDelete } };
    expect(actions(model)).toEqual(['set InPlaceUpdateReady=True o0', 'set InPlaceUpdateReady=True o1']);
    model.run();
    model.pods = model.pods.map((pod) => catchUp(pod, model.now));
    expect(model.pods.map(imageOf)).toEqual([OLD, OLD]);
    expect(model.pods.every((pod) => model.available(pod))).toBe(true);
  });

  test('a revert updates no pod either', () => {
    const model = midway(2, 3, { spec: onDelete });
    const [back] = [templateHash(template(OLD))];
    const envelope = { goal: back, stable: back, obeyPartition: false, back: { broken: [] } };
    expect(actions(model, envelope)).toEqual([]);
    model.pods = model.pods.slice(0, -1);
    expect(made(actions(model, envelope))).toEqual([`create at ${OLD}`]);
  });

  test('numbers next to the type, where v1alpha1 has them, are ignored', () => {
    const { target } = createModel({
      spec: {
        updateStrategy: { type: 'OnDelete', partition: 3, maxSurge: 1, paused: true, maxUnavailable: 1 },
      },
    });
    expect(normalizeCloneSet(target)).toMatchObject({
      type: 'OnDelete',
      policy: 'ReCreate',
      partition: 0,
      maxSurge: 0,
      maxUnavailable: '20%',
      paused: false,
    });
  });
});
