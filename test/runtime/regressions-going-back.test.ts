import { describe, expect, test } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { HOUR, lead, losePod, memoryOf, MINUTE, shown, toTemplate } from './lead.ts';
import { cloneSet, createTestCluster, type TestCluster, templateOf } from './stage.ts';

const steps: Step[] = [
  { id: 'one', update: { to: 1 }, onFailure: 'Revert' },
  { id: 'soak', soak: { for: '10m' } },
  { id: 'all', update: { to: '100%' } },
];
const second = templateOf('web', 'web:2');
const bad = templateOf('web', 'web:bad');
const from = ['web:1', 'web:2'].map((image) => ({
  hash: templateHash(templateOf('web', image)),
  mode: 'Recreate' as const,
}));
const rolling = (partition: number) => ({ updateStrategy: { rollingUpdate: { partition } } });

/** Five pods of which two are held at web:1 by a partition; web:2 is stable. */
async function held(): Promise<TestCluster> {
  const stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 5 }));
  await lead(stage, second, { to: toTemplate(second, 2) }, rolling(2));
  await stage.until('Succeeded');
  expect(await stage.images()).toEqual({ 'web:1': 2, 'web:2': 3 });
  return stage;
}

async function stableOf(stage: TestCluster): Promise<string> {
  const { currentRevision } = (await stage.target())['status'] as { currentRevision: string };
  const { revisions } = await memoryOf(stage);
  return JSON.stringify(revisions.find(({ metadata }) => metadata.name === currentRevision)?.['data']);
}

describe('a canary that fails on a target with held pods, onFailure Revert', () => {
  // It stayed Reverting for ever: the pod taken from the held ones was counted as held, and left on the failed revision.
  // Afterwards the partition of the failed plan made replacements use the retained revision, which is older than stable.
  test.each([
    ['the same partition', 2],
    ['a wider one', 1],
    ['none', 0],
  ])(
    '%s: Reverted, no pod is left at the failed revision, a lost pod is created at stable',
    async (_, partition) => {
      const stage = await held();
      stage.world.images.set('web:bad', { crashAfterMs: 90_000 });
      await lead(stage, bad, { to: toTemplate(bad, partition), from, steps }, rolling(partition));
      await stage.clock.advance(MINUTE);
      expect(await stage.images()).toEqual({ 'web:1': 1, 'web:2': 3, 'web:bad': 1 });
      await stage.until('Reverted');
      expect(await stage.images()).toEqual({ 'web:1': 1, 'web:2': 4 });
      expect(await stableOf(stage)).toContain('"web:2"');
      for (let i = 0; i < 4; i++) await losePod(stage, 'web:2');
      expect(await stage.images()).toEqual({ 'web:1': 1, 'web:2': 4 });
      expect((await shown(stage)).phase).toBe('Reverted');
      expect(stage.errors).toEqual([]);
      await stage.stop();
    },
  );

  test('and the manifest is reverted after it: no pod changes', async () => {
    const stage = await held();
    stage.world.images.set('web:bad', { crashAfterMs: 90_000 });
    await lead(stage, bad, { to: toTemplate(bad, 2), from, steps }, rolling(2));
    await stage.until('Reverted');
    await lead(stage, second, { to: toTemplate(second, 2), from: from.slice(0, 1) }, rolling(2));
    await stage.clock.advance(HOUR);
    expect(await stage.images()).toEqual({ 'web:1': 1, 'web:2': 4 });
    expect((await shown(stage)).phase).toBe('Succeeded');
    await stage.stop();
  });
});

describe('a continuation that fails', () => {
  // `stable` is where it leads: it called itself Reverted with every pod on the revision that fails.
  test('Halted, and says why; the pods stay where they are', async () => {
    const stage = await held();
    stage.world.images.set('web:2', { crashAfterMs: 90_000 });
    const four: Step = { id: 'four', update: { to: 4 }, onFailure: 'Revert' };
    const parts = { to: toTemplate(second, 0), from: from.slice(0, 1), steps: [four, ...steps.slice(1)] };
    await lead(stage, second, parts, rolling(0));
    await stage.until('Halted');
    await stage.clock.advance(6 * HOUR);
    expect(await shown(stage)).toMatchObject({ phase: 'Halted', step: 'soak' });
    expect((await shown(stage)).message).toContain('during soak');
    expect(await stage.images()).toEqual({ 'web:1': 1, 'web:2': 4 });
    await stage.stop();
  });
});
