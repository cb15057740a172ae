import type { Predecessor, StepRule } from '../../schemas/generated/types/config.ts';
import type { PlanPredecessor } from '../../schemas/generated/types/rolloutplan.ts';
import { OPENKRUISE_GROUP } from '../../semantics/kinds/openkruise.ts';
import { byText } from '../text/order.ts';
import { apiVersionOf, PLANNED } from './kinds.ts';

/** What a target is known by; the same before and after it is normalised. */
export interface Named {
  kind: string;
  namespace: string | undefined;
  name: string;
}

/** Whether targets of a kind are in namespaces; so are those of a kind that nobody knows. */
export function isNamespaced(kind: string): boolean {
  return PLANNED.get(kind)?.resource.namespaced !== false;
}

/** The targets that a rule names under `after`, each once, sorted. */
export function namedBy(rule: StepRule | undefined): Predecessor[] {
  const found = new Map<string, Predecessor>();
  for (const each of rule?.after ?? []) found.set(keyOf({ namespace: undefined, ...each }), each);
  return [...found.values()].sort(
    (a, b) =>
      byText(a.kind, b.kind) || byText(a.namespace ?? '', b.namespace ?? '') || byText(a.name, b.name),
  );
}

/** Which target one under `after` is, for a target that waits: of the same namespace, unless it names another or has none. */
export function predecessorOf(target: Named, { kind, namespace, name }: Predecessor): Named {
  return { kind, namespace: isNamespaced(kind) ? (namespace ?? target.namespace) : undefined, name };
}

/**
 * The targets whose roll-outs come before this one's, as its plan names them: those that its rule names. A rule for many
 * targets may well take one of those that it names: that one does not wait for itself.
 */
export function predecessorsOf(rule: StepRule | undefined, target: Named): PlanPredecessor[] {
  return namedBy(rule)
    .map((each) => predecessorOf(target, each))
    .filter((each) => keyOf(each) !== keyOf(target))
    .map(({ kind, namespace, name }) => {
      const apiVersion = apiVersionOf(kind);
      return {
        ...(apiVersion.startsWith(`${OPENKRUISE_GROUP}/`) ? {} : { apiVersion }),
        kind,
        // Elsewhere it is that of the plan.
        ...(namespace === undefined || isNamespaced(target.kind) ? {} : { namespace }),
        name,
      };
    });
}

/** What tells targets of one group apart, in any state. */
export function keyOf({ kind, namespace, name }: Named): string {
  return JSON.stringify([namespace ?? '', kind, name]);
}
