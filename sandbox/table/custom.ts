import type { PrinterColumn } from '../api/registry.ts';
import { ageColumn, column, nameColumn, type Cell, type Column } from './column.ts';
import { since } from './duration.ts';
import { parseJsonPath } from './jsonPath.ts';

/** Formats a number like Go. */
function numberText(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || size >= 1e-4) return String(value);
  return value.toExponential().replace(/e-(\d)$/, 'e-0$1');
}

/** A value as text: lists and maps as JSON with sorted keys. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

function cellOf(type: string, value: unknown, now: number): Cell {
  switch (type) {
    case 'string':
      return value === null ? null : valueText(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? since(value, now) : null;
    default:
      return null;
  }
}

function customColumn({ name, type, format, description, priority, jsonPath }: PrinterColumn): Column {
  const find = parseJsonPath(jsonPath);
  return column(
    name,
    (object, now) => {
      const [found] = find?.(object) ?? [];
      return found === undefined ? null : cellOf(type, found, now);
    },
    {
      type,
      format: format ?? '',
      description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
      priority: priority ?? 0,
    },
  );
}

/** The columns of a custom kind: the name, and its additionalPrinterColumns or the age. */
export function customColumns(declared: readonly PrinterColumn[]): readonly Column[] {
  if (declared.length === 0) return [nameColumn, { ...ageColumn, type: 'date' }];
  return [nameColumn, ...declared.map(customColumn)];
}
