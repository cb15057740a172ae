import { afterEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { CHILDREN_ANNOTATION, OBSERVED_ANNOTATION } from '../../semantics/protection/contents.ts';
import { PROTECTION_LABEL } from '../../semantics/protection/label.ts';
import {
  claim,
  createProtectionWorld,
  definition,
  pod,
  type ProtectionWorld,
  setPhase,
  widget,
  Widget,
  widgetReader,
} from './protection-world.ts';

const { Namespace, CustomResourceDefinition, Pod, PersistentVolumeClaim } = resources;
const NAME = 'widgets.example.com';
const LABEL = `has the label ${PROTECTION_LABEL}=Cascading`;
const refusal = (what: string, why: string): string =>
  `403: forbidden by ResourcesProtectionDeletion: ${what} ${LABEL}, ${why}`;
const UNSEEN = 'and the runtime has not seen yet what is in it: try again, or see its log';
const has = (children: string): string => `and there are ${children}: delete them first, or remove the label`;

let it: ProtectionWorld;
afterEach(async () => it.stop());

describe('a Namespace with Cascading', () => {
  /** One that the runtime has looked into. */
  async function protectedShop(): Promise<void> {
    it = createProtectionWorld();
    await it.label(Namespace, 'shop', 'Cascading');
    it.protection.start();
    await it.pass();
  }

  test('is refused until somebody has looked, and free when nothing is in it', async () => {
    it = createProtectionWorld();
    await it.label(Namespace, 'shop', 'Cascading');
    await it.pass();
    expect(await it.deletes(Namespace, 'shop')).toBe(refusal('namespaces shop', UNSEEN));
    it.protection.start();
    await it.pass();
    expect(await it.deletes(Namespace, 'shop')).toBe('deleted');
  });

  test('DP-3: a pod refuses it; of pods that have succeeded the claims decide', async () => {
    await protectedShop();
    await it.admin.create(Pod, pod('web'));
    await it.admin.create(PersistentVolumeClaim, claim('data'));
    await setPhase(it.admin, PersistentVolumeClaim, 'data', 'Bound');
    await it.pass();
    expect(await it.deletes(Namespace, 'shop')).toBe(
      refusal('namespaces shop', has('persistentvolumeclaims, pods')),
    );
    await setPhase(it.admin, Pod, 'web', 'Succeeded');
    await it.pass();
    expect(await it.deletes(Namespace, 'shop')).toBe(
      refusal('namespaces shop', has('persistentvolumeclaims')),
    );
    expect(it.errors).toEqual([]);
  });

  test('DP-4: a bound claim refuses it, one that is pending or on its way does not', async () => {
    await protectedShop();
    const wait = claim('data');
    await it.admin.create(PersistentVolumeClaim, {
      ...wait,
      metadata: { ...wait.metadata, finalizers: ['example.com/wait'] },
    });
    await it.pass();
    expect(await it.deletes(Namespace, 'shop')).toBe('deleted');
    await setPhase(it.admin, PersistentVolumeClaim, 'data', 'Bound');
    await it.pass();
    expect(await it.deletes(Namespace, 'shop')).toContain('403');
    await it.admin.delete(PersistentVolumeClaim, { namespace: 'shop', name: 'data' });
    await it.pass();
    expect(await it.deletes(Namespace, 'shop')).toBe('deleted');
  });

  test('DP-20: pods that cannot be listed any more refuse it', async () => {
    await protectedShop();
    expect(await it.deletes(Namespace, 'shop')).toBe('deleted');
    const at = { name: 'kruise-runtime-protection' };
    const roles = {
      ...Namespace,
      group: 'rbac.authorization.k8s.io',
      plural: 'clusterroles',
      kind: 'ClusterRole',
    };
    const role = (await it.admin.get(roles, at)) as KubeObject & { rules: { resources: string[] }[] };
    const rules = role.rules.filter((rule) => !rule.resources.includes('pods'));
    await it.admin.replace(roles, { ...role, rules });
    // A server ends each watch after some minutes.
    it.world.server.endWatches();
    await it.pass(60_000);
    expect(await it.deletes(Namespace, 'shop')).toBe(refusal('namespaces shop', UNSEEN));
    expect(it.errors.some((error) => error.startsWith('pods: '))).toBe(true);
  });

  test('loses what is recorded with the label, and is looked into anew with the next one', async () => {
    await protectedShop();
    expect(Object.keys(await it.fact(Namespace, 'shop'))).toEqual([OBSERVED_ANNOTATION]);
    await it.label(Namespace, 'shop', 'Always');
    await it.pass();
    expect(await it.fact(Namespace, 'shop')).toEqual({});
    await it.label(Namespace, 'shop', 'Cascading');
    await it.pass();
    expect(Object.keys(await it.fact(Namespace, 'shop'))).toEqual([OBSERVED_ANNOTATION]);
    expect(it.errors).toEqual([]);
  });

  test('is not free by an exported copy of what was recorded', async () => {
    await protectedShop();
    const { metadata } = await it.admin.get(Namespace, { name: 'shop' });
    await it.protection.stop();
    const { labels, annotations } = metadata;
    const copy = { name: 'copy', labels: { [PROTECTION_LABEL]: labels?.[PROTECTION_LABEL] ?? '' } };
    await it.admin.create(Namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { ...copy, ...(annotations && { annotations }) },
    });
    expect(await it.deletes(Namespace, 'copy')).toBe(refusal('namespaces copy', UNSEEN));
  });

  test('writes nothing as long as only the number of pods changes', async () => {
    await protectedShop();
    await it.admin.create(Pod, pod('web-0'));
    await it.pass();
    const { resourceVersion } = (await it.admin.get(Namespace, { name: 'shop' })).metadata;
    for (const name of ['web-1', 'web-2']) await it.admin.create(Pod, pod(name));
    await it.pass();
    expect((await it.admin.get(Namespace, { name: 'shop' })).metadata.resourceVersion).toBe(resourceVersion);
  });
});

