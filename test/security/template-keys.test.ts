import { afterEach, describe, expect, test } from 'vitest';
import type { CloneSetStatus } from '../../schemas/generated/types/cloneset.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { makeClass } from '../fixtures/storage-class.ts';
import { cloneSet, createTestCluster, patchSpec, type TestCluster, templateOf } from '../runtime/stage.ts';

const STATE = 'apps.kruise.io/inplace-update-state';
/** The state of a started in-place update with another image to set. */
const deferred = JSON.stringify({
  revision: 'web-1',
  updateTimestamp: '2026-01-01T00:00:00Z',
  lastContainerStatuses: null,
  nextContainerImages: { main: 'evil:1' },
});

let stage: TestCluster;
afterEach(() => stage.stop());

function template(metadata: JsonObject): JsonObject {
  const { labels = {}, ...rest } = metadata as { labels?: JsonObject };
  return { ...templateOf('web', 'web:1'), metadata: { labels: { app: 'web', ...labels }, ...rest } };
}

async function held(): Promise<string> {
  const { conditions = [] } = ((await stage.target())['status'] ?? {}) as CloneSetStatus;
  const found = conditions.find(({ type }) => type === 'plan.kruise.io/Held');
  return found === undefined ? '' : `${found.reason}: ${found.message ?? ''}`;
}

const written = (): string[] =>
  stage.world.log
    .filter(({ user, verb }) => user === 'kruise' && ['create', 'patch', 'delete'].includes(verb))
    .filter(({ resource }) => resource === 'pods' || resource === 'persistentvolumeclaims')
    .map(({ verb, resource, name }) => `${verb} ${resource} ${name ?? ''}`);

describe('security 3: a template with keys that only a controller writes is held, and they have no effect', () => {
  test.each<[string, JsonObject, string]>([
    ['a deferred update', { annotations: { [STATE]: deferred } }, `annotations must not have ${STATE}`],
    [
      'the same by its old name',
      { annotations: { 'inplace-update-state': deferred } },
      'annotations must not have inplace-update-state',
    ],
    [
      'a grace period',
      { annotations: { 'apps.kruise.io/inplace-update-grace': '{"revision":"web-1"}' } },
      'annotations must not have apps.kruise.io/inplace-update-grace',
    ],
    [
      'the wish to be deleted',
      { labels: { 'apps.kruise.io/specified-delete': 'true' } },
      'labels must not have apps.kruise.io/specified-delete',
    ],
    [
      'the label of an accepted plan',
      { labels: { 'plan.kruise.io/accepted': 'true' } },
      'labels must not have plan.kruise.io/accepted',
    ],
    [
      'the place of a pod in the row of names',
      { annotations: { 'plan.kruise.io/pod-number': '9000' } },
      'annotations must not have plan.kruise.io/pod-number',
    ],
  ])('%s', async (_what, metadata, message) => {
    const object = cloneSet('web', 'web:1', { template: template(metadata) });
    stage = await createTestCluster(object, { policy: 'Auto' });
    await stage.clock.advance(600_000);
    expect(await stage.images()).toEqual({});
    expect(written()).toEqual([]);
    expect(await held()).toContain(`InvalidTarget: spec.template.metadata.${message}`);
    expect(stage.errors).toEqual([]);
  });

  test('a claim template with the label of an instance', async () => {
    const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const metadata = { name: 'data', annotations: { 'plan.kruise.io/goes-with': 'nobody' } };
    const object = cloneSet('web', 'web:1', { volumeClaimTemplates: [{ metadata, spec: storage }] });
    stage = await createTestCluster(object, { policy: 'Auto', prepare: makeClass });
    await stage.clock.advance(60_000);
    expect(written()).toEqual([]);
    expect(await held()).toContain(
      'InvalidTarget: spec.volumeClaimTemplates.0.metadata.annotations must not have plan.kruise.io/goes-with',
    );
  });

  test('claims that OpenKruise created from such a template are retained, whatever git contains now', async () => {
    const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: storage }];
    const object = cloneSet('web', 'web:1', { volumeClaimTemplates });
    stage = await createTestCluster(object, { policy: 'Auto', prepare: makeClass });
    const claims = async () =>
      (await stage.user.list(resources.PersistentVolumeClaim, { namespace: 'shop' })).items;
    const before = await claims();
    const body = { metadata: { annotations: { 'plan.kruise.io/goes-with': 'nobody' } } };
    for (const { metadata } of before)
      await stage.user.patch(
        resources.PersistentVolumeClaim,
        { namespace: 'shop', name: metadata.name },
        { type: 'merge', body },
      );
    await stage.clock.advance(600_000);
    expect(
      (await claims()).map(({ metadata: { uid, deletionTimestamp } }) => [uid, deletionTimestamp]),
    ).toEqual(before.map(({ metadata: { uid } }) => [uid, undefined]));
  });

  test.each<[string, JsonObject]>([
    ['the wish to be deleted', { labels: { 'apps.kruise.io/specified-delete': 'true' } }],
    ['another id', { labels: { 'apps.kruise.io/cloneset-instance-id': 'zzzzz' } }],
    ['a state that no pod leaves', { labels: { 'lifecycle.apps.kruise.io/state': 'Frozen' } }],
    ['an update that was put off', { annotations: { [STATE]: deferred } }],
  ])('an in-place change that adds it updates no pod: %s', async (_what, metadata) => {
    stage = await createTestCluster(cloneSet('web', 'web:1'), { policy: 'Auto' });
    const before = await stage.pods();
    await patchSpec(stage, 'web', { template: template(metadata) });
    await stage.clock.advance(600_000);
    expect(
      (await stage.pods()).map(({ metadata: { uid, resourceVersion } }) => [uid, resourceVersion]),
    ).toEqual(before.map(({ metadata: { uid, resourceVersion } }) => [uid, resourceVersion]));
    expect(await held()).toContain('InvalidTarget: spec.template.metadata.');
    const names = (objects: readonly KubeObject[]): string[] => objects.map(({ metadata: { name } }) => name);
    const revisions = await stage.user.list(resources.ControllerRevision, { namespace: 'shop' });
    expect(names(revisions.items)).toHaveLength(1);
  });

  test('values that users set on pods are effective and retained', async () => {
    const annotations = { 'apps.kruise.io/container-launch-priority': 'Ordered' };
    const labels = { 'apps.kruise.io/subset-name': 'east' };
    stage = await createTestCluster(
      cloneSet('web', 'web:1', { template: template({ labels, annotations }) }),
    );
    const pods = await stage.pods();
    expect(pods).toHaveLength(3);
    for (const { metadata } of pods) expect(metadata).toMatchObject({ labels, annotations });
  });
});
