import type { KubeObject, ObjectMeta } from '../../schemas/wire/object.ts';
import { applyDefaults } from '../schema/default.ts';
import { checkRules, hasRules } from '../schema/rules.ts';
import { goText, goTypeOf } from '../schema/goText.ts';
import { validate } from '../schema/validate.ts';
import { fieldAt } from '../store/value.ts';
import { checkEmbedded } from '../schema/embedded.ts';
import { field, refuse, type FieldError } from './errors.ts';
import { checkMetadata, nameRuleOf } from './metadata.ts';
import { decodeBody, type Reading } from '../schema/reading.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import type { Served, ServedVersion } from './registry.ts';

/**
 * An object out of a request's body or a patch's result, sharing what it can with the present one: of the kind that
 * is served, with the right types, without what the kind has no place for, and without empty metadata. 400 (422 for
 * the result of a patch) when it is not that, or when it has unknown fields and validation is strict.
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

/** Empty and null maps and lists of metadata are absent ones. */
function withoutEmpty(metadata: ObjectMeta): ObjectMeta {
  const result = { ...metadata } as ObjectMeta & Record<string, unknown>;
  for (const name of ['labels', 'annotations', 'ownerReferences', 'finalizers'] as const) {
    const value: unknown = result[name];
    if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) delete result[name];
  }
  return result;
}

/**
 * An object, in its stored form, with the defaults of its kind: of a custom resource those of its version's schema, of
 * a built-in kind those that its rules say.
 */
export function withDefaults(
  { type, version }: Served,
  object: KubeObject,
  current: KubeObject | undefined,
): KubeObject {
  if (!type.custom) return type.rules.defaults?.(object, current) ?? object;
  return version.schema === undefined ? object : (applyDefaults(version.schema, object) as KubeObject);
}

/** Groups whose kinds may have finalizers without a domain; so may custom resources. */
const freeFinalizers = new Set(['apiextensions.k8s.io', 'coordination.k8s.io', 'policy']);

/** What a check compares with: the object as it was, and what of it the request writes. */
export interface Change {
  before: KubeObject;
  subresource?: string | undefined;
  /** Takes what is wrong and is not held against the request. */
  warn?: ((text: string) => void) | undefined;
}

/** Everything wrong with an object on its own. What `change` leaves as it was is not held against the request. */
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

/** Rules are about values that are of the right type, whole, and not too large. */
const blocking = new Set<FieldError['reason']>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const rulesUnchecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** Where the scale subresource reads the replicas there is a number that makes sense. */
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
