import { EvaluationFault } from './source.ts';
import { faultText, isDict, isList, isOptional, optionalOf, typeName, type Value } from './values.ts';

/** What stands at a key or index; undefined for what is not there. Throws EvaluationFault for what has neither. */
export function found(operand: Value, key: Value): Value | undefined {
  if (isDict(operand)) return operand.get(key);
  if (!isList(operand)) return undefined;
  const index = typeof key === 'number' && Number.isInteger(key) ? BigInt(key) : key;
  if (typeof index !== 'bigint')
    throw new EvaluationFault(`unsupported index type '${typeName(key)}' in list`);
  return index >= 0n && index < operand.size ? operand.at(Number(index)) : undefined;
}

/** A field or element of a value, or of what an optional holds. Throws EvaluationFault for what is not there. */
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
