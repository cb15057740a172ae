import type { Predecessor, StepRule } from '../../schemas/generated/types/config.ts';
import type { PlanPredecessor } from '../../schemas/generated/types/rolloutplan.ts';
import type { PlannedKind } from '../../semantics/kinds/kind.ts';
import { OPENKRUISE_GROUP } from '../../semantics/kinds/openkruise.ts';
import { byText } from '../text/order.ts';
import { apiVersionOf, plannedKind, writtenKind } from './kinds.ts';

/** The identity of a target, whether its manifest was normalized or not. */
export interface Named {
  kind: string;
  /** The registered kind; if omitted, `kind` is the name that users write. */
  type?: PlannedKind | undefined;
  namespace: string | undefined;
  name: string;
}

/** Whether targets of a kind are namespaced. Unknown kinds count as namespaced. */
export function isNamespaced(kind: string): boolean {
  return plannedKind(kind)?.resource.namespaced !== false;
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

/**
 * The target that an entry of `after` means for a target that waits: in the same namespace, unless the entry names another
 * or is cluster-scoped.
 */
export function predecessorOf(target: Named, { kind, namespace, name }: Predecessor): Named {
  const type = plannedKind(kind);
  const at = isNamespaced(kind) ? (namespace ?? target.namespace) : undefined;
  return { kind: type?.id.kind ?? kind, type, namespace: at, name };
}

/**
 * The targets whose rollouts must finish before this one's, as its plan names them. A rule for many targets may match one
 * of those that it names: that one does not wait for itself.
 */
export function predecessorsOf(rule: StepRule | undefined, target: Named): PlanPredecessor[] {
  return namedBy(rule)
    .map((each) => predecessorOf(target, each))
    .filter((each) => keyOf(each) !== keyOf(target))
    .map(({ kind, type, namespace, name }) => {
      const apiVersion = apiVersionOf(type === undefined ? kind : writtenKind(type.id));
      return {
        ...(apiVersion.startsWith(`${OPENKRUISE_GROUP}/`) ? {} : { apiVersion }),
        kind,
        // If omitted, the namespace is that of the plan.
        ...(namespace === undefined || isNamespaced(target.kind) ? {} : { namespace }),
        name,
      };
    });
}

/** The key of a target, equal in all states. */
export function keyOf({ kind, type = plannedKind(kind), namespace, name }: Named): string {
  return JSON.stringify([namespace ?? '', type?.id.kind ?? kind, name, type?.id.group ?? '']);
}
