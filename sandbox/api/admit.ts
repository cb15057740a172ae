import type { KubeObject, ObjectMeta } from '../../schemas/wire/object.ts';
import { applyDefaults } from '../schema/default.ts';
import { prune } from '../schema/prune.ts';
import { validate } from '../schema/validate.ts';
import { adopt, isFields } from '../store/value.ts';
import { refuse, type FieldError } from './errors.ts';
import { checkMetadata } from './metadata.ts';
import { apiVersionOf, type Served } from './registry.ts';

/**
 * An object out of a request body, sharing what it can with the present one. 400 when it is not one, not of this
 * resource, or holds what JSON cannot carry (fields that are undefined are absent, as they would be on the wire).
 */
export function readBody({ type, version }: Served, rawBody: unknown, current?: KubeObject): KubeObject {
  const body: unknown = adopt(rawBody, current);
  if (!isFields(body)) throw refuse.badRequest('the body of the request is no object');
  const { apiVersion, kind } = body;
  if (typeof kind !== 'string' || kind === '') throw refuse.badRequest("Object 'Kind' is missing");
  const expected = apiVersionOf(type.group, version.version);
  if (apiVersion !== expected)
    throw refuse.badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${expected})`,
    );
  if (kind !== type.kind)
    throw refuse.badRequest(`the kind in the data (${kind}) does not match the expected kind (${type.kind})`);
  const { metadata } = body;
  if (metadata !== undefined && !isFields(metadata)) throw refuse.badRequest('metadata is no object');
  for (const name of ['labels', 'annotations'] as const)
    if (metadata?.[name] !== undefined && metadata[name] !== null && !isFields(metadata[name]))
      throw refuse.badRequest(`metadata.${name} is no object`);
  for (const name of ['ownerReferences', 'finalizers'] as const)
    if (metadata?.[name] !== undefined && metadata[name] !== null && !Array.isArray(metadata[name]))
      throw refuse.badRequest(`metadata.${name} is no list`);
  return { ...body, apiVersion, kind, metadata: withoutEmpty(metadata ?? {}) as unknown as ObjectMeta };
}

/** Empty and null maps and lists of metadata are absent ones. */
function withoutEmpty(metadata: Record<string, unknown>): Record<string, unknown> {
  const result = { ...metadata };
  for (const name of ['labels', 'annotations', 'ownerReferences', 'finalizers']) {
    const value = result[name];
    if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) delete result[name];
  }
  return result;
}

/** Prunes and defaults a custom resource by its version's schema; leaves other objects alone. */
export function conform({ version }: Served, object: KubeObject): KubeObject {
  if (version.schema === undefined) return object;
  return applyDefaults(version.schema, prune(version.schema, object)) as KubeObject;
}

/** Everything wrong with an object on its own. */
export function checkObject({ type, version }: Served, object: KubeObject): FieldError[] {
  return [
    ...checkMetadata(object, type.rules.names ?? 'subdomain'),
    ...(version.schema === undefined ? [] : validate(version.schema, object)),
    ...(type.rules.check?.(object) ?? []),
  ];
}
