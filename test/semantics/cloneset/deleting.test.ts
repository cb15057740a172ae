import { describe, expect, test } from 'vitest';
import { actions, change, made, mark, midway, NEW, OLD } from './midway.ts';
import { actionText, broken, createModel, template } from './model.ts';

describe('deleting (OpenKruise cloneset, rule 6.4)', () => {
  test('a marked pod is deleted within the limit, and replaced (CS-12)', () => {
    const model = midway(0, 5, { strategy: { maxUnavailable: 1 } });
    mark(model, 'n1', { 'apps.kruise.io/specified-delete': '' });
    mark(model, 'n3', { 'apps.kruise.io/specified-delete': 'true' });
    const decision = model.decide();
    expect(decision.actions.map(actionText)).toEqual(['delete n1']);
    expect(decision.explanations).toMatchObject([{ about: 'n3' }]);
    model.run({}, 1);
    expect(made(actions(model)).filter((text) => text.startsWith('create'))).toEqual([`create at ${NEW}`]);
  });

  test('podsToDelete with one replica less deletes that pod, and no other (CS-13)', () => {
    const model = midway(0, 5, { spec: { replicas: 4, scaleStrategy: { podsToDelete: ['n2', 'gone'] } } });
    expect(actions(model)).toEqual(['delete n2']);
  });

  test('podsToDelete with a name that is no pod of its own deletes nothing, whatever the replicas (CS-14)', () => {
    const spec = { scaleStrategy: { podsToDelete: ['somebody-elses'] } };
    expect(actions(midway(0, 5, { spec: { ...spec, replicas: 5 } }))).toEqual([]);
    expect(actions(midway(0, 5, { spec: { ...spec, replicas: 4 } }))).toHaveLength(1);
  });

  test('names in podsToDelete that no pod has do nothing, and are reported (CS-14)', () => {
    const model = midway(0, 5, { spec: { scaleStrategy: { podsToDelete: ['gone', 'n4', 'api-1'] } } });
    const { actions: decided, explanations } = model.decide();
    expect(decided.map(actionText)).toEqual(['delete n4']);
    expect(explanations.map(({ reason }) => reason)).toEqual([
      'has no pod gone to delete; take it out of podsToDelete',
      'has no pod api-1 to delete; take it out of podsToDelete',
    ]);
  });

  test('a name that stays in podsToDelete deletes no other pod, and prevents no scale-out (CS-13)', () => {
    const model = midway(0, 5, {
      spec: { scaleStrategy: { podsToDelete: ['n2'] } },
      strategy: { maxUnavailable: 1 },
    });
    model.run({}, 1);
    expect(model.pods.map((pod) => pod.metadata.name)).toEqual(['n0', 'n1', 'n3', 'n4']);
    expect(made(actions(model))).toEqual([`create at ${NEW}`]);
    model.run({}, 5);
    expect(model.pods).toHaveLength(5);
    expect(actions(model)).toEqual([]);
  });

  test('a marked pod that OpenKruise has started to delete is deleted, whatever the replicas (CS-18)', () => {
    const begun = { 'lifecycle.apps.kruise.io/state': 'PreparingDelete' };
    const model = midway(0, 5, { spec: { replicas: 9 }, strategy: { maxUnavailable: 1 } });
    mark(model, 'n1', { ...begun, 'apps.kruise.io/specified-delete': 'true' });
    mark(model, 'n2', begun);
    model.target = { ...model.target, spec: { ...(model.target['spec'] as object), replicas: 4 } };
    expect(actions(model)).toEqual(['delete n1', 'set lifecycle Normal n2']);
  });

  test('while pods are marked nothing else is scaled in', () => {
    const model = midway(0, 6, { spec: { replicas: 4 }, strategy: { maxUnavailable: 4 } });
    mark(model, 'n5', { 'apps.kruise.io/specified-delete': 'false' });
    expect(actions(model)).toEqual(['delete n5']);
  });

  test('while pods are missing none is deleted, even if none may be created (case 3)', () => {
    const model = midway(0, 4, {
      spec: { replicas: 6, scaleStrategy: { maxUnavailable: 0 } },
      strategy: { maxUnavailable: 4 },
    });
    mark(model, 'n1', { 'apps.kruise.io/specified-delete': '' });
    expect(actions(model)).toEqual([]);
  });

  test('a marked pod that broke since uses up the limit', () => {
    const model = midway(0, 4, { spec: { replicas: 4 }, strategy: { maxUnavailable: 2 } });
    for (const name of ['n0', 'n1']) mark(model, name, { 'apps.kruise.io/specified-delete': '' });
    change(model, 'n0', (pod) => broken(pod, model.now));
    change(model, 'n2', (pod) => broken(pod, model.now));
    expect(actions(model)).toEqual(['delete n0']);
  });

  test.each([
    [8, 0, 5, ['o0', 'o1', 'o2']],
    [4, 4, 5, ['o0', 'o1', 'o2', 'n0']],
  ])('%i old and %i new pods for %i: old ones are deleted first', (old, fresh, replicas, gone) => {
    const model = midway(old, fresh, {
      spec: { replicas },
      strategy: { maxUnavailable: 5, partition: old === 4 ? 1 : 0 },
    });
    expect(actions(model).slice(0, gone.length)).toEqual(
      gone.slice(0, old + fresh - replicas).map((name) => `delete ${name}`),
    );
  });

  test.each([
    ['pending', []],
    ['known', ['delete o0', 'delete o1']],
    ['unreadable', ['delete o0', 'delete o1']],
  ] as const)('with pods that are spread over zones, and nodes that are %s (CS-21)', (state, expected) => {
    const over = { topologySpreadConstraints: [{ topologyKey: 'zone', maxSkew: 1 }] };
    const model = midway(4, 0, { spec: { replicas: 2 } });
    const live = template(OLD);
    model.setTemplate({ ...live, spec: { ...(live['spec'] as object), ...over } });
    model.nodes = { state, pendingSince: undefined, of: () => ({ zone: 'a' }) };
    expect(actions(model, { moving: false })).toEqual(expected);
  });

  test.each([
    ['unreadable', 'zone', 'has 4, wants 2; by node alone, not by zone: nodes may not be listed'],
    ['unreadable', 'kubernetes.io/hostname', 'has 4, wants 2'],
    ['known', 'zone', 'has 4, wants 2'],
  ] as const)(
    'nodes that are %s, and pods spread over %s: the reason has %s',
    (state, topologyKey, because) => {
      const over = { topologySpreadConstraints: [{ topologyKey, maxSkew: 1 }] };
      const model = midway(4, 0, { spec: { replicas: 2 } });
      const live = template(OLD);
      model.setTemplate({ ...live, spec: { ...(live['spec'] as object), ...over } });
      model.nodes = { state, pendingSince: undefined, of: () => ({ [topologyKey]: 'a' }) };
      const said = model.decide({ moving: false }).actions.map((action) => action.reason);
      expect(said).toEqual([because, because]);
    },
  );

  test('to nothing (case 38)', () => {
    expect(actions(midway(0, 3, { spec: { replicas: 0 }, strategy: { maxUnavailable: 0 } }))).toHaveLength(3);
  });

  test('every delete is bound to the observed uid and version', () => {
    const [action] = midway(0, 2, { spec: { replicas: 1 } }).decide().actions;
    expect(action).toMatchObject({ do: 'delete', uid: 'uid-n0', resourceVersion: '7' });
  });
});

