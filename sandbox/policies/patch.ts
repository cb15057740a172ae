import type { Served } from '../api/registry.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { JsonPatchOperation } from '../../schemas/wire/cluster.ts';
import { isFields } from '../../schemas/pods/fields.ts';
import { atomOf, objectType, type FieldType } from '../fields/atom.ts';
import { typeErrors } from '../fields/check.ts';
import { fieldElement, showElement } from '../fields/element.ts';
import { merge } from '../fields/merge.ts';
import { Inapplicable, jsonPatch } from '../patch/json.ts';
import { misnamedParts } from '../schema/cel/functions/patches.ts';
import { jsonOf } from '../schema/cel/json.ts';
import { EvaluationFault } from '../schema/cel/source.ts';
import { isDict, isList, items, type Dict, type Value } from '../schema/cel/values.ts';

/** Why a mutation does not apply; the failure policy decides about it. */
export class MutationFault extends Error {}

/** JSON, or a fault with what the value is for. */
function jsonFor(value: Value, what: string): unknown {
  try {
    return jsonOf(value);
  } catch (error) {
    if (!(error instanceof EvaluationFault)) throw error;
    throw new MutationFault(`${what}: ${error.message}`);
  }
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
export function withConfiguration({ version }: Served, object: KubeObject, value: Value): unknown {
  if (!isDict(value)) throw new MutationFault('unsupported return type from ApplyConfiguration expression');
  requireNames(value);
  const fields = jsonFor(value, 'invalid return type') as object;
  const { apiVersion, kind } = object;
  const config = { ...fields, apiVersion, kind };
  const type = objectType(version);
  const refused = (why: string) => new MutationFault(`error applying patch: ${why}`);
  const misfits = typeErrors(type, config);
  if (misfits !== '') throw refused(`failed to convert patch object to typed object: ${misfits}`);
  const atomics = atomicPaths(type, config, '');
  if (atomics.length > 0)
    throw refused(
      `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    );
  return merge(type, object, config);
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
    ...(given === undefined
      ? {}
      : {
          value: jsonFor(
            given,
            'JSONPath valueExpression evaluated to a type that could not marshal to JSON',
          ),
        }),
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
