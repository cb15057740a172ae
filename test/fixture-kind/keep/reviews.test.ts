import { describe, expect, test } from 'vitest';
import { creationPath, disruptionPath } from '../../../runtime/admit/configuration.ts';
import { ApiError, type Cluster } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import type { Kind } from '../../../semantics/kinds/kind.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { permissionsOf, without } from '../../deploy/roles.ts';
import { keepAdmission, keepReview } from './admission.ts';
import { keepKind } from './kind.ts';
import { creationBy, ofDeployment, PATIENCE_MS, roles, RUNTIME, setup } from './reviews-world.ts';
import { keep, pod, SHOP } from './world.ts';

/** The request of a review of a deletion. */
const deletionOf = (each: KubeObject): JsonObject => ({
  uid: 'u',
  operation: 'DELETE',
  resource: { group: '', resource: 'pods' },
  namespace: SHOP,
  oldObject: each as unknown as JsonObject,
});

const two = [keep('doors', { allowed: 2 }), pod('a', 'doors'), pod('b', 'doors')];

describe('the role that is made for a kind that reviews and records', () => {
  test('is enough, and has no right too many', async () => {
    let isContended = false;
    const { ask, asked, refused, statusOf, admin, served, clock } = await setup(two, {
      of: (cluster) => ({
        ...cluster,
        async patch(...given) {
          const body = { status: { other: 1 } };
          if (isContended)
            await admin.patch(
              keepKind.resource,
              given[1],
              { type: 'merge', body },
              { subresource: 'status' },
            );
          isContended = false;
          return cluster.patch(...given);
        },
      }),
    });
    expect(await ask('EVICT', 'a')).toMatchObject({ allowed: true });
    // Somebody else writes at the same time.
    isContended = true;
    expect(await ask('DELETE', 'b')).toMatchObject({ allowed: true });
    expect(await statusOf('doors')).toMatchObject({
      taken: { a: expect.any(String) as string, b: expect.any(String) as string },
    });
    void served.get(creationPath(keepKind))?.({ request: creationBy('mona', await ofDeployment(admin)) });
    await clock.advance(1_000);
    expect([...refused]).toEqual([]);
    const given = permissionsOf(roles).map(({ verb, resource }) => `${verb} ${resource}`);
    expect(given.filter((each) => !asked.has(each))).toEqual([]);
    expect(given.filter((each) => / (keeps|pods|replicasets)/.test(each)).sort()).toEqual([
      'get keeps',
      'get pods',
      'get replicasets',
      'list keeps',
      'patch keeps/status',
      'watch keeps',
    ]);
  });

  test('is missed where it lacks the status: the pod stays, as the policy of the kind is Fail', async () => {
    const right = permissionsOf(roles).find(({ resource }) => resource === 'keeps/status');
    if (right === undefined) throw new Error('the status may not be written');
    const { ask, refused, statusOf } = await setup(two, { granted: without(roles, right) });
    expect(await ask('DELETE', 'a')).toMatchObject({
      allowed: false,
      code: 403,
      message: 'Keep doors: its status cannot be written, so that nothing was recorded; try again',
    });
    expect([...refused]).toEqual(['patch keeps/status']);
    expect(await statusOf('doors')).toBeUndefined();
  });
});

