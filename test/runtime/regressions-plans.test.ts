import { describe, expect, test } from 'vitest';
import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { planDigest } from '../../semantics/plan/digest.ts';
import { web } from '../stories/manifests.ts';
import { createStoryCluster as createStory, type StoryCluster as Story } from '../stories/stage.ts';
import { HOUR, MINUTE, requests, shown } from './lead.ts';
import { cloneSet, createTestCluster, patchSpec, planOf, type TestCluster, templateOf } from './stage.ts';

/** A second plan object besides the usual one, with a valid digest. */
async function add(stage: TestCluster, name: string, plan: KubeObject, parts: Partial<RolloutPlanSpec> = {}) {
  const { digest: _digest, ...spec } = plan['spec'] as RolloutPlanSpec;
  const changed = { ...spec, ...parts };
  await stage.user.create(resources.RolloutPlan, {
    ...plan,
    metadata: { name, namespace: 'shop' },
    spec: { ...changed, digest: planDigest(changed) },
  });
  await stage.clock.settle();
}

function remove(stage: TestCluster, name: string): Promise<unknown> {
  return stage.user.delete(resources.RolloutPlan, { namespace: 'shop', name });
}

async function conditionsOf(stage: TestCluster, name: string) {
  const plan = await stage.user.get(resources.RolloutPlan, { namespace: 'shop', name });
  const { conditions = [] } = (plan['status'] ?? {}) as {
    conditions?: { type: string; status: string; reason: string }[];
  };
  return conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
}

describe('two plan objects that contradict each other after one of them has Succeeded', () => {
  const one: Step[] = [{ id: 'go', update: { to: '100%' } }];
  const two: Step[] = [
    { id: 'first', update: { to: 1 } },
    { id: 'rest', update: { to: '100%' } },
  ];

  async function contradicted(...names: Step[][]): Promise<TestCluster> {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    await stage.change('web:2');
    await stage.until('Succeeded');
    await stage.clock.advance(MINUTE);
    const plan = await stage.plan();
    for (const [i, steps] of names.entries()) await add(stage, `other-${i}`, plan, { steps });
    await stage.clock.advance(MINUTE);
    return stage;
  }

  // They were accepted alternately, hundreds of times a second.
  test.each([
    ['one beside it', [one]],
    ['two beside it', [one, two]],
  ])('%s: nothing is written, and all but the active one have DuplicateTarget', async (_, names) => {
    const stage = await contradicted(...names);
    const before = requests(stage, 'writes');
    await stage.clock.advance(HOUR);
    expect(requests(stage, 'writes')).toBe(before);
    expect((await shown(stage)).phase).toBe('Succeeded');
    for (const i of names.keys()) {
      expect(await shown(stage, `other-${i}`)).toMatchObject({
        phase: 'Pending',
        waitingOn: 'DuplicateTarget',
      });
    }
    expect(await stage.images()).toEqual({ 'web:2': 3 });
    await stage.stop();
  });

  test.each([
    ['the new one', 'other-0', 'cloneset-web'],
    ['the one in force', 'cloneset-web', 'other-0'],
  ])('deleting %s settles it', async (_, gone, left) => {
    const stage = await contradicted(one);
    await remove(stage, gone);
    await stage.clock.advance(MINUTE);
    expect((await shown(stage, left)).phase).toBe('Succeeded');
    expect((await conditionsOf(stage, left))[0]).toContain('Ready=True');
    const before = requests(stage, 'writes');
    await stage.clock.advance(HOUR);
    expect(requests(stage, 'writes')).toBe(before);
    await stage.stop();
  });
});

