import { describe, expect, it } from 'vitest';
import { protobufMessages } from '../../../schemas/generated/protobuf.ts';
import { types } from '../../../schemas/generated/shapes.ts';
import { readProtobuf } from '../../http/protobuf.ts';
import { front } from './front.ts';
import { readRows } from '../rows.ts';
import { envelope, field, message } from './protobuf.ts';

/** The body that kubectl sends for `create KIND NAME`, and the object it encodes. */
const bodies: [string, string, object][] = readRows('protobuf-bodies');

/** The field names of a message, those of inlined messages included. */
function fieldsOf(name: string): string[] {
  const line = protobufMessages.split('\n').find((each) => each.startsWith(`${name} `)) ?? '';
  const entries = line.split(' ').slice(1);
  return entries.flatMap((entry) =>
    entry.startsWith('=') ? fieldsOf(entry.replace(/^.*:/, '')) : entry.replace(/=.*/, ''),
  );
}

it('has a number for every field of the shapes', () => {
  const named = new Set(protobufMessages.split('\n').map((line) => line.replace(/ .*/, '')));
  const missing = Object.entries(types)
    .filter(([type]) => named.has(type))
    .flatMap(([type, fields]) => {
      const numbered = new Set([...fieldsOf(type), 'apiVersion', 'kind']);
      return Object.keys(fields)
        .filter((name) => !numbered.has(name))
        .map((name) => `${type}.${name}`);
    });
  expect(missing).toEqual([]);
});

describe('protobuf bodies', () => {
  it.each(bodies)('reads %s', (_plural, text, object) => {
    expect(readProtobuf(Buffer.from(text, 'base64'))).toEqual(object);
  });

  it.each(bodies.filter(([, , object]) => 'apiVersion' in object && object.apiVersion === 'v1'))(
    'creates %s',
    async (plural, text, object) => {
      const { ask } = await front();
      const headers = {
        'content-type': 'application/vnd.kubernetes.protobuf',
        accept: 'application/vnd.kubernetes.protobuf,application/json',
      };
      const body = Buffer.from(text, 'base64');
      const made = await ask(`/api/v1/namespaces/default/${plural}`, { method: 'POST', body, headers });
      expect([made.code, made.json]).toMatchObject([201, object]);
    },
  );

  it('keeps the zero of a pointer field, and drops the zero of an omitempty field', () => {
    const spec = message(field(1, 0), field(5, 0), field(7, 0));
    const read = readProtobuf(envelope('apps/v1', 'Deployment', message(field(2, spec))));
    expect(read).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 0 } });
  });

  it('reads times, embedded fields, lists and fields it does not know', () => {
    const metadata = message(
      field(8, message(field(1, 1_767_268_800))),
      field(14, 'a/b'),
      field(14, 'c/d'),
      field(99, 'later'),
    );
    const key = message(field(1, message(field(1, 'secret'))), field(2, 'k'), field(3, 0));
    const env = message(field(1, 'E'), field(3, message(field(4, key))));
    const container = message(field(1, 'c'), field(7, env));
    const pod = message(field(1, metadata), field(2, message(field(2, container))));
    expect(readProtobuf(envelope('v1', 'Pod', pod))).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { creationTimestamp: '2026-01-01T12:00:00Z', finalizers: ['a/b', 'c/d'] },
      spec: {
        containers: [
          {
            name: 'c',
            env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 'secret', key: 'k', optional: false } } }],
          },
        ],
      },
    });
  });

  it('makes of a map key what it is, whatever its name', () => {
    const data = message(field(1, '__proto__'), field(2, 'x'));
    const read = readProtobuf(envelope('v1', 'ConfigMap', message(field(2, data))));
    expect(JSON.stringify(read['data'])).toBe('{"__proto__":"x"}');
  });

  it.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array()],
    ['other bytes', Buffer.from('{"kind":"ConfigMap"}')],
    ['a kind nobody knows', envelope('v1', 'Nope', new Uint8Array())],
    ['a name that objects have by themselves', envelope('v1', 'constructor', new Uint8Array())],
    ['a group nobody knows', envelope('toString', 'ConfigMap', new Uint8Array())],
    ['a length beyond the end', envelope('v1', 'ConfigMap', Uint8Array.from([0x0a, 0x7f, 1]))],
    ['a number without end', envelope('v1', 'ConfigMap', new Uint8Array(12).fill(0xff))],
    ['text where a message belongs', envelope('v1', 'ConfigMap', message(field(1, 'zz')))],
    ['a number where a message belongs', envelope('v1', 'ConfigMap', message(field(1, 7)))],
    ['an end of group', envelope('v1', 'ConfigMap', Uint8Array.from([0x0c]))],
  ])('refuses %s', (_what, bytes) => {
    expect(() => readProtobuf(bytes)).toThrow(
      expect.objectContaining({ status: expect.objectContaining({ code: 400, reason: 'BadRequest' }) }),
    );
  });

  it('survives any cut and any changed byte', () => {
    const bytes = Buffer.from(bodies[4]?.[1] ?? '', 'base64');
    let read = 0;
    const attempt = (mutated: Uint8Array) => {
      try {
        readProtobuf(mutated);
        read += 1;
      } catch (error) {
        expect(error).toMatchObject({ status: { code: 400 } });
      }
    };
    for (let at = 0; at < bytes.length; at += 1) {
      attempt(bytes.subarray(0, at));
      for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
        const mutated = Buffer.from(bytes);
        mutated[at] = value;
        attempt(mutated);
      }
    }
    expect(read).toBeGreaterThan(100);
  });
});