describe('a definition with Cascading', () => {
  async function protectedWidgets(...more: readonly KubeObject[]): Promise<void> {
    it = createProtectionWorld();
    it.install(more);
    // Roles are aggregated a moment later.
    await it.pass();
    await it.admin.create(CustomResourceDefinition, definition('Cascading'));
    it.protection.start();
    await it.pass(20_000);
  }

  test('DP-6: is refused while there is an object, and free once its deletion was seen', async () => {
    await protectedWidgets(widgetReader);
    expect(await it.deletes(CustomResourceDefinition, NAME)).toBe('deleted');
    await it.admin.create(Widget, widget('one'));
    await it.pass();
    expect(await it.deletes(CustomResourceDefinition, NAME)).toBe(
      refusal(`customresourcedefinitions ${NAME}`, has(NAME)),
    );
    await it.admin.delete(Widget, { namespace: 'shop', name: 'one' });
    await it.pass();
    expect(await it.deletes(CustomResourceDefinition, NAME)).toBe('deleted');
    expect(it.errors).toEqual([]);
  });

  test('is refused where its objects may not be listed', async () => {
    await protectedWidgets();
    expect(await it.deletes(CustomResourceDefinition, NAME)).toBe(
      refusal(`customresourcedefinitions ${NAME}`, UNSEEN),
    );
    it.install([widgetReader]);
    await it.pass(60_000);
    expect(await it.deletes(CustomResourceDefinition, NAME)).toBe('deleted');
  });
});

test('who is not the runtime does not change what is recorded, and may take it away', async () => {
  it = createProtectionWorld();
  await it.label(Namespace, 'shop', 'Cascading');
  it.protection.start();
  await it.admin.create(Pod, pod('web'));
  await it.pass();
  await it.protection.stop();
  const annotate = async (annotations: Record<string, string | null>): Promise<string> =>
    it.admin.patch(Namespace, { name: 'shop' }, { type: 'merge', body: { metadata: { annotations } } }).then(
      () => 'written',
      (error: unknown) => String(error),
    );
  expect(await annotate({ [CHILDREN_ANNOTATION]: null })).toContain(
    'the runtime alone notes what is in namespaces',
  );
  expect(await annotate({ [CHILDREN_ANNOTATION]: 'nothing' })).toContain('the runtime alone notes');
  expect(await annotate({ team: 'shop' })).toBe('written');
  expect(await annotate({ [CHILDREN_ANNOTATION]: null, [OBSERVED_ANNOTATION]: null })).toBe('written');
  expect(await it.deletes(Namespace, 'shop')).toBe(refusal('namespaces shop', UNSEEN));
});

test('DP-21: a protected ReplicaSet of a deleted Deployment stays, and the collector tries again', async () => {
  it = createProtectionWorld();
  const [Deployment, ReplicaSet] = ['Deployment', 'ReplicaSet'].map((kind) => ({
    ...{ group: 'apps', version: 'v1', plural: `${kind.toLowerCase()}s`, kind, namespaced: true },
  })) as [typeof Pod, typeof Pod];
  const at = { namespace: 'shop', name: 'web' };
  const labels = { app: 'web' };
  await it.admin.create(Deployment, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: at,
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx:1' }] } },
    },
  });
  await it.pass();
  const [set] = (await it.admin.list(ReplicaSet, { namespace: 'shop' })).items;
  const name = set?.metadata.name ?? '';
  const body = { metadata: { labels: { [PROTECTION_LABEL]: 'Always' } } };
  await it.admin.patch(ReplicaSet, { namespace: 'shop', name }, { type: 'merge', body });
  await it.admin.delete(Deployment, at);
  await it.pass(60_000);
  await expect(it.admin.get(Deployment, at)).rejects.toThrow('not found');
  expect(
    (await it.admin.get(ReplicaSet, { namespace: 'shop', name })).metadata.deletionTimestamp,
  ).toBeUndefined();
  expect(await it.deletes(ReplicaSet, name, 'shop')).toContain('forbidden by ResourcesProtectionDeletion');
});