describe('the upkeep of a pod (rule 6.5 step 1; CS-2)', () => {
  test('the gate of a new pod stays closed until it has a node, and is opened by its uid alone', () => {
    const model = createModel({ spec: { replicas: 1 } });
    model.run({}, 3);
    expect(actions(model)).toEqual([]);
    model.pods = model.pods.map((pod) => ({ ...pod, spec: { ...pod.spec, nodeName: 'node-1' } }));
    const [open, ...others] = model.decide().actions;
    expect(others).toEqual([]);
    expect(open).toMatchObject({ verb: 'set InPlaceUpdateReady=True', subresource: 'status' });
    expect(open?.do === 'patch' && open.body['metadata']).toEqual({ uid: model.pods[0]?.metadata.uid });
    expect(open?.do === 'patch' && open.next).toBeUndefined();
    expect(model.run({}, 5)).toHaveLength(1);
  });

  test('PreparingNormal, as OpenKruise creates pods: until it has a node, then Normal after the gate', () => {
    const model = createModel({ spec: { replicas: 1 } });
    model.run({}, 3);
    model.pods = model.pods.map((pod) => {
      const labels = { ...pod.metadata.labels, 'lifecycle.apps.kruise.io/state': 'PreparingNormal' };
      return { ...pod, metadata: { ...pod.metadata, labels } };
    });
    expect(actions(model)).toEqual([]);
    model.pods = model.pods.map((pod) => ({ ...pod, spec: { ...pod.spec, nodeName: 'node-1' } }));
    const done = model.run({}, 5);
    expect(done.map((text) => text.replace(/ web-.*/, '')).sort()).toEqual([
      'set InPlaceUpdateReady=True',
      'set lifecycle Normal',
    ]);
  });

  test('a missing short hash is added', () => {
    const model = midway(0, 1, { spec: { replicas: 1 } });
    change(model, 'n0', (pod) => {
      const { 'pod-template-hash': _gone, ...labels } = pod.metadata.labels ?? {};
      return { ...pod, metadata: { ...pod.metadata, labels } };
    });
    expect(actions(model)).toEqual(['label n0']);
    model.run({}, 1);
    expect(actions(model)).toEqual([]);
  });
});
