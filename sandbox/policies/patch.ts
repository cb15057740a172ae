import type { Served } from '../api/registry.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { JsonPatchOperation } from '../../schemas/wire/cluster.ts';
import { isFields } from '../../schemas/pods/fields.ts';
import { atomOf, objectType, type FieldType } from '../fields/atom.ts';
import { celNull, typeErrors } from '../fields/check.ts';
import { fieldElement, showElement } from '../fields/element.ts';
import { merge } from '../fields/merge.ts';
import { Inapplicable, jsonPatch } from '../patch/json.ts';
import { misnamedParts } from '../schema/cel/functions/patches.ts';
import { jsonOf } from '../schema/cel/json.ts';
import { EvaluationFault } from '../schema/cel/source.ts';
import {
  faultText,
  isDict,
  isList,
  isTagged,
  isUint,
  items,
  typeName,
  type Dict,
  type Value,
} from '../schema/cel/values.ts';

/** Why a mutation does not apply; the failure policy decides about it. */
export class MutationFault extends Error {}

/** JSON as the value of an operation. */
function operand(value: Value): unknown {
  try {
    return jsonOf(value);
  } catch (error) {
    if (!(error instanceof EvaluationFault)) throw error;
    throw new MutationFault(
      `JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${error.message}`,
    );
  }
}

/**
 * A value in a configuration. What a server does not take there is a symbol that no type accepts: null, values that
 * JSON lacks, and lists and maps other than as the field of an object.
 */
function native(value: Value, isField = false): unknown {
  if (value === null) return celNull;
  if (isUint(value)) return Symbol('uint64');
  if (isList(value) && value.raw === undefined)
    return isField
      ? items(value).map((item) => native(item))
      : Symbol(`[]ref.Val{${items(value).map(faultText).join(', ')}}`);
  if (!isDict(value)) return isTagged(value) && !isList(value) ? Symbol(typeName(value)) : jsonOf(value);
  if (value.raw !== undefined) return jsonOf(value);
  if (value.message === undefined && !isField) return Symbol('map[ref.Val]ref.Val{}');
  const isObject = value.message !== undefined;
  return Object.fromEntries(
    value.keys().map((key) => [faultText(key), native(value.get(key) ?? null, isObject)]),
  );
}

function requireNames(value: Dict): void {
  const misnamed = misnamedParts(value, value.message ?? '');
  if (misnamed.length > 0) throw new MutationFault(`type mismatch: ${misnamed.join('\n')}`);
}

/** The paths of atomic values in a configuration. */
function atomicPaths(type: FieldType, value: unknown, path: string): string[] {
  const atom = atomOf(type, value);
  if (atom.kind === 'list' && Array.isArray(value))
    return [
      ...(atom.relation === 'atomic' ? [path] : []),
      ...value.flatMap((item, index) => atomicPaths(atom.items, item, `${path}[${index}]`)),
    ];
  if (atom.kind !== 'map' || !isFields(value)) return [];
  const below = Object.keys(value)
    .sort()
    .filter((name) => Object.hasOwn(atom.fields, name))
    .flatMap((name) => atomicPaths(atom.fields[name], value[name], path + showElement(fieldElement(name))));
  return atom.atomic ? [path, ...below] : below;
}

/** The object with the fields of an `Object{…}`. Throws MutationFault. */
export function withConfiguration({ type, version }: Served, object: KubeObject, value: Value): unknown {
  if (!isDict(value)) throw new MutationFault('unsupported return type from ApplyConfiguration expression');
  requireNames(value);
  const { apiVersion, kind } = object;
  const config = { ...(native(value) as object), apiVersion, kind };
  const shape = objectType(version);
  const refused = (why: string) => new MutationFault(`error applying patch: ${why}`);
  const misfits =
    kind === type.kind ? typeErrors(shape, config) : `no corresponding type for ${apiVersion}, Kind=${kind}`;
  if (misfits !== '') throw refused(`failed to convert patch object to typed object: ${misfits}`);
  const atomics = atomicPaths(shape, config, '');
  if (atomics.length > 0)
    throw refused(
      `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    );
  return merge(shape, object, config);
}

function operationOf(value: Value): JsonPatchOperation {
  const part = (name: string) => (isDict(value) ? value.get(name) : undefined);
  const text = (name: string) => {
    const found = part(name);
    return typeof found === 'string' ? found : '';
  };
  const given = part('value');
  if (given !== undefined && isDict(given) && given.message !== undefined) requireNames(given);
  return {
    op: text('op'),
    path: text('path'),
    ...(text('from') === '' ? {} : { from: text('from') }),
    ...(given === undefined ? {} : { value: operand(given) }),
  } as JsonPatchOperation;
}

/** The object after a list of `JSONPatch{…}`; it stays as it is where a `test` does not hold. Throws MutationFault. */
export function withOperations(object: KubeObject, value: Value): unknown {
  if (!isList(value))
    throw new MutationFault('type mismatch: JSONPatchType.expression should evaluate to array');
  try {
    return jsonPatch(object, items(value).map(operationOf));
  } catch (error) {
    if (!(error instanceof Inapplicable)) throw error;
    if (error.isTest) return object;
    throw new MutationFault(`JSON Patch: ${error.why}`);
  }
}
