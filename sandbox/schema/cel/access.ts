import { EvaluationFault } from './source.ts';
import { faultText, isDict, isList, isOptional, optionalOf, typeName, type Value } from './values.ts';

/** The value at a key or index; undefined if absent. Throws EvaluationFault for values without elements. */
export function found(operand: Value, key: Value): Value | undefined {
  if (isDict(operand)) return operand.get(key);
  if (!isList(operand)) return undefined;
  const index = typeof key === 'number' && Number.isInteger(key) ? BigInt(key) : key;
  if (typeof index !== 'bigint')
    throw new EvaluationFault(`unsupported index type '${typeName(key)}' in list`);
  return index >= 0n && index < operand.size ? operand.at(Number(index)) : undefined;
}

/** A field or element of a value or of an optional's value. Throws EvaluationFault if it is absent. */
export function at(operand: Value, key: Value): Value {
  if (isOptional(operand)) return optionalAt(operand, key);
  const value = found(operand, key);
  if (value !== undefined) return value;
  throw new EvaluationFault(`${isList(operand) ? 'index out of bounds' : 'no such key'}: ${faultText(key)}`);
}

/** The same, as an optional. */
export function optionalAt(operand: Value, key: Value): Value {
  if (!isOptional(operand)) return optionalOf(found(operand, key));
  return operand.value === undefined ? operand : optionalOf(found(operand.value, key));
}
