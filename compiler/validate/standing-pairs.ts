import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Locator } from '../load/locate.ts';
import type { StandingManifest } from '../load/manifest.ts';
import { shownName } from '../plan/target.ts';
import { byText } from '../text/order.ts';
import { hasValidShape } from './valid-shape.ts';
import { locateIn } from './validate.ts';

/** Of a kind with more objects in a namespace that has no faster way, not every pair is compared: it would take too long. */
const MOST_COMPARED = 200;

/**
 * Errors for objects that are reconciled at once and exclude each other. Each is reported at the later one, by name, with the first
 * other that it excludes.
 *
 * @param valid those without errors
 */
export function exclusionRules(valid: Iterable<StandingManifest>, locator: Locator): Diagnostic[] {
  const groups = new Map<string, StandingManifest[]>();
  for (const manifest of [...valid].sort((a, b) => byText(a.id, b.id))) {
    const { type, namespace = '' } = manifest;
    const key = JSON.stringify([type.id.group, type.id.kind, namespace]);
    groups.set(key, [...(groups.get(key) ?? []), manifest]);
  }
  return [...groups.values()].flatMap((all) => {
    const candidates = candidatesAmong(all);
    return all.flatMap((manifest, index) => exclusion(manifest, candidates(index), locator));
  });
}

/** For the index of each of these objects of one kind, the earlier ones that it is compared with. */
function candidatesAmong(all: readonly StandingManifest[]): (index: number) => readonly StandingManifest[] {
  const known = all[0]?.type.git.earlierConflicts?.(all.map(({ object }) => object));
  if (known === undefined) return (index) => (index < MOST_COMPARED ? all.slice(0, index) : []);
  return (index) => {
    const other = all[known[index] ?? -1];
    return other === undefined ? [] : [other];
  };
}

/** The first of these others that an object excludes. */
function exclusion(
  manifest: StandingManifest,
  others: readonly StandingManifest[],
  locator: Locator,
): Diagnostic[] {
  for (const other of others) {
    const found = manifest.type.git.conflict(manifest.object, other.object);
    if (found === undefined) continue;
    const args = {
      object: `${manifest.kind} ${shownName(manifest)}`,
      other: `${other.kind} ${shownName(other)}`,
      rule: `${found.path.join('.')} ${found.rule}`,
    };
    const position = locateIn(manifest, locator)(found.path, 'key');
    const related = [
      { message: 'the other one', position: locateIn(other, locator)(['metadata', 'name'], 'value') },
    ];
    return [diagnostic('KR2228', args, position, related)];
  }
  return [];
}

/** Errors for changes of objects that are reconciled at once, in fields that cannot change. No server has one that is invalid. */
export function fixedFieldRules(
  base: ReadonlyMap<string, StandingManifest>,
  head: Iterable<StandingManifest>,
  locator: Locator,
): Diagnostic[] {
  return [...head].flatMap((manifest) => {
    const before = base.get(manifest.id);
    const { kind, type, object } = manifest;
    if (before === undefined || !hasValidShape(before)) return [];
    return type.git
      .changedForever(before.object, object)
      .map((path) =>
        diagnostic('KR2229', { kind, field: path.join('.') }, locateIn(manifest, locator)([...path], 'key')),
      );
  });
}
