import { sidecarWorld } from '../../runtime/sidecar-world.ts';
import { PROGRESS_ANNOTATION } from '../../../semantics/plan/memory.ts';
import { compareCodePoints } from '../../../semantics/values/canonical-json.ts';
import { parsedJson } from '../../../semantics/values/json-shape.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { sidecarSetKind } from '../../../semantics/sidecarset/kind.ts';
import type { KindPlay, Start } from '../plays.ts';

/**
 * Pods of other owners: whatever becomes of the runtime, no more of them than the plan allows are changed, none is deleted, and
 * the plan ends the same.
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
  await cluster.recorded();
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
  await cluster.recorded();
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

/** The set comes to select a further namespace. No pod there has the sidecar before the plan leads to all pods. */
async function playedBySelection(start: Start) {
  const cluster = await sidecarWorld({ start });
  const inShop = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } } };
  await cluster.set('log:1', undefined, inShop);
  await cluster.deployment('web', 3);
  await cluster.recorded();
  const broken: string[] = [];
  let isForAll = false;
  cluster.world.onCommit(({ resource, object }) => {
    const progress = objectOf(parsedJson(object.metadata.annotations?.[PROGRESS_ANNOTATION] ?? ''));
    if (progress['step'] === STEPS.length - 1) isForAll = true;
    if (resource !== 'pods' || isForAll || object.metadata.namespace !== 'other') return;
    const { containers } = object['spec'] as { containers: { name: string }[] };
    if (containers.some(({ name }) => name === 'log')) broken.push(`${object.metadata.name} has the sidecar`);
  });
  await cluster.set('log:2', STEPS);
  await cluster.bare('early', 'other');
  await cluster.until('Succeeded', 1_800_000);
  await cluster.clock.advance(30_000);
  await cluster.bare('late', 'other');
  const ending = { images: await cluster.images() };
  await cluster.stop();
  return { ending, broken };
}

const WAITS = { id: 'all', update: { to: '100%', window: { maxUnavailable: 2 } } };
/** How long the limit of before may still be followed, milliseconds: that of a runtime that sees the target late. */
const LATE_MS = 10_000;

/** The limit of the manifest is 3, then 1, then 4, while the plan says 2: what exceeds the lower one of both, and the end. */
async function playedWithMoves(start: Start) {
  const cluster = await sidecarWorld({ start });
  const { world, clock } = cluster;
  world.images.set('log:2', { readyMs: 8_000 });
  const strategyOf = (maxUnavailable: number) => ({ updateStrategy: { maxUnavailable } });
  await cluster.set('log:1', undefined, strategyOf(3));
  // Of a Deployment a quarter may be unavailable: three.
  await cluster.deployment('web', 12);
  await cluster.recorded();
  const limits = [{ from: clock.now(), most: 2 }];
  const broken: string[] = [];
  const unavailable = new Set<string>();
  world.onCommit(({ resource, object, user }) => {
    if (resource !== 'pods') return;
    const { name } = object.metadata;
    const isNew = !unavailable.has(name) && !serves(object as Pod);
    if (serves(object as Pod)) unavailable.delete(name);
    else unavailable.add(name);
    if (user !== 'kruise' || !isNew) return;
    const may = limits.filter((_, index) => (limits[index + 1]?.from ?? Infinity) > clock.now() - LATE_MS);
    const most = Math.max(...may.map((each) => each.most));
    if (unavailable.size > most) broken.push(`${unavailable.size} do not serve, ${most} may`);
  });
  await cluster.set('log:2', [WAITS], strategyOf(3));
  for (const own of [1, 4]) {
    limits.push({ from: clock.now(), most: Math.min(own, 2) });
    await cluster.set('log:2', undefined, strategyOf(own));
    await clock.advance(20_000);
  }
  await cluster.until('Succeeded', 1_800_000);
  const ending = { images: await cluster.images() };
  await cluster.stop();
  return { ending, broken };
}

/** Whether the sidecar runs what its pod asks for. */
function serves({ spec, status }: Pod): boolean {
  const wanted = spec.containers.find(({ name }) => name === 'log')?.image;
  const runs = status?.containerStatuses?.find(({ name }) => name === 'log');
  return runs?.ready === true && runs.image === wanted;
}

export const plays: readonly KindPlay[] = [
  { kind: sidecarSetKind, title: 'pods of other owners under a plan', play: played, expected },
  {
    kind: sidecarSetKind,
    title: 'pods of other owners under a selector, and then without one',
    play: playedByLabel,
    expected: { ending: { first: { 'log:1': 4, 'log:2': 2 }, images: { 'log:2': 6 } }, broken: [] },
  },
  {
    kind: sidecarSetKind,
    title: 'pods of a further namespace, under a plan that selects them',
    play: playedBySelection,
    expected: { ending: { images: { 'log:2': 4, none: 1 } }, broken: [] },
  },
  {
    kind: sidecarSetKind,
    title: 'pods of other owners, while the limit of the manifest moves',
    trait: 'limits',
    play: playedWithMoves,
    expected: { ending: { images: { 'log:2': 12 } }, broken: [] },
  },
];
