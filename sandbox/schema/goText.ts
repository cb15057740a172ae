import { isFields } from '../store/value.ts';

/** A JSON value as Go prints one it knows nothing of: `map[spec:map[foo:1]]`, keys sorted. */
export function goText(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isFields(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  const fields = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${key}:${goText(value[key])}`);
  return `map[${fields.join(' ')}]`;
}
