import { expect, test } from 'vitest';
import type { Pod } from '../../../semantics/pod/types.ts';
import type { InjectedRevision } from '../../../semantics/sidecarset/injected-revision.ts';
import { injectableOf, normalizeSidecarSet } from '../../../semantics/sidecarset/normalize.ts';
import {
  HASH_ANNOTATION,
  IMAGELESS_HASH_ANNOTATION,
  WORKING_ANNOTATION,
} from '../../../semantics/sidecarset/resource.ts';
import { fits, hasSpace, isSmall } from '../../../semantics/sidecarset/annotation-space.ts';
import { SIDECAR_STATE_ANNOTATION } from '../../../semantics/pod/sidecar-changes.ts';
import { type Unit, unitOf } from '../../../semantics/sidecarset/unit.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import * as fc from '../../property.ts';
import { injectedPod, setOf, sidecar } from './model.ts';

const before = setOf('log', { containers: [sidecar('log', { image: 'log:1' })] });
const after = setOf('log', { containers: [sidecar('log', { image: 'log:2' })] });
const to: InjectedRevision = {
  set: normalizeSidecarSet(after),
  ...injectableOf(objectOf(after['spec'])),
  hash: 'b'.repeat(64),
  imageless: 'c'.repeat(64),
  revision: 'log-2',
  reason: '',
};
const injected = injectedPod([before]) as Pod;

/** An injected pod with more annotations, or others. */
function unitWith(more: Readonly<Record<string, string>>, imageID = 'sha256:1'): Unit {
  const containerStatuses = injected.spec.containers.map(({ name, image }) => ({
    ...{ name, image, imageID, ready: true, restartCount: 0 },
  }));
  const pod = {
    ...injected,
    metadata: { ...injected.metadata, annotations: { ...injected.metadata.annotations, ...more } },
    status: { phase: 'Running', containerStatuses },
  } as Pod;
  const unit = unitOf(pod, { set: 'log', containers: normalizeSidecarSet(before).containers });
  if (unit === undefined) throw new Error('the set does not match the pod');
  return unit;
}

/** A record with these entries beside those that are there. */
const besides = (key: string, entries: string): string => {
  const text = injected.metadata.annotations?.[key] ?? '';
  return text === '' ? `{${entries}}` : `${text.slice(0, -1)},${entries}}`;
};
/** So many entries, none of which is like another. */
const many = (count: number, entry: (name: string) => string): string =>
  Array.from({ length: count }, (_, at) => entry(at.toString(36))).join(',');

/** What grows most as it is written anew. */
const growing: Record<string, (name: string) => string> = {
  'an entry of the old format': (name) => `"${name}":""`,
  'half of a surrogate pair': (name) => `"${name}\uD800\uD800\uD800":"\uD800\uD800\uD800\uD800"`,
  'a large number': (name) => `"${name}":[1e20,1e20,1e20]`,
  'a small one': (name) => `"${name}":[1e-6,1e-6,1e-6]`,
};
const KEYS = [HASH_ANNOTATION, IMAGELESS_HASH_ANNOTATION, WORKING_ANNOTATION, SIDECAR_STATE_ANNOTATION];

test.each(Object.entries(growing))(
  'a pod that is small has room, whatever grows in its records: %s',
  (_what, entry) => {
    let found = 0;
    for (const key of KEYS)
      for (const count of [1, 10, 100, 400, 800, 1_200, 2_400, 6_000, 20_000]) {
        const unit = unitWith({ [key]: besides(key, many(count, entry)) });
        if (!isSmall(unit, to)) continue;
        found += 1;
        expect(fits(unit, to, '1'), `${count} in ${key}`).toBe(true);
      }
    expect(found).toBeGreaterThan(KEYS.length);
  },
);

test('a pod is asked about as its update would be written, of whatever size', () => {
  const sizes = fc.record({
    entries: fc.integer({ min: 0, max: 3_000 }),
    key: fc.constantFrom(...KEYS),
    kind: fc.constantFrom(...Object.values(growing)),
    other: fc.integer({ min: 0, max: 20_000 }),
    image: fc.integer({ min: 0, max: 20_000 }),
    letter: fc.constantFrom('a', 'é', '水', '\uD800'),
  });
  fc.assert(
    fc.property(sizes, ({ entries, key, kind, other, image, letter }) => {
      const more = { [key]: besides(key, many(entries, kind)), other: letter.repeat(other) };
      const unit = unitWith(more, letter.repeat(image));
      expect(hasSpace(unit, to, '1')).toBe(fits(unit, to, '1'));
    }),
    { numRuns: 50 },
  );
});

test('a pod with ordinary annotations is small, and is not without records that can be read', () => {
  const ordinary = { note: 'x'.repeat(4_000) };
  expect(isSmall(unitWith(ordinary), to)).toBe(true);
  expect(hasSpace(unitWith({ note: 'x'.repeat(270_000) }), to, '1')).toBe(false);
  for (const key of [IMAGELESS_HASH_ANNOTATION, WORKING_ANNOTATION]) {
    const unit = unitWith({ ...ordinary, [key]: '[1' });
    expect([isSmall(unit, to), hasSpace(unit, to, '1')], key).toEqual([false, false]);
  }
});

test('what a set writes into annotations of its own is counted by the update itself', () => {
  const patch = { annotations: { big: 'y'.repeat(262_000) }, policy: 'Overwrite' as const };
  const unit = unitWith({});
  expect(isSmall(unit, { ...to, patchPodMetadata: [patch] })).toBe(false);
  expect(hasSpace(unit, { ...to, patchPodMetadata: [patch] }, '1')).toBe(false);
});
