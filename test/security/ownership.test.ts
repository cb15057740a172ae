import { describe, expect, test } from 'vitest';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSet, createTestCluster, type TestCluster, templateOf } from '../runtime/stage.ts';
import { EVIL, twoTenants, VICTIM } from './world.ts';

const MINUTE = 60_000;

/** The victim's CloneSet of three pods, settled. */
function victim(): Promise<TestCluster> {
  return createTestCluster(cloneSet('web', 'web:1'), { world: twoTenants });
}

async function reference(stage: TestCluster, parts: Partial<OwnerReference> = {}): Promise<OwnerReference> {
  const { apiVersion, kind, metadata } = await stage.target();
  const { name, uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true, ...parts };
}

function forgedPod(namespace: string, name: string, owner: OwnerReference): KubeObject {
  const labels = { app: 'web', 'apps.kruise.io/cloneset-instance-id': name };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels, ownerReferences: [owner] },
    spec: { containers: [{ name: 'main', image: 'evil:1' }] },
  };
}

function forgedRevision(namespace: string, owner: OwnerReference, complete = '1e300'): KubeObject {
  const template = templateOf('web', 'evil:1');
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: 'web-evil',
      namespace,
      labels: { app: 'web' },
      annotations: { 'plan.kruise.io/complete': complete },
      ownerReferences: [owner],
    },
    data: { spec: { template: { $patch: 'replace', ...template } } },
    revision: 7,
  };
}

async function uidsOf(stage: TestCluster): Promise<string[]> {
  return (await stage.pods()).map(({ metadata }) => metadata.uid ?? '').sort();
}

/** Each names the victim's uid, and is wrong in one thing. */
const forgeries: readonly [string, string, Partial<OwnerReference>][] = [
  ['another namespace', EVIL, {}],
  ['another kind', VICTIM, { kind: 'Other' }],
  ['another group', VICTIM, { apiVersion: 'evil.example/v1beta1' }],
  ['another name', VICTIM, { name: 'other' }],
  ['no controller', VICTIM, { controller: false }],
];

describe('security 2: an object is owned if namespace, uid, group, kind, name and controller match', () => {
  test.each(forgeries)(
    'pods with the uid of the target and %s delete none of its pods',
    async (_, ns, parts) => {
      const stage = await victim();
      const before = await uidsOf(stage);
      const owner = await reference(stage, parts);
      for (const name of ['a', 'b', 'c'])
        await stage.user.create(resources.Pod, forgedPod(ns, `web-${name}`, owner));
      await stage.clock.advance(5 * MINUTE);
      const left = (await uidsOf(stage)).filter((uid) => before.includes(uid));
      expect(left).toEqual(before);
      const { replicas } = (await stage.target())['status'] as { replicas: number };
      expect(replicas).toBe(3);
      await stage.stop();
    },
  );

  test.each(forgeries)(
    'a revision with the uid of the target and %s is never stable',
    async (_, ns, parts) => {
      const stage = await victim();
      await stage.user.create(
        resources.ControllerRevision,
        forgedRevision(ns, await reference(stage, parts)),
      );
      const [lost] = await stage.pods();
      await stage.user.delete(resources.Pod, { namespace: VICTIM, name: lost?.metadata.name ?? '' });
      await stage.clock.advance(5 * MINUTE);
      expect(await stage.images()).toEqual({ 'web:1': 3 });
      await stage.stop();
    },
  );

  test.each(['1e300', '9007199254740993', '-1', ' 7', '0x10', '99999999999999999999'])(
    'a counter of %j is not a counter, even on an owned revision',
    async (complete) => {
      const stage = await victim();
      const revision = forgedRevision(VICTIM, await reference(stage), complete);
      await stage.user.create(resources.ControllerRevision, revision);
      const [lost] = await stage.pods();
      await stage.user.delete(resources.Pod, { namespace: VICTIM, name: lost?.metadata.name ?? '' });
      await stage.clock.advance(5 * MINUTE);
      expect(await stage.images()).toEqual({ 'web:1': 3 });
      await stage.stop();
    },
  );

  // OpenKruise copies the annotations of an object onto the revisions that it records.
  test('a target with annotations that only revisions may have is held', async () => {
    const stage = await victim();
    const annotations = { 'plan.kruise.io/complete': '9' };
    const at = { namespace: VICTIM, name: 'web' };
    await stage.user.patch(resources.CloneSet, at, { type: 'merge', body: { metadata: { annotations } } });
    await stage.change('web:2');
    await stage.clock.advance(MINUTE);
    expect(JSON.stringify((await stage.target())['status'])).toContain('InvalidTarget');
    expect(await stage.images()).toEqual({ 'web:1': 3 });
    await stage.stop();
  });

  test('a pod with another version of the group in its owner reference is owned as well', async () => {
    const stage = await victim();
    const owner = await reference(stage, { apiVersion: 'apps.kruise.io/v1alpha1' });
    await stage.user.create(resources.Pod, forgedPod(VICTIM, 'web-extra', owner));
    await stage.clock.advance(5 * MINUTE);
    expect(await stage.pods()).toHaveLength(3);
    await stage.stop();
  });
});
