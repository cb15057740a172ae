import { EvaluationFault } from './source.ts';
import { durationText, timeText } from './time.ts';
import { typeName, type Value } from './values.ts';

/** Formats a number like Go's `%g`. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 21) {
    return plainDigits(mantissa, power);
  }
  const size = String(Math.abs(power)).padStart(2, '0');
  return `${mantissa}e${power < 0 ? '-' : '+'}${size}`;
}

function plainDigits(mantissa: string, power: number): string {
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace(/[-.]/g, '');
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${digits}`;
  const whole = digits.padEnd(power + 1, '0').slice(0, power + 1);
  const rest = digits.slice(power + 1);
  return `${sign}${whole}${rest === '' ? '' : `.${rest}`}`;
}

/** Bytes as a string. Throws EvaluationFault for invalid UTF-8. */
export function bytesText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new EvaluationFault('invalid UTF-8 in bytes, cannot convert to string');
  }
}

/** The result of `string(…)`; undefined for types without conversion. */
export function valueText(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return doubleText(value);
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof Uint8Array) return bytesText(value);
  if (value === null) return undefined;
  switch (value.kind) {
    case 'uint':
      return String(value.value);
    case 'duration':
      return durationText(value.nanos);
    case 'timestamp':
      return timeText(value.nanos);
    case 'type':
      return value.name;
    case 'opaque':
      return value.text;
    case 'list':
    case 'map':
    case 'optional':
    default:
      return undefined;
  }
}

export const conversionFault = (from: Value, to: string): EvaluationFault =>
  new EvaluationFault(`type conversion error from '${typeName(from)}' to '${to}'`);
