import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { sampleWith } from './everyKind.ts';
import { faultsOf, rowsOf } from './mutated.ts';
import { readRows } from './rows.ts';
import { refusalOf, stage } from './world.ts';

describe.each(['jobs', 'pods', 'storage', 'workloads'])('the API server refuses of %s', (subject) => {
  test.each(rowsOf(subject))('%s with %s: %j', async (kind, at, value, expected) => {
    expect(await faultsOf(kind, at, value)).toBe(expected);
  });
});

/** A new object of a kind with these fields. */
function creation(id: string, fields: object) {
  const { resource, manifest } = sampleWith(id, fields);
  const { server } = stage({ nodes: 0, kubeletsByHand: false }).world;
  return { server, resource, manifest, create: () => server.create('alice', resource, manifest) };
}

/** The errors of a refused call, without the name of the object. */
function faultsIn(id: string, call: () => unknown): string {
  const { code, message } = refusalOf(call);
  expect(code).toBe(422);
  const { group, kind } = sampleWith(id).resource;
  const named = `${group === '' ? kind : `${kind}.${group}`} "own" is invalid: `;
  expect(message.startsWith(named)).toBe(true);
  return message.slice(named.length);
}

/** Resource, fields of a new object, and the errors. */
const refused = readRows<[string, object, string]>('refused-kinds');

test.each(refused)('the API server refuses of %s: %j', (id, fields, expected) => {
  expect(faultsIn(id, creation(id, fields).create)).toBe(expected);
});

/** Resource, fields of a new object, what may not change of it, and the errors. */
const fixed = readRows<[string, object, JsonObject, string]>('fixed-fields');

test.each(fixed)('of %s %j may not change: %j', (id, fields, change, expected) => {
  const { server, resource, manifest, create } = creation(id, fields);
  create();
  const { name, namespace = '' } = manifest.metadata;
  const patch = (body: JsonObject) =>
    server.patch('alice', resource, { name, namespace }, { type: 'merge', body });
  expect(faultsIn(id, () => patch(change))).toBe(expected);
  expect(patch({ metadata: { labels: { l: 'm' } } }).metadata.labels).toMatchObject({ l: 'm' });
});

describe('data of a mebibyte', () => {
  const tooLong = 'Too long: may not be more than 1048576 bytes';
  test.each<[string, string, object, string]>([
    ['characters of two bytes', 'configmaps', { data: { a: 'é'.repeat(600_000) } }, `[]: ${tooLong}`],
    [
      'text and bytes together',
      'configmaps',
      { data: { a: 'x'.repeat(700_000) }, binaryData: { b: 'AAAA'.repeat(150_000) } },
      `[]: ${tooLong}`,
    ],
    ['one byte too many', 'secrets', { stringData: { a: 'x'.repeat(1_048_577) } }, `data: ${tooLong}`],
  ])('is exceeded by %s in %s', (_what, id, fields, expected) => {
    expect(faultsIn(id, creation(id, fields).create)).toBe(expected);
  });

  test('is allowed', () => {
    const made = creation('secrets', { stringData: { a: 'x'.repeat(1_048_576) } }).create();
    expect(made.metadata.name).toBe('own');
  });
});
