import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Locator } from '../load/locate.ts';
import type { Change } from '../plan/change.ts';
import { handover } from '../plan/handover.ts';
import type { Natives } from '../plan/handover.ts';
import { successor } from '../plan/successor.ts';
import { shownName } from '../plan/target.ts';
import { claimsWithTarget } from '../validate/claim-rules.ts';
import { locateIn } from '../validate/validate.ts';

/** Warns of a deleted workload, because no plan gates the deletion. */
export function removal(change: Change | undefined, natives: Natives, locator: Locator): Diagnostic[] {
  if (change?.action !== 'Delete' || change.base === undefined) return [];
  const given = handover(change, natives, locateIn(change.base.manifest, locator));
  const replaced = successor(change, natives, locateIn(change.base.manifest, locator));
  if (given.length + replaced.length > 0) return [...given, ...replaced];
  const { base, type, kind, namespace, name } = change;
  const effect = type.facts.removal(base.normal.units);
  if (effect === undefined) return [];
  const position = locateIn(base.manifest, locator)(['metadata', 'name'], 'value');
  const args = { kind, name: shownName({ namespace, name }), effect, ...claimsWithTarget(base) };
  return [diagnostic('KR2120', args, position)];
}
