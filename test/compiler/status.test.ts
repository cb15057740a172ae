import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { eachKind } from './world/each-kind.ts';
import { diagnosticsOf, kruise } from './world/manifests.ts';

/** What tools of Go write, what an export of a cluster has, and what no cluster has. */
const STATUSES: readonly Json[] = [
  {},
  { replicas: 0 },
  { conditions: [{}], unknown: { a: [null] } },
  'text',
  7,
];

const asItem = (manifest: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'List', items: [manifest] });

test.each(eachKind)('a status in a manifest means nothing: $kind', async ({ manifest }) => {
  const validated = async (head: JsonObject): Promise<string[]> =>
    (await diagnosticsOf({ 'head/a.yaml': stringify(head) }, { args: ['validate', 'head'] })).positions.map(
      (each) => each.slice(0, 6),
    );
  const without = await validated(manifest);
  expect(without.filter((code) => code.startsWith('KR20'))).toEqual([]);
  for (const status of STATUSES) {
    expect(await validated({ ...manifest, status })).toEqual(without);
    expect(await validated(asItem({ ...manifest, status }))).toEqual(without);
  }
});

test.each(eachKind)('a status is no change: $kind', async ({ manifest }) => {
  const { host, code } = await kruise({
    'base/a.yaml': stringify(manifest),
    'head/a.yaml': stringify({ ...manifest, status: { observedGeneration: 3 } }),
  });
  expect(host.err).not.toContain('error');
  expect(code).toBe(0);
  expect([...host.files.keys()].filter((path) => path.includes('/plans/'))).toEqual([]);
});
