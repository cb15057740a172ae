import type { JsonObject } from '../../schemas/wire/json.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { generatedStem } from '../text/generated-stem.ts';
import { type PodReference, podReferences } from './pod-references.ts';
import type { Locate } from './schema-errors.ts';

/** An object that a template has named, and the reference to the one that took its place. */
interface Renamed {
  from: PodReference;
  to: PodReference;
}

/** The generated ConfigMaps and Secrets that have another name in the second template, and are not in it any more. */
export function renamedReferences(before: JsonObject, after: JsonObject): Renamed[] {
  const old = new Map<string, PodReference>();
  for (const each of podReferences(before)) if (stemOf(each) !== undefined) old.set(stemOf(each) ?? '', each);
  const now = podReferences(after);
  const kept = new Set(now.map(({ kind, name }) => `${kind} ${name}`));
  const found: Renamed[] = [];
  for (const to of now) {
    const stem = stemOf(to);
    const from = stem === undefined ? undefined : old.get(stem);
    if (stem === undefined || from === undefined || kept.has(`${from.kind} ${from.name}`)) continue;
    old.delete(stem);
    found.push({ from, to });
  }
  return found;
}

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
  return renamedReferences(before, after).map(({ from, to }) => {
    const args = { kind: to.kind, from: from.name, to: to.name };
    return diagnostic('KR2132', args, locate([...template, ...to.path], 'value'));
  });
}

function stemOf({ kind, name }: PodReference): string | undefined {
  const stem = generatedStem(name);
  return stem === undefined ? undefined : `${kind} ${stem}`;
}
