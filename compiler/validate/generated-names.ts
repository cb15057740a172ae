import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Locate } from './schema-errors.ts';

/** A ConfigMap or Secret that a template names. */
interface Reference {
  kind: 'ConfigMap' | 'Secret';
  name: string;
  /** Where the name stands below the template. */
  path: string[];
}

/** The fields of a template that refer to one, and what the name is called there. */
const FIELDS: Readonly<Record<string, { kind: Reference['kind']; names: readonly string[] }>> = {
  configMap: { kind: 'ConfigMap', names: ['name'] },
  configMapRef: { kind: 'ConfigMap', names: ['name'] },
  configMapKeyRef: { kind: 'ConfigMap', names: ['name'] },
  secret: { kind: 'Secret', names: ['secretName', 'name'] },
  secretRef: { kind: 'Secret', names: ['name'] },
  secretKeyRef: { kind: 'Secret', names: ['name'] },
};

/** What kustomize appends to the name of a generated object: ten letters of a hash, written without vowels. */
const GENERATED = /^(.+)-[2456789bcdfghkmt]{10}$/;

/**
 * Generated ConfigMaps and Secrets that get another name with this change. Pods on the old revision go on needing the old
 * object: one that is gone keeps a lost pod, or one on its way back, from starting.
 *
 * @param template where the template stands
 */
export function generatedNames(
  before: JsonObject,
  after: JsonObject,
  template: readonly string[],
  locate: Locate,
): Diagnostic[] {
  const old = new Map<string, Reference>();
  for (const each of references(before, []))
    if (stemOf(each) !== undefined) old.set(stemOf(each) ?? '', each);
  const kept = new Set(references(after, []).map(({ kind, name }) => `${kind} ${name}`));
  const found: Diagnostic[] = [];
  for (const each of references(after, [])) {
    const stem = stemOf(each);
    const from = stem === undefined ? undefined : old.get(stem);
    if (stem === undefined || from === undefined || kept.has(`${from.kind} ${from.name}`)) continue;
    old.delete(stem);
    const args = { kind: each.kind, from: from.name, to: each.name };
    found.push(diagnostic('KR2132', args, locate([...template, ...each.path], 'value')));
  }
  return found;
}

function stemOf({ kind, name }: Reference): string | undefined {
  const stem = GENERATED.exec(name)?.[1];
  return stem === undefined ? undefined : `${kind} ${stem}`;
}

function references(value: Json | undefined, path: string[]): Reference[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => references(item, [...path, String(index)]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...named(key, member, [...path, key]),
    ...references(member, [...path, key]),
  ]);
}

function named(key: string, member: Json | undefined, path: string[]): Reference[] {
  const field = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
  if (field === undefined || typeof member !== 'object' || member === null || Array.isArray(member))
    return [];
  return field.names.flatMap((at) => {
    const name = Object.hasOwn(member, at) ? member[at] : undefined;
    return typeof name === 'string' ? [{ kind: field.kind, name, path: [...path, at] }] : [];
  });
}
