import { expect, test } from 'vitest';
import * as fc from '../../property.ts';
import { revisionHashes } from '../../../semantics/sidecarset/content.ts';
import { sidecarSetView } from '../../../semantics/sidecarset/view.ts';
import { sidecar } from './model.ts';
import { rolling } from './rolling.ts';

/** A set that has changed its image, and then what only new pods get: the second and the third revision have one hash. */
function observedSet(): Parameters<typeof sidecarSetView>[0] {
  const world = rolling();
  const secret = { imagePullSecrets: [{ name: 'mirror' }] };
  for (const [version, fields] of [
    [1, {}],
    [2, {}],
    [2, secret],
    [3, secret],
  ] as const) {
    world.set('log', { containers: [sidecar('log', { image: `log:${version}` })], ...fields });
    world.reconcile();
  }
  const target = world.sets.get('log');
  if (target === undefined) throw new Error('there is no set');
  return { target, pods: [], revisions: [...world.revisions.values()], takenNames: new Set() };
}

test('the revision of a pod does not follow from which pod was asked about before', () => {
  const observed = observedSet();
  const { revisions } = sidecarSetView(observed);
  const hashes = [...revisions.map(({ object }) => revisionHashes(object).hash), 'unknown'];
  const names = [...revisions.map(({ name }) => name), 'unknown', undefined];
  const record = fc.record({
    hash: fc.constantFrom(...hashes),
    revision: fc.constantFrom(...names),
    imageless: fc.constant(''),
    at: fc.constant(0),
  });
  expect([revisions.length, new Set(hashes).size]).toEqual([4, 4]);
  fc.assert(
    fc.property(fc.array(record, { maxLength: 8 }), (records) => {
      const view = sidecarSetView(observed);
      for (const each of records)
        expect(view.hashOf({ record: each })).toBe(sidecarSetView(observed).hashOf({ record: each }));
    }),
  );
});
