import type { KubeObject } from '../../schemas/wire/object.ts';

/** By kind: name, remaining fields, and the expected cells. Each object is ten minutes old. */
export type TableRows = Readonly<Record<string, readonly (readonly [string, object, string])[]>>;

export const now = Date.parse('2026-11-21T22:00:00Z');

/** An object created ten minutes ago. */
export function objectOf(name: string, body: object): KubeObject {
  const { metadata, ...rest } = body as { metadata?: object };
  return {
    apiVersion: 'v1',
    kind: 'Any',
    ...rest,
    metadata: { name, creationTimestamp: '2026-11-21T21:50:00Z', ...metadata },
  };
}
