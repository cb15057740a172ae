import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import { sidecarSetKind } from '../../../semantics/sidecarset/kind.ts';
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