describe('plans that are not executed have the reason', () => {
  // A plan of another group was executed on the CloneSet of the same name; one of another kind got no status.
  test.each([
    ['of another group', { apiVersion: 'example.com/v1', kind: 'CloneSet', name: 'web' }],
    ['of another kind', { apiVersion: 'apps.kruise.io/v1beta1', kind: 'EphemeralJob', name: 'web' }],
  ])('a target %s: UnsupportedSemantics, and no pod is taken', async (_, target) => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    await add(stage, 'foreign', planOf('web', 'web:1', 'web:2'), { target });
    await stage.change('web:2', false);
    await stage.clock.advance(10 * MINUTE);
    expect(await stage.images()).toEqual({ 'web:1': 3 });
    const { phase, message } = await shown(stage, 'foreign');
    expect([phase, message]).toEqual(['Pending', expect.stringContaining(target.kind)]);
    expect(await conditionsOf(stage, 'foreign')).toContain('Stalled=True UnsupportedSemantics');
    await stage.stop();
  });

  // It had no status, for ever.
  test('a target that does not exist: TargetMissing; executed when it is created, and TargetMissing again after its deletion', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    await stage.user.create(resources.RolloutPlan, planOf('late', 'late:1', 'late:2'));
    await stage.clock.advance(MINUTE);
    const missing = { phase: 'Pending', waitingOn: 'TargetMissing' };
    expect(await shown(stage, 'cloneset-late')).toMatchObject(missing);
    expect((await shown(stage, 'cloneset-late')).message).toContain('late');
    expect(await conditionsOf(stage, 'cloneset-late')).toContain('Reconciling=True TargetMissing');
    const before = requests(stage, 'writes');
    await stage.clock.advance(HOUR);
    // A target that does not come within ten minutes is not waited for in silence.
    expect(await conditionsOf(stage, 'cloneset-late')).toContain('Stalled=True TargetMissing');
    expect(requests(stage, 'writes')).toBe(before + 1);
    await stage.user.create(resources.CloneSet, cloneSet('late', 'late:1'));
    await stage.clock.advance(MINUTE);
    expect(await shown(stage, 'cloneset-late')).toMatchObject({ waitingOn: 'ManifestChanged' });
    await patchSpec(stage, 'late', { template: templateOf('late', 'late:2') });
    await stage.clock.advance(MINUTE);
    expect((await shown(stage, 'cloneset-late')).phase).toBe('Succeeded');
    expect(await stage.images('late')).toEqual({ 'late:2': 3 });
    await stage.user.delete(resources.CloneSet, { namespace: 'shop', name: 'late' });
    await stage.clock.advance(MINUTE);
    expect(await shown(stage, 'cloneset-late')).toMatchObject(missing);
    await stage.stop();
  });
});

describe('a long series of commits', () => {
  const MANIFEST = 'manifests/web.yaml';
  const canaries = [
    'steps:',
    '- match: {kind: CloneSet}',
    '  batches: [{to: 2}, {to: 100%}]',
    '  between: {soak: 10m}',
    '',
  ].join('\n');

  async function story(): Promise<Story> {
    const stage = await createStory({ files: { 'kruise.yaml': canaries, [MANIFEST]: web() } });
    await stage.sync();
    await stage.run(MINUTE);
    return stage;
  }

  async function push(stage: Story, image: string): Promise<void> {
    await stage.commit(image, { [MANIFEST]: web({ image }) });
    await stage.sync();
    await stage.run(MINUTE);
  }

  async function where(stage: Story) {
    const images: Record<string, number> = {};
    for (const pod of await stage.pods()) {
      const image = pod.spec.containers[0]?.image ?? '';
      images[image] = (images[image] ?? 0) + 1;
    }
    const status = (await stage.plan())?.['status'] as { phase?: string; step?: string };
    return { images, phase: status.phase };
  }

  // A plan lists five revisions: the sixth did not know the one that most pods were still on, and waited for ever.
  test('seven, each during the soak of the one before: each one takes over, and the last one completes', async () => {
    const stage = await story();
    for (let i = 1; i <= 7; i++) {
      await push(stage, `nginx:fix-${i}`);
      expect(await where(stage)).toEqual({
        images: { 'nginx:1.25-alpine': 3, [`nginx:fix-${i}`]: 2 },
        phase: 'Soaking',
      });
    }
    await stage.until('Succeeded');
    expect((await where(stage)).images).toEqual({ 'nginx:fix-7': 5 });
    await stage.stop();
  });

  // Neither superseded the other in that direction: the target was stuck, and so was every commit after it.
  test('git revert of a fix, to a plan that never ended: that plan takes over, and so do the next commits', async () => {
    const stage = await story();
    await push(stage, 'nginx:b');
    await push(stage, 'nginx:c');
    stage.revert('nginx:c was wrong', 2);
    await stage.sync();
    await stage.run(MINUTE);
    expect(await where(stage)).toEqual({
      images: { 'nginx:1.25-alpine': 3, 'nginx:b': 2 },
      phase: 'Soaking',
    });
    await stage.until('Succeeded');
    expect((await where(stage)).images).toEqual({ 'nginx:b': 5 });
    for (const image of ['nginx:d', 'nginx:e']) {
      await push(stage, image);
      expect(await where(stage)).toEqual({ images: { 'nginx:b': 3, [image]: 2 }, phase: 'Soaking' });
    }
    await stage.until('Succeeded');
    expect((await where(stage)).images).toEqual({ 'nginx:e': 5 });
    await stage.stop();
  });
});
