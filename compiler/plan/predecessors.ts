import type { Predecessor, StepRule } from '../../schemas/generated/types/config.ts';
import type { PlanPredecessor } from '../../schemas/generated/types/rolloutplan.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { OPENKRUISE_GROUP } from '../../semantics/kinds/openkruise.ts';
import { byText } from '../text/order.ts';
import { apiVersionOf, plannedKind, writtenKind } from './kinds.ts';

/** What a target is known by; the same before and after it is normalized. */
export interface Named {
  kind: string;
  /** The registered kind; where it is left out, `kind` is as people write it. */
  type?: Kind | undefined;
  namespace: string | undefined;
  name: string;
}

/** Whether targets of a kind are in namespaces; so are those of a kind that nobody knows. */
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

/** Which target one under `after` is, for a target that waits: of the same namespace, unless it names another or has none. */
export function predecessorOf(target: Named, { kind, namespace, name }: Predecessor): Named {
  const type = plannedKind(kind);
  const place = isNamespaced(kind) ? (namespace ?? target.namespace) : undefined;
  return { kind: type?.id.kind ?? kind, type, namespace: place, name };
}

/**
 * The targets whose rollouts come before this one's, as its plan names them: those that its rule names. A rule for many
 * targets may well take one of those that it names: that one does not wait for itself.
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
        // Elsewhere it is that of the plan.
        ...(namespace === undefined || isNamespaced(target.kind) ? {} : { namespace }),
        name,
      };
    });
}

/** What tells targets apart, in any state. */
export function keyOf({ kind, type = plannedKind(kind), namespace, name }: Named): string {
  return JSON.stringify([namespace ?? '', type?.id.kind ?? kind, name, type?.id.group ?? '']);
}
