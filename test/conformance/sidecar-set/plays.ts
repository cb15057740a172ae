import { describe, expect, test } from 'vitest';
import { sidecarWorld } from '../runtime/sidecar-world.ts';
import { PROGRESS_ANNOTATION } from '../../semantics/plan/memory.ts';
import { compareCodePoints } from '../../semantics/values/canonical-json.ts';
import { parsedJson } from '../../semantics/values/json-shape.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { endAtWrites, endWithPoorWatches, type Start, writesOf } from './plays.ts';

/**
 * Kinds whose units are pods of other owners, under disturbances: whatever becomes of the runtime, no more pods than the plan
 * allows are changed, none is deleted, and the plan ends the same.
 */
const STEPS = [
  { id: 'canary', update: { to: 2 } },
  { id: 'soak', soak: { for: '30s' } },
  { id: 'all', update: { to: '100%', window: { maxUnavailable: 2 } } },
];

/** A change of an image under a plan; returns how it ended, and what was exceeded on the way. */
async function played(start: Start) {
  const cluster = await sidecarWorld({ start });
  await cluster.set('log:1');
  await cluster.deployment('web', 4);
  const before = (await cluster.pods()).map(({ metadata }) => metadata.uid ?? '').sort(compareCodePoints);
  const broken: string[] = [];
  const updated = new Set<string>();
  let approved = 2;
  cluster.world.onCommit(({ resource, object, user }) => {
    if (resource === 'pods' && user === 'kruise') {
      const { containers } = object['spec'] as { containers: { name: string; image: string }[] };
      if (containers.some(({ name, image }) => name === 'log' && image === 'log:2'))
        updated.add(object.metadata.uid ?? '');
      if (updated.size > approved) broken.push(`${updated.size} pods are updated, ${approved} are allowed`);
    }
    // The step is on record before its pods are updated.
    const progress = parsedJson(object.metadata.annotations?.[PROGRESS_ANNOTATION] ?? '');
    if (objectOf(progress)['step'] === STEPS.length - 1) approved = 4;
  });
  await cluster.set('log:2', STEPS);
  await cluster.until('Succeeded', 1_800_000);
  await cluster.clock.advance(30_000);
  const after = (await cluster.pods()).map(({ metadata }) => metadata.uid ?? '').sort(compareCodePoints);
  const { matchedPods, updatedReadyPods } = await cluster.status();
  const ending = {
    images: await cluster.images(),
    matchedPods,
    updatedReadyPods,
    isSame: JSON.stringify(before) === JSON.stringify(after),
  };
  await cluster.stop();
  return { ending, broken };
}

const expected = {
  ending: { images: { 'log:2': 4 }, matchedPods: 4, updatedReadyPods: 4, isSame: true },
  broken: [],
};

/** A canary by label, then all. No other pod has the new image before the second plan leads to all pods. */
async function playedByLabel(start: Start) {
  const cluster = await sidecarWorld({ start });
  await cluster.set('log:1');
  await cluster.deployment('web', 3, { track: 'main' });
  await cluster.deployment('canary', 2, { track: 'canary' });
  const broken: string[] = [];
  let isForAll = false;
  cluster.world.onCommit(({ resource, object }) => {
    const progress = objectOf(parsedJson(object.metadata.annotations?.[PROGRESS_ANNOTATION] ?? ''));
    if (progress['seq'] === 2 && progress['step'] === STEPS.length - 1) isForAll = true;
    if (resource !== 'pods' || isForAll || object.metadata.labels?.['track'] === 'canary') return;
    const { containers } = object['spec'] as { containers: { name: string; image: string }[] };
    if (containers.some(({ image }) => image === 'log:2'))
      broken.push(`${object.metadata.name} has the image of the canary`);
  });
  await cluster.set('log:2', STEPS, { updateStrategy: { selector: { matchLabels: { track: 'canary' } } } });
  await cluster.until('Succeeded', 1_800_000);
  await cluster.scale('web', 4);
  const first = await cluster.images();
  await cluster.set('log:2', STEPS);
  await cluster.until('Succeeded', 1_800_000);
  await cluster.clock.advance(30_000);
  const ending = { first, images: await cluster.images() };
  await cluster.stop();
  return { ending, broken };
}

describe('pods of other owners under a plan', () => {
  const play = { play: played, expected };

  test('end the same wherever the runtime ends, and another continues', { timeout: 300_000 }, async () => {
    const writes = await writesOf(play);
    expect(writes.length).toBeGreaterThan(10);
    await endAtWrites(play, writes, { name: 'selected pods', most: [6, 60] });
  });

  test('end the same where watches are late or lose events', { timeout: 300_000 }, () =>
    endWithPoorWatches(play),
  );
});

describe('pods of other owners under a selector, and then without one', () => {
  const ending = { first: { 'log:1': 4, 'log:2': 2 }, images: { 'log:2': 6 } };
  const play = { play: playedByLabel, expected: { ending, broken: [] } };

  test('end the same wherever the runtime ends, and another continues', { timeout: 300_000 }, async () => {
    const writes = await writesOf(play);
    expect(writes.length).toBeGreaterThan(10);
    await endAtWrites(play, writes, { name: 'selected by label', most: [6, 60] });
  });

  test('end the same where watches are late or lose events', { timeout: 300_000 }, () =>
    endWithPoorWatches(play),
  );
});
