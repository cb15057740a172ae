import type { KubeObject } from '../../../schemas/wire/object.ts';
import { MANAGERS } from './engine.ts';

interface ManagedFields {
  manager?: string;
  subresource?: string;
  fieldsV1?: Record<string, unknown>;
}

/** Who else has written fields of an object that git has: the status alone belongs to the runtime. */
export function othersOf({ metadata }: KubeObject): string[] {
  const engines = new Set(Object.values(MANAGERS));
  const entries = ((metadata as { managedFields?: ManagedFields[] }).managedFields ?? []).filter(
    ({ manager = '' }) => !engines.has(manager),
  );
  return entries.flatMap(({ manager = '', subresource, fieldsV1 = {} }) =>
    Object.keys(fieldsV1)
      .filter((field) => field !== 'f:status' || subresource !== 'status')
      .map((field) => `${manager}: ${field}`),
  );
}

/** The fields of an object that an engine owns. */
export function ownedByEngines({ metadata }: KubeObject): string[] {
  const engines = new Set(Object.values(MANAGERS));
  return ((metadata as { managedFields?: ManagedFields[] }).managedFields ?? [])
    .filter(({ manager = '' }) => engines.has(manager))
    .flatMap(({ fieldsV1 = {} }) => Object.keys(fieldsV1));
}
