import type { KubeObject } from '../../schemas/wire/object.ts';
import { fieldAt, isFields } from '../../schemas/pods/fields.ts';
import { since } from './duration.ts';

export type Cell = string | number | boolean | null;

/** One table column of a kind, with its cell function. */
export interface Column {
  name: string;
  type: string;
  /** `name` for the name column; otherwise mostly ''. */
  format: string;
  description: string;
  /** 0 is always shown, higher priorities only with `-o wide`. */
  priority: number;
  /** `now` is milliseconds since 1970 UTC. */
  cell: (object: KubeObject, now: number) => Cell;
}

type Extra = Partial<Pick<Column, 'type' | 'format' | 'description' | 'priority'>>;

export function column(name: string, cell: Column['cell'], extra: Extra = {}): Column {
  return { name, type: 'string', format: '', description: '', priority: 0, cell, ...extra };
}

/** A column that only `-o wide` shows. */
export function wide(name: string, cell: Column['cell']): Column {
  return column(name, cell, { priority: 1 });
}

/** A numeric column; 0 if absent. */
export function count(name: string, ...path: string[]): Column {
  return column(name, (object) => numberAt(object, path), { type: 'integer' });
}

export const nameColumn: Column = column('Name', (object) => object.metadata.name ?? '', { format: 'name' });

export const ageColumn: Column = column('Age', (object, now) =>
  since(object.metadata.creationTimestamp, now),
);

export const createdAtColumn: Column = column(
  'Created At',
  (object) => object.metadata.creationTimestamp ?? null,
  { type: 'date' },
);

export function textAt(value: unknown, path: readonly string[]): string {
  const found = fieldAt(value, path);
  return typeof found === 'string' ? found : '';
}

export function numberAt(value: unknown, path: readonly string[]): number {
  const found = fieldAt(value, path);
  return typeof found === 'number' ? found : 0;
}

/** The list at a path; empty if absent. */
export function listAt(value: unknown, path: readonly string[]): readonly unknown[] {
  const found = fieldAt(value, path);
  return Array.isArray(found) ? (found as unknown[]) : [];
}

/** The number of entries in a map. */
export function sizeAt(value: unknown, path: readonly string[]): number {
  const found = fieldAt(value, path);
  return isFields(found) ? Object.keys(found).length : 0;
}

export function textsAt(value: unknown, path: readonly string[]): string[] {
  return listAt(value, path).filter((item) => typeof item === 'string');
}

/** Joined texts; `<none>` if empty. */
export function joined(texts: readonly string[], separator = ','): string {
  return texts.length === 0 ? '<none>' : texts.join(separator);
}

/** `a=1,b=2`, sorted; `<none>` when empty. */
export function labelsText(labels: unknown): string {
  if (!isFields(labels)) return '<none>';
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`);
  return joined(pairs.sort());
}

/** A LabelSelector in the string form; `<none>` when it is absent or selects everything. */
export function selectorText(selector: unknown): string {
  const labels = fieldAt(selector, ['matchLabels']);
  const requirements = Object.entries(isFields(labels) ? labels : {}).map(([key, value]) => ({
    key,
    text: `${key}=${String(value)}`,
  }));
  for (const expression of listAt(selector, ['matchExpressions'])) {
    const key = textAt(expression, ['key']);
    const values = textsAt(expression, ['values']).sort().join(',');
    switch (textAt(expression, ['operator'])) {
      case 'In':
        requirements.push({ key, text: `${key} in (${values})` });
        break;
      case 'NotIn':
        requirements.push({ key, text: `${key} notin (${values})` });
        break;
      case 'Exists':
        requirements.push({ key, text: key });
        break;
      case 'DoesNotExist':
        requirements.push({ key, text: `!${key}` });
        break;
      default:
        return '<error>';
    }
  }
  requirements.sort((a, b) => (a.key < b.key ? -1 : 1));
  return joined(requirements.map(({ text }) => text));
}

/** The `-o wide` columns of a pod template: containers and images. */
export function containerColumns(...template: string[]): Column[] {
  const containers = (object: KubeObject) => listAt(object, [...template, 'spec', 'containers']);
  return [
    wide('Containers', (object) =>
      containers(object)
        .map((each) => textAt(each, ['name']))
        .join(','),
    ),
    wide('Images', (object) =>
      containers(object)
        .map((each) => textAt(each, ['image']))
        .join(','),
    ),
  ];
}
