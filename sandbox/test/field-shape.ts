import { readSet, type MaybeSet } from '../fields/set.ts';
import type { StructuralSchema } from '../schema/structural.ts';

export const text: StructuralSchema = { type: 'string' };

/** One field of each type that field ownership distinguishes. */
export const shape: StructuralSchema = {
  type: 'object',
  properties: {
    text,
    count: { type: 'integer' },
    flag: { type: 'boolean' },
    share: { 'x-kubernetes-int-or-string': true },
    inner: { type: 'object', properties: { a: text, b: text } },
    whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text } },
    labels: { type: 'object', additionalProperties: text },
    list: { type: 'array', items: text },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, name: text },
      },
    },
    named: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: text, value: text } },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    opaque: { type: 'object' },
  },
};

export function tcp(port: number) {
  return `k:${JSON.stringify({ port, protocol: 'TCP' })}`;
}

export function set(value: object): MaybeSet {
  return readSet(value) ?? undefined;
}