describe('a write that meets a conflict', () => {
  /** Each write of a status meets one, and nothing is written. */
  function contended(patches: { count: number }): (cluster: Cluster) => Cluster {
    return (cluster) => ({
      ...cluster,
      async patch() {
        patches.count += 1;
        throw new ApiError({ code: 409, reason: 'Conflict', message: 'the object has been modified' });
      },
    });
  }

  test('again and again ends in a refusal that says so, before the API server gives up', async () => {
    const patches = { count: 0 };
    const { ask, statusOf } = await setup(two, { of: contended(patches) });
    const { took, ...answer } = await ask('EVICT', 'a');
    expect(answer).toEqual({
      allowed: false,
      code: 429,
      message:
        'Keep doors: others write its status at the same time, so that nothing was recorded; try again',
    });
    expect(took).toBeLessThan(PATIENCE_MS);
    expect(patches.count).toBeGreaterThan(2);
    expect(patches.count).toBeLessThan(10);
    expect(await statusOf('doors')).toBeUndefined();
  });

  test('is decided again by what the object is then', async () => {
    let first = true;
    const { ask, statusOf } = await setup(two, {
      of: (cluster) => ({
        ...cluster,
        async patch(resource, at, patch, options) {
          if (first) {
            first = false;
            // Another process has been faster, twice.
            const status = { taken: { x: 't', y: 't' } };
            await cluster.patch(resource, at, { type: 'merge', body: { status } }, options);
          }
          return cluster.patch(resource, at, patch, options);
        },
      }),
    });
    expect(await ask('DELETE', 'a')).toMatchObject({
      allowed: false,
      code: 403,
      message: 'Keep doors: 2 of 2 pods have gone: x, y',
    });
    expect(await statusOf('doors')).toEqual({ taken: { x: 't', y: 't' } });
  });

  test('is not met by requests of the same process, however many come at once', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `web-${index}`);
    let patches = 0;
    const objects = [keep('doors', { allowed: 30 }), ...names.map((name) => pod(name, 'doors'))];
    const { served, admin, clock, statusOf } = await setup(objects, {
      of: (cluster) => ({
        ...cluster,
        async patch(...given) {
          patches += 1;
          return cluster.patch(...given);
        },
      }),
    });
    const { items } = await admin.list(resources.Pod, { namespace: SHOP });
    const answers = items.map(async (each) =>
      served.get(disruptionPath(keepKind))?.({ request: deletionOf(each) }),
    );
    await clock.advance(10_000);
    for (const answer of await Promise.all(answers))
      expect(answer).toMatchObject({ response: { allowed: true } });
    // The first is written as it comes, and those that wait meanwhile at once.
    expect(patches).toBe(2);
    const { taken } = (await statusOf('doors')) as { taken: object };
    expect(Object.keys(taken).sort()).toEqual([...names].sort());
  });

  test('with an object that is gone by then lets the pod go', async () => {
    const { ask, results } = await setup(two, {
      of: (cluster) => ({
        ...cluster,
        async patch(resource, at, patch, options) {
          await cluster.delete(resource, at).catch(() => {});
          return cluster.patch(resource, at, patch, options);
        },
      }),
      granted: [...roles, ...deleting],
    });
    expect(await ask('DELETE', 'a')).toMatchObject({ allowed: true });
    expect(results).toEqual(['Keep allowed']);
  });
});

const deleting: KubeObject[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'deleting' },
    rules: [{ apiGroups: ['test.plan.kruise.io'], resources: ['keeps'], verbs: ['delete'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'deleting' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'deleting' },
    subjects: [{ kind: 'ServiceAccount', name: 'kruise-admission', namespace: 'kruise-system' }],
  },
];

describe('a server that does not answer', () => {
  const silent =
    (call: 'get' | 'patch') =>
    (cluster: Cluster): Cluster => ({
      ...cluster,
      [call]: async () => new Promise(() => {}),
    });

  test('a record is waited for no longer than the API server waits', async () => {
    const { ask, unrecorded } = await setup(two, { of: silent('patch') });
    const { took, ...answer } = await ask('EVICT', 'a');
    expect(answer).toEqual({
      allowed: false,
      code: 429,
      message: 'Keep doors: its status cannot be written, so that nothing was recorded; try again',
    });
    expect(took).toBeLessThan(PATIENCE_MS);
    expect(unrecorded).toEqual([]);
  });

  test('so is an evicted pod, which goes as while the webhook is down', async () => {
    const { ask, unrecorded, results } = await setup(two, { of: silent('get') });
    const { took, ...answer } = await ask('EVICT', 'a');
    expect(answer).toEqual({ allowed: true });
    expect(took).toBeLessThan(PATIENCE_MS);
    expect([unrecorded, results]).toEqual([['pod shop/a'], ['Keep Unreadable']]);
  });

  test('those that wait behind it are answered in time, too', async () => {
    const { served, clock, admin } = await setup(two, { of: silent('patch') });
    const pods = (await admin.list(resources.Pod, { namespace: SHOP })).items;
    const started = clock.monotonic();
    const ends: number[] = [];
    for (const each of pods) {
      const answer = served.get(disruptionPath(keepKind))?.({ request: deletionOf(each) });
      void Promise.resolve(answer).then(() => ends.push(clock.monotonic() - started));
    }
    await clock.advance(PATIENCE_MS);
    expect(ends).toHaveLength(pods.length);
  });
});

/** A Keep whose pods go while nobody can count. */
const ignoring: Kind = {
  ...keepKind,
  admission: { ...keepAdmission, review: { ...keepReview, failurePolicy: 'Ignore' } },
};

