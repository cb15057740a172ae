import { afterAll, describe, expect, test } from 'vitest';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { stringify } from 'yaml';
import { crds } from '../../schemas/generated/crds.ts';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { eachKind } from './world/each-kind.ts';
import { diagnosticsOf } from './world/manifests.ts';

const clock = createVirtualClock(0);
const world = createWorld({ clock, crds, namespaces: ['shop'], nodes: 0 });
await clock.settle();
const cluster = world.cluster('engine');
afterAll(() => world.stop());

/** What a server-side apply of manifests one after another ends with: the last refusal, or `accepted`. */
async function applied(...manifests: readonly JsonObject[]): Promise<string> {
  let ending = 'accepted';
  const kind = kinds.find(({ id }) => id.kind === manifests[0]?.['kind']);
  if (kind === undefined) throw new Error('no such kind');
  const resource = { ...kind.resource };
  const at = { name: 'web', ...(resource.namespaced && { namespace: 'shop' }) };
  for (const body of manifests) {
    resource.version = (body['apiVersion'] as string).split('/')[1] ?? '';
    try {
      await cluster.patch(resource, at, { type: 'apply', body }, { fieldManager: 'engine' });
    } catch (error) {
      ending = error instanceof Error ? error.message : String(error);
    }
  }
  await cluster.delete(resource, at);
  await clock.settle();
  return ending;
}

/** What `change` makes of each object at a key, at any depth. */
function atKey(value: Json, key: string, change: (object: JsonObject) => JsonObject): Json {
  if (Array.isArray(value)) return value.map((item) => atKey(item, key, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const changed = atKey(member, key, change);
      return [name, name === key ? change(changed as JsonObject) : changed];
    }),
  );
}

const errorsOf = async (files: Record<string, string>, args?: readonly string[]): Promise<string[]> =>
  (await diagnosticsOf(files, args && { args })).all
    .filter(({ severity }) => severity === 'error')
    .map(({ code }) => code);

describe.each(eachKind)('$kind', ({ manifest }) => {
  test('empty times of creation are accepted wherever an object has metadata, in git and by the server', async () => {
    const written = atKey(manifest, 'metadata', (metadata) => ({ ...metadata, creationTimestamp: null }));
    const text = stringify(written);
    expect(text.match(/creationTimestamp/g)?.length).toBeGreaterThanOrEqual(1);
    expect(await errorsOf({ 'head/a.yaml': text }, ['validate', 'head'])).toEqual([]);
    expect(await applied(written as JsonObject)).toBe('accepted');
  });
});

const labels = { matchLabels: { app: 'web' } };
const two: JsonObject[] = [
  { key: 'app', operator: 'In', values: ['web', 'api'] },
  { key: 'app', operator: 'Exists' },
];
/** Selectors of the same object, and whether the second may take the place of the first. */
const CHANGES: readonly [what: string, before: JsonObject, after: JsonObject, isAllowed: boolean][] = [
  ['no expressions, and an empty list', labels, { ...labels, matchExpressions: [] }, true],
  ['an empty list, and no expressions', { ...labels, matchExpressions: [] }, labels, true],
  [
    'no labels, and an empty map',
    { matchExpressions: two },
    { matchExpressions: two, matchLabels: {} },
    true,
  ],
  ['another order of expressions', { matchExpressions: two }, { matchExpressions: two.toReversed() }, false],
  [
    'another order of values',
    { matchExpressions: two },
    { matchExpressions: [{ ...two[0], values: ['api', 'web'] }, two[1] ?? {}] },
    false,
  ],
  [
    'an empty list of values',
    { matchExpressions: two },
    { matchExpressions: [two[0] ?? {}, { ...two[1], values: [] }] },
    false,
  ],
  ['an expression more', labels, { ...labels, matchExpressions: two }, false],
];

describe.each(eachKind.filter(({ kind }) => /^(?:CloneSet|StatefulSet)/.test(kind)))(
  'the selector of a $kind',
  ({ manifest }) => {
    const of = (selector: JsonObject): JsonObject => ({
      ...manifest,
      spec: { ...(manifest['spec'] as JsonObject), selector },
    });

    test.each(CHANGES)('%s', async (_what, before, after, isAllowed) => {
      const files = { 'base/a.yaml': stringify(of(before)), 'head/a.yaml': stringify(of(after)) };
      expect(await errorsOf(files)).toEqual(isAllowed ? [] : ['KR2102']);
      const answer = await applied(of(before), of(after));
      if (isAllowed) expect(answer).toBe('accepted');
      else expect(answer).toContain('spec.selector is immutable');
    });
  },
);
