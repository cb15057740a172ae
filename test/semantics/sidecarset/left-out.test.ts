import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import { sidecarSetKind } from '../../../semantics/sidecarset/kind.ts';
import { podsLeftOut } from '../../../semantics/sidecarset/left-out.ts';
import { sidecarSetView } from '../../../semantics/sidecarset/view.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { sidecar } from './model.ts';
import { type Rolling, rolling } from './rolling.ts';

const log = (version: number): JsonObject => sidecar('log', { image: `log:${version}` });

/** Ten pods at version 1, the record of one of which names no revision; the manifest is at version 2. */
function worldOf(updateStrategy: JsonObject): Rolling {
  const world = rolling();
  world.set('log', { containers: [log(1)] });
  world.reconcile();
  for (let at = 0; at < 10; at++) world.create(`p${at}`);
  world.set('log', { containers: [log(2)], updateStrategy: { paused: true } });
  world.reconcile();
  world.kubelet();
  const pod = world.pods.get('p0');
  if (pod === undefined) throw new Error('there is no p0');
  const annotations = { ...pod.metadata.annotations, 'kruise.io/sidecarset-hash': '{}' };
  world.pods.set('p0', { ...pod, metadata: { ...pod.metadata, annotations } });
  world.set('log', { containers: [log(2)], updateStrategy });
  return world;
}

test.each<[what: string, limits: JsonObject, envelope: Partial<Envelope>, updated: number]>([
  // Half of nine, rounded up, is kept; of ten, five would be updated.
  ['the bound of a plan', { maxUnavailable: '100%' }, { bound: '50%' }, 4],
  // 11 % of nine is one, rounded up; of ten it would be two.
  ['the limit of the set', { maxUnavailable: '11%' }, {}, 1],
  ['a step', { maxUnavailable: '100%' }, { allowed: 5 }, 5],
])('%s is of the pods that count', (_what, strategy, envelope, updated) => {
  const world = worldOf(strategy);
  const target = world.sets.get('log');
  if (target === undefined) throw new Error('there is no set');
  const names = world.updatedWithin('log', {
    goal: templateHash(sidecarSetKind.git.read(target).template),
    stable: '',
    allowed: 9,
    obeyPartition: true,
    touch: true,
    moving: true,
    mode: 'InPlace',
    reason: 'a step',
    ...envelope,
  });
  expect(names).toHaveLength(updated);
  expect(names).not.toContain('p0');
});

test('the records of many pods that were injected together are parsed once, whichever revisions are asked about', () => {
  const world = rolling();
  world.set('log', { containers: [log(1)] });
  world.reconcile();
  for (let at = 0; at < 50; at++) world.create(`p${at}`);
  world.kubelet();
  world.set('log', { containers: [log(2)], updateStrategy: { maxUnavailable: '100%' } });
  const texts = new Set(
    [...world.pods.values()].flatMap(({ metadata: { annotations = {} } }) => Object.values(annotations)),
  );
  const parse = vi.spyOn(JSON, 'parse');
  world.reconcile(3);
  const parsed = parse.mock.calls.filter(([text]) => texts.has(text)).length;
  parse.mockRestore();
  expect(parsed).toBeLessThanOrEqual(texts.size);
});

test('whether an update can be written is asked again when the version of the set has a further digit', () => {
  const world = rolling();
  const hot = { upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'empty:1' } };
  const set = (version: number, updateStrategy: JsonObject): void =>
    world.set('log', {
      containers: [sidecar('log', { image: `log:${version}`, ...hot })],
      updateStrategy,
    });
  set(1, {});
  world.reconcile();
  world.create('p');
  world.kubelet();
  set(2, { paused: true });
  world.reconcile();
  const [target, pod] = [world.sets.get('log'), world.pods.get('p')];
  if (target === undefined || pod === undefined) throw new Error('there is none');
  // One object for all versions: it is what the set keeps of the pod.
  const leftOut = (size: number): ((version: string) => number) => {
    const annotations = { ...pod.metadata.annotations, padding: 'x'.repeat(size) };
    const padded = { ...pod, metadata: { ...pod.metadata, annotations } };
    return (resourceVersion) => {
      const { labels, ...metadata } = target.metadata;
      const read = { ...target, metadata: { ...metadata, labels, resourceVersion } };
      const revisions = [...world.revisions.values()];
      return podsLeftOut(sidecarSetView({ target: read, pods: [padded], revisions, takenNames: new Set() }))
        .found.size;
    };
  };
  let size = 262_144;
  expect(leftOut(size)('999')).toBe(1);
  while (leftOut(size)('999') > 0) size -= 1;
  const asked = leftOut(size);
  expect([asked('999'), asked('1000'), asked('999')]).toEqual([0, 1, 0]);
});
