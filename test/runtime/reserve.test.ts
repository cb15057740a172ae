import { expect, test } from 'vitest';
import { execute } from '../../runtime/act/executor.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { Action, ReserveAction } from '../../semantics/decision.ts';

const AT = { namespace: 'shop', name: 'web' };
const budget: KubeObject = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: AT,
  spec: { maxUnavailable: 2, selector: {} },
};
const TAKEN = { currentHealthy: 2, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 2 };
const base = { kind: 'Pod', verb: '', reason: 'a test' } as const;

function pod(name: string): KubeObject {
  const spec = { containers: [{ name: 'main', image: 'web:1' }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'shop' }, spec };
}

/** A world with pods `a` and `b`, and an object whose status is reserved in. */
async function stage(error?: ApiError) {
  const world = createWorld({ clock: createVirtualClock(0), namespaces: ['shop'] });
  const user = world.cluster('user');
  const object = await user.create(resources.PodDisruptionBudget, budget);
  const pods: KubeObject[] = [];
  for (const name of ['a', 'b']) pods.push(await user.create(resources.Pod, pod(name)));
  const sent: string[] = [];
  const cluster: Cluster = {
    ...user,
    async patch(resource, at, patch, options) {
      sent.push(`${resource.kind} ${at.name}`);
      if (resource === resources.PodDisruptionBudget && error !== undefined) throw error;
      return user.patch(resource, at, patch, options);
    },
  };
  const skipped: string[] = [];
  const run = async (actions: readonly Action[]) => {
    let result: unknown;
    const done = execute(actions, {
      cluster,
      namespace: 'shop',
      fieldManager: 'kruise',
      onWritten: () => undefined,
      observed: { versions: new Map() },
      onNameTaken: () => undefined,
      onSkipped: (action) => skipped.push(action.do),
      onRefused: async () => undefined,
    });
    try {
      result = await done;
    } catch (thrown) {
      result = { thrown };
    }
    const { items } = await user.list(resources.Pod, { namespace: 'shop' });
    const left = items.map(({ metadata: { name, labels } }) =>
      labels === undefined ? name : `${name} labeled`,
    );
    return { result, left, skipped, sent };
  };
  const [a, b] = pods.map(({ metadata }) => metadata);
  const reserve = (resourceVersion = object.metadata.resourceVersion ?? ''): ReserveAction => ({
    do: 'reserve',
    kind: 'Influence',
    verb: 'reserve',
    subresource: 'status',
    reason: 'a test',
    resource: resources.PodDisruptionBudget,
    name: 'web',
    body: { metadata: { uid: object.metadata.uid ?? '', resourceVersion }, status: TAKEN },
  });
  const after = (reservation: ReserveAction): Action[] => {
    const requires = [reservation];
    const { uid = '', resourceVersion = '' } = b ?? { name: '' };
    return [
      reservation,
      { ...base, do: 'create', object: pod('c'), requires },
      {
        ...base,
        do: 'patch',
        name: 'a',
        body: { metadata: { uid: a?.uid ?? '', labels: { x: 'y' } } },
        requires,
      },
      { ...base, do: 'delete', name: 'b', uid, resourceVersion, requires },
    ];
  };
  const labelB: Action = { ...base, do: 'patch', name: 'b', body: { metadata: { labels: { x: 'y' } } } };
  return { user, object, reserve, after, labelB, run };
}

test('what requires a reservation follows it, which is sent once', async () => {
  const { reserve, after, run, user } = await stage();
  const { left, skipped, sent } = await run(after(reserve()));
  expect([left, skipped]).toEqual([['a labeled', 'c'], []]);
  expect(sent).toEqual(['PodDisruptionBudget web', 'Pod a']);
  expect((await user.get(resources.PodDisruptionBudget, AT))['status']).toMatchObject(TAKEN);
});

test('after a conflict nothing follows that requires it, and all else does', async () => {
  const { reserve, after, labelB, run } = await stage();
  const { result, left, skipped } = await run([...after(reserve('1')), labelB]);
  expect(result).toEqual({ events: [], conflicts: 1 });
  expect([left, skipped]).toEqual([
    ['a', 'b labeled'],
    ['create', 'patch', 'delete'],
  ]);
});

test('an object that is gone is a conflict', async () => {
  const { reserve, after, run, user } = await stage();
  await user.delete(resources.PodDisruptionBudget, AT);
  const { result, left } = await run(after(reserve()));
  expect([result, left]).toEqual([{ events: [], conflicts: 1 }, ['a', 'b']]);
});

test.each([403, 422])('a refusal (%i) keeps no pod from being created', async (code) => {
  const error = new ApiError({ code, reason: 'Forbidden', message: 'no' });
  const { reserve, after, labelB, run } = await stage(error);
  const { result, left, skipped } = await run([...after(reserve()), labelB]);
  expect(result).toEqual({ thrown: error });
  expect([left, skipped]).toEqual([
    ['a', 'b labeled', 'c'],
    ['patch', 'delete'],
  ]);
});
