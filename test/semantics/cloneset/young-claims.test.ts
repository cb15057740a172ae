import { expect, test } from 'vitest';
import { timestamp } from '../../../semantics/pod/readiness.ts';
import { MINUTE, namesOf, off, setSpec, withClaims } from './claimed.ts';

test.each([
  ['the older one first', [50, 20]],
  ['the younger one first', [20, 50]],
])('of claims too young to be deleted the oldest is looked at first: %s', (_, ages) => {
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
  const { actions, lookAgainAt } = model.decide();
  expect(actions).toEqual([]);
  expect(lookAgainAt).toBe(model.now - 50_000 + MINUTE);
  model.now = lookAgainAt ?? 0;
  model.run({}, 1);
  expect(model.claims).toHaveLength(1);
  expect(namesOf(model.claims)).not.toContain(oldest?.metadata.name);
});
