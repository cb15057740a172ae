import type { KubeObject, ObjectMeta } from '../../schemas/wire/object.ts';
import { applyDefaults } from '../schema/default.ts';
import { checkRules, hasRules } from '../schema/rules.ts';
import { goText, goTypeOf } from '../schema/goText.ts';
import { validate } from '../schema/validate.ts';
import { fieldAt } from '../../schemas/pods/fields.ts';
import { checkEmbedded } from '../schema/embedded.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { refuse } from './errors.ts';
import { checkMetadata, nameRuleOf } from './metadata.ts';
import { decodeBody, type Reading } from '../schema/reading.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import type { Served, ServedVersion } from './registry.ts';

/**
 * Decodes an object from a request body or a patch result, sharing structure with the current object: checks
 * apiVersion, kind and types, drops unknown fields and empty metadata. 400 (422 for a patch result) if that fails
 * or if strict field validation finds unknown fields.
 */
export function readBody(
  served: Served,
  rawBody: unknown,
  current?: KubeObject,
  reading: Reading = {},
): KubeObject {
  const body = decodeBody(served, rawBody, current, reading);
  if (current === undefined && served.type.terminating === true)
    throw refuse.forbidden(
      served.type,
      body.metadata.name,
      'create not allowed while custom resource definition is terminating',
    );
  return { ...body, metadata: withoutEmpty(body.metadata) };
}

/** Empty and null maps and lists in metadata are removed. */
function withoutEmpty(metadata: ObjectMeta): ObjectMeta {
  const result = { ...metadata } as ObjectMeta & Record<string, unknown>;
  for (const name of ['labels', 'annotations', 'ownerReferences', 'finalizers'] as const) {
    const value: unknown = result[name];
    if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) delete result[name];
  }
  return result;
}

/**
 * The stored form of an object with defaults: from the schema of the version for custom resources, from the rules
 * of the kind for built-in kinds.
 */
export function withDefaults(
  { type, version }: Served,
  object: KubeObject,
  current: KubeObject | undefined,
): KubeObject {
  if (!type.custom) return type.rules.defaults?.(object, current) ?? object;
  return version.schema === undefined ? object : (applyDefaults(version.schema, object) as KubeObject);
}

/** Groups whose kinds accept finalizers without a domain; custom resources accept them too. */
const freeFinalizers = new Set(['apiextensions.k8s.io', 'coordination.k8s.io', 'policy']);

/** The input of an update check: the old object, and the subresource that the request writes. */
export interface Change {
  before: KubeObject;
  subresource?: string | undefined;
  /** Receives violations that do not fail the request. */
  warn?: ((text: string) => void) | undefined;
}

/**
 * All validation errors of an object. Errors in fields that `change` leaves unchanged do not fail the request
 * (ratcheting).
 */
export function checkObject(served: Served, object: KubeObject, change?: Change): FieldError[] {
  const { type } = served;
  return [
    ...checkMetadata(object, nameRuleOf(type), !freeFinalizers.has(type.group) && !type.custom),
    ...(type.custom ? checkCustom(served, object, change) : []),
    ...(type.rules.check?.(object) ?? []),
  ];
}

function checkCustom({ version }: Served, object: KubeObject, change: Change | undefined): FieldError[] {
  const { schema } = version;
  if (schema === undefined) return [];
  const before = change === undefined ? undefined : { value: change.before };
  const errors =
    change?.subresource === 'status'
      ? checkStatus(schema, object, change)
      : [
          ...validate(schema, object, '', before),
          ...checkEmbedded(schema, object),
          ...checkReplicas(version, object),
        ];
  if (!hasRules(schema)) return errors;
  if (errors.some(({ reason }) => blocking.has(reason)))
    return [...errors, field.invalid('<nil>', null, rulesUnchecked)];
  return [...errors, ...checkRules(schema, object, before, change?.warn)];
}

function checkStatus(schema: StructuralSchema, object: KubeObject, change: Change): FieldError[] {
  const status = schema.properties?.['status'];
  if (status === undefined || object['status'] === undefined) return [];
  const errors = validate(status, object['status'], '', beforeOf(change, 'status'));
  return errors.map((error) => ({ ...error, field: underStatus(error.field) }));
}

/** CEL rules apply only to values that passed the structural checks. */
const blocking = new Set<FieldError['reason']>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const rulesUnchecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** The replicas path of the scale subresource must contain a non-negative integer. */
function checkReplicas({ scale }: ServedVersion, object: KubeObject): FieldError[] {
  if (scale === undefined) return [];
  const replicas = fieldAt(object, scale.specReplicas);
  const path = `.${scale.specReplicas.join('.')}`;
  if (replicas === undefined || replicas === null) return [];
  if (!Number.isSafeInteger(replicas)) {
    const found = `${goText(replicas)} is of the type ${goTypeOf(replicas)}`;
    return [field.invalid(path, 0, `${path} accessor error: ${found}, expected int64`)];
  }
  return Number(replicas) >= 0 ? [] : [field.invalid(path, replicas, 'should be a non-negative integer')];
}

function beforeOf({ before }: Change, name: string): { value: unknown } | undefined {
  return Object.hasOwn(before, name) ? { value: before[name] } : undefined;
}

function underStatus(path: string): string {
  return path === '<nil>' || path === '' ? 'status' : `status.${path}`;
}