describe('where a record cannot be written', () => {
  const refusing = (cluster: Cluster): Cluster => ({
    ...cluster,
    async patch() {
      throw new ApiError({ code: 403, reason: 'Forbidden', message: 'no right' });
    },
  });

  test('the pod goes where the policy of the kind is Ignore, which is counted', async () => {
    const kinds = [ignoring];
    const { ask, unrecorded, results } = await setup(two, { of: refusing, kinds });
    expect(await ask('DELETE', 'a')).toMatchObject({ allowed: true });
    expect(unrecorded).toEqual(['Keep doors']);
    expect(results).toEqual(['Keep allowed']);
  });

  test('a new pod is created without what the kind adds, which is counted', async () => {
    const { served, clock, unrecorded } = await setup([keep('doors', { seats: 1 })], { of: refusing });
    const answer = served.get(creationPath(keepKind))?.({ request: creationBy('mona') });
    await clock.advance(10_000);
    expect(objectOf((await answer)?.['response'])).toEqual({ uid: 'u', allowed: true });
    expect(unrecorded).toEqual(['Keep doors']);
  });
});

test('a resize takes a place, and a change of anything else does not', async () => {
  const { ask, statusOf } = await setup(two);
  const object = pod('a', 'doors') as unknown as JsonObject;
  expect(await ask('UPDATE', 'a', { object })).toMatchObject({ allowed: true });
  expect(await ask('UPDATE', 'a', { object, subResource: 'status' })).toMatchObject({ allowed: true });
  expect(await statusOf('doors')).toBeUndefined();
  expect(await ask('UPDATE', 'a', { object, subResource: 'resize' })).toMatchObject({ allowed: true });
  expect(await statusOf('doors')).toEqual({ taken: { a: expect.any(String) as string } });
});

describe('before any object is asked', () => {
  test.each<[string, string, JsonObject, object?]>([
    ['the runtime', 'OwnAccount', { userInfo: { username: RUNTIME, groups: [] } }],
    ['a pod that is going', 'Terminating', {}, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    ['a pod that has ended', 'Finished', {}, { status: { phase: 'Failed' } }],
    [
      'the last delete of the kubelet',
      'FinalDelete',
      {
        userInfo: { username: 'system:node:a', groups: ['system:nodes'] },
        options: { gracePeriodSeconds: 0 },
      },
    ],
  ])('%s is let through', async (_, reason, more, differs = {}) => {
    const { ask, statusOf, results, admin } = await setup([keep('doors', { allowed: 0 }), pod('a', 'doors')]);
    const stored = await admin.get(resources.Pod, { namespace: SHOP, name: 'a' });
    const { metadata, ...rest } = differs as { metadata?: object };
    const oldObject = {
      ...stored,
      ...rest,
      metadata: { ...stored.metadata, ...metadata },
    } as unknown as JsonObject;
    expect(await ask('DELETE', 'a', { oldObject, ...more })).toMatchObject({ allowed: true });
    expect(results).toEqual([`Keep ${reason}`]);
    expect(await ask('DELETE', 'a')).toMatchObject({ allowed: false });
    expect(await statusOf('doors')).toBeUndefined();
  });

  test('a pod of a namespace that is being deleted is let through', async () => {
    const { ask, admin, clock } = await setup([keep('doors', { allowed: 0 }), pod('a', 'doors')]);
    const finalizers = ['test.example/wait'];
    await admin.patch(
      keepKind.resource,
      { namespace: SHOP, name: 'doors' },
      { type: 'merge', body: { metadata: { finalizers } } },
    );
    const request = await admin.get(resources.Pod, { namespace: SHOP, name: 'a' });
    await admin.delete(resources.Namespace, { name: SHOP });
    await clock.advance(1_000);
    expect(await ask('DELETE', 'a', { oldObject: request as unknown as JsonObject })).toMatchObject({
      allowed: true,
    });
  });

  test('a pod that nobody has stored takes no place: whoever reaches the port may make one up', async () => {
    const { ask, statusOf, results } = await setup(two);
    expect(await ask('DELETE', 'c')).toMatchObject({ allowed: true });
    expect(await ask('EVICT', 'c')).toMatchObject({ allowed: true });
    const other = { ...pod('a', 'doors', { uid: 'another' }) } as unknown as JsonObject;
    expect(await ask('DELETE', 'a', { oldObject: other })).toMatchObject({ allowed: true });
    expect(results).toEqual(['Keep NoPod', 'Keep NoPod', 'Keep NoPod']);
    expect(await statusOf('doors')).toBeUndefined();
  });
});
