import type { Predecessor, StepRule } from '../../schemas/generated/types/config.ts';
import { byText } from '../text/order.ts';

/** What a target is known by; the same before and after it is normalised. */
export interface Named {
  kind: string;
  namespace: string | undefined;
  name: string;
}

/** The targets that a rule names under `after`, each once, sorted. */
export function namedBy(rule: StepRule | undefined): Predecessor[] {
  const found = new Map<string, Predecessor>();
  for (const { kind, name } of rule?.after ?? []) found.set(JSON.stringify([kind, name]), { kind, name });
  return [...found.values()].sort((a, b) => byText(a.kind, b.kind) || byText(a.name, b.name));
}

/**
 * The targets whose roll-outs come before this one's: those that its rule names. A rule for many targets may well take
 * one of those that it names: that one does not wait for itself.
 */
export function predecessorsOf(rule: StepRule | undefined, target: Named): Predecessor[] {
  return namedBy(rule).filter(({ kind, name }) => kind !== target.kind || name !== target.name);
}

/** What tells targets of one group apart, in any state. */
export function keyOf({ kind, namespace, name }: Named): string {
  return JSON.stringify([namespace ?? '', kind, name]);
}
