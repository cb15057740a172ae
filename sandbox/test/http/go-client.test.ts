import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { builtInTypes } from '../../kinds/builtIn.ts';
import { reviewTypes } from '../../kinds/reviews.ts';
import { protobufMessages } from '../../../schemas/generated/protobuf.ts';
import { readProtobuf } from '../../http/protobuf.ts';
import { envelope, field, message } from './protobuf.ts';
import { front } from './front.ts';

const golden = (name: string): string[] =>
  readFileSync(new URL(`../golden/${name}.txt`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');

/** Without what says nothing: Go writes empty fields that the server leaves out. */
function dense(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dense);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, dense(each)] as const);
  return Object.fromEntries(entries.filter(([, each]) => !isEmpty(each)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

it('stores of each body that client-go sends what a real server does', async () => {
  const { ask } = await front({ bootstrapped: true });
  const lines = new Map(
    golden('go-client').map((line) => {
      const [resource = ''] = line.split(': ', 1);
      return [resource, line.slice(resource.length + 2)] as const;
    }),
  );
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
  await ask('/api/v1/namespaces', { method: 'POST', body: namespace });
  const bodies = golden('go-client-bodies');
  expect(bodies.length).toBeGreaterThan(30);
  for (const line of bodies) {
    const [path = '', bytes = ''] = line.split(' ');
    const headers = { 'content-type': 'application/vnd.kubernetes.protobuf', accept: 'application/json' };
    const { code, json, text } = await ask(path, {
      method: 'POST',
      body: Buffer.from(bytes, 'base64'),
      headers,
    });
    expect([path, code, code === 201 ? '' : text]).toEqual([path, 201, '']);
    const {
      metadata,
      status: _status,
      apiVersion: _apiVersion,
      ...fields
    } = json as {
      metadata: { uid: string; labels: object };
      [field: string]: unknown;
    };
    const steady = JSON.stringify({ ...fields, labels: { ...metadata.labels, updated: 'yes' } })
      .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'UID')
      .replaceAll('"shop"', '"NAMESPACE"');
    const resource = path.slice(path.lastIndexOf('/') + 1);
    const expected = JSON.parse(lines.get(resource) ?? 'null') as unknown;
    expect([resource, dense(JSON.parse(steady))]).toEqual([resource, dense(expected)]);
  }
});

const served = [...builtInTypes(), ...reviewTypes()].flatMap(({ group, kind, versions }) =>
  [...versions.keys()].map((version) => [group === '' ? version : `${group}/${version}`, kind] as const),
);

it.each(served.filter(([, kind]) => kind !== 'CustomResourceDefinition'))(
  'reads %s %s',
  (apiVersion, kind) => {
    const metadata = message(field(1, 'a'));
    const read = readProtobuf(envelope(apiVersion, kind, message(field(1, metadata))));
    expect(read).toEqual({ apiVersion, kind, metadata: { name: 'a' } });
  },
);

it('knows every message that another one has', () => {
  const lines = protobufMessages.trim().split('\n');
  const known = new Set(lines.map((line) => line.split(' ', 1)[0]));
  const named = lines.flatMap((line) =>
    [...line.matchAll(/:([a-z0-9]+\.v\d\.\w+)/g)].map(([, name]) => name),
  );
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
