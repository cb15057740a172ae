import { expect, test } from 'vitest';
import { createRetention } from '../../runtime/observe/retention.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { conditionsOf, FAILURES } from '../../semantics/resourcedistribution/conditions.ts';
import { invalidDistribution } from '../../semantics/resourcedistribution/invalid.ts';
import { beyondBounds } from '../../semantics/template/bounds.ts';
import { distribution } from './distribution-site.ts';

/** A target with as many names as its conditions may have, which it has failed in. */
function failed(targets: JsonObject, data: JsonObject) {
  const target = distribution(targets, { data });
  const names = Array.from({ length: 2_000 }, (_, at) => `team-of-a-usual-length-${at}`);
  const failures = new Map(
    FAILURES.slice(0, 2).map((type) => [type, new Map(names.map((name) => [name, 'x']))]),
  );
  return { ...target, status: { conditions: conditionsOf(target, failures, 0) } } as typeof target;
}

const values = (count: number, size: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, 'x'.repeat(size)]));
const listed = (count: number): JsonObject => ({
  includedNamespaces: { list: Array.from({ length: count }, (_, at) => ({ name: `team-${at}` })) },
});

const KIB = 1024;
test.each<[what: string, targets: JsonObject, data: JsonObject, isAccepted: boolean]>([
  ['255 KiB in one value', {}, values(1, 255 * KIB), true],
  ['257 KiB in one value', {}, values(1, 257 * KIB), false],
  ['300 KiB in two values', {}, values(2, 150 * KIB), true],
  ['400 KiB in two values', {}, values(2, 200 * KIB), false],
  ['a mebibyte in eight values', {}, values(8, 128 * KIB), false],
  ['4,000 keys', {}, values(4_000, 10), true],
  ['10,000 keys', {}, values(10_000, 10), false],
  ['4,000 namespaces', listed(4_000), values(1, 1), true],
  ['10,000 namespaces', listed(10_000), values(1, 1), false],
])('git accepts %s only where the runtime keeps it, with its status', (_, targets, data, isAccepted) => {
  const target = failed(targets, data);
  const isSound = beyondBounds(target) === undefined && invalidDistribution(target).length === 0;
  expect(isSound).toBe(isAccepted);
  const retention = createRetention(() => true);
  const kept = retention.keep(target);
  if (isAccepted) expect(retention.oversized(kept)).toBeUndefined();
});
