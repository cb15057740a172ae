import { expect } from 'vitest';
import type { Status } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { stage, type Stage } from './world.ts';

export const gizmos = {
  group: 'test.example',
  version: 'v1',
  plural: 'gizmos',
  kind: 'Gizmo',
  namespaced: true,
};

export const at = { namespace: 'default', name: 'a' };

export const text = { type: 'string' };

const pair = { type: 'object', properties: { x: text, y: text } };

export const properties: Record<string, object> = {
  int: { type: 'integer', format: 'int32', minimum: 0, maximum: 10 },
  free: { type: 'integer', format: 'int32' },
  num: { type: 'number', multipleOf: 0.5 },
  open: { type: 'integer', minimum: 3, multipleOf: 5, exclusiveMinimum: true },
  code: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 3 },
  one: { type: 'string', maxLength: 1 },
  color: { type: 'string', enum: ['red', 'blue'] },
  level: { type: 'integer', enum: [1, 2] },
  share: { 'x-kubernetes-int-or-string': true },
  maybe: { type: 'string', nullable: true },
  maybeRed: { type: 'string', nullable: true, enum: ['red'] },
  defaulted: { type: 'string', nullable: true, default: 'd' },
  parts: {
    type: 'array',
    maxItems: 2,
    minItems: 1,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['id'],
    items: {
      type: 'object',
      required: ['id'],
      properties: { id: text, n: { type: 'integer' } },
    },
  },
  pairs: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a', 'b'],
    items: {
      type: 'object',
      required: ['a'],
      properties: { a: text, b: { type: 'integer', default: 1 } },
    },
  },
  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
  plain: { type: 'array', maxItems: 1, items: text },
  names: { type: 'object', additionalProperties: text, maxProperties: 2 },
  few: { type: 'object', additionalProperties: text, minProperties: 2 },
  deep: { type: 'object', required: ['b', 'a'], properties: { a: text, b: text } },
  any: { ...pair, anyOf: [{ required: ['x'] }, { required: ['y'] }] },
  either: { ...pair, oneOf: [{ required: ['x'] }, { required: ['y'] }] },
  not: { type: 'integer', not: { minimum: 5 } },
  all: { type: 'integer', allOf: [{ minimum: 5 }, { maximum: 7 }] },
  when: { type: 'string', format: 'date-time' },
  emb: {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  },
};

export function definition(spec: Record<string, object> = properties): KubeObject {
  const status = {
    type: 'object',
    required: ['req'],
    properties: { n: { type: 'integer', minimum: 0 }, req: text },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gizmos.test.example' },
    spec: {
      group: 'test.example',
      scope: 'Namespaced',
      names: { plural: 'gizmos', kind: 'Gizmo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: spec }, status },
            },
          },
        },
      ],
    },
  };
}

export const gizmo = (spec: unknown): KubeObject => ({
  apiVersion: 'test.example/v1',
  kind: 'Gizmo',
  metadata: { name: 'a', namespace: 'default' },
  spec,
});

export const gizmoStage = (spec?: Record<string, object>): Stage =>
  stage({ crds: [definition(spec)], nodes: 0 });

/** The rest of the message after `Gizmo.test.example "a" is invalid: `. */
export function faults(status: Status): string {
  const head = 'Gizmo.test.example "a" is invalid: ';
  expect(status).toMatchObject({ code: 422, reason: 'Invalid' });
  expect(status.message.startsWith(head)).toBe(true);
  return status.message.slice(head.length);
}
