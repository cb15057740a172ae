import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { lose, MINUTE, namesOf, off, setSpec, withClaims } from '../cloneset/claimed.ts';
import type { Model } from '../cloneset/model.ts';

test.each([
  ['the older one first', [50, 20]],
  ['the younger one first', [20, 50]],
])('of claims too young to be deleted the oldest determines the next reconcile: %s', (_, ages) => {
  const model = withClaims({ spec: off });
  setSpec(model, { replicas: 0 });
  model.pods = [];
  model.claims = model.claims.map((claim, at) => ({
    ...claim,
    metadata: { ...claim.metadata, creationTimestamp: timestamp(model.now - (ages[at] ?? 0) * 1000) },
  }));
  const [oldest] = [...model.claims].sort((a, b) =>
    (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1,
  );
  const { actions, requeueAt } = model.decide();
  expect(actions).toEqual([]);
  expect(requeueAt).toBe(model.now - 50_000 + MINUTE);
  model.now = requeueAt ?? 0;
  model.run({}, 1);
  expect(model.claims).toHaveLength(1);
  expect(namesOf(model.claims)).not.toContain(oldest?.metadata.name);
});

/** One pod is lost; the other one was last observed at this version, the counter of pod names was written at 500. */
function lostOf(version: string, more: (model: Model) => void = () => {}): string[] {
  const model = withClaims({ spec: off });
  setSpec(model, { replicas: 1 });
  lose(model);
  model.revisions = model.revisions.map((each) => at(each, '500'));
  model.pods = model.pods.map((each) => at(each, version));
  more(model);
  return model.decide().actions.map(({ verb }) => verb);
}

const at = <Kind extends KubeObject>(object: Kind, resourceVersion: string): Kind => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion },
});

describe('that the pod of a new claim is gone, and not only not observed yet', () => {
  test.each([
    ['501', ['delete claim']],
    ['1000', ['delete claim']],
    ['499', []],
    ['99', []],
    ['', []],
    ['opaque', []],
  ])('is proven by a pod with a later version than the record that counts it: %s', (seen, done) => {
    expect(lostOf(seen)).toEqual(done);
  });

  test('is unknown for a claim that was never counted, as those of OpenKruise', () => {
    const uncounted = (model: Model): void => {
      model.claims = model.claims.map((claim) => ({
        ...claim,
        metadata: { ...claim.metadata, annotations: {} },
      }));
    };
    expect(lostOf('501', uncounted)).toEqual([]);
  });

  test('is proven by the first record that counts it, wherever that was copied to since', () => {
    const copied = (model: Model): void => {
      const [first] = model.revisions;
      if (first === undefined) throw new Error('a revision');
      model.revisions = [
        ...model.revisions,
        at({ ...first, metadata: { ...first.metadata, name: 'web-2' } }, '900'),
      ];
    };
    expect(lostOf('501', copied)).toEqual(['delete claim']);
  });
});
