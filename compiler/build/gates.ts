import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isPlanned } from '../../semantics/kinds/kind.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { hasGate } from '../load/gates.ts';
import { shownName } from '../plan/target.ts';
import { idOfNames, type Names, textOfNames } from './verdict.ts';

/** A gate that a template gets. */
export interface AddedGate {
  gate: string;
  /** A sentence for people. */
  why: string;
}

/**
 * The gates that templates of workloads of Kubernetes need, because other objects place their pods. An object that no rule executes
 * places none, and a gate would hold pods for ever.
 */
export function gatesFor(
  objects: readonly { object: JsonObject; names: Names }[],
): (object: JsonObject, names: Names) => AddedGate | undefined {
  const needed = new Map<string, AddedGate>();
  for (const { object, names } of objects) {
    const kind = kindOf({ group: names.group, kind: names.kind });
    if (kind === undefined || isPlanned(kind)) continue;
    const placing = object as unknown as KubeObject;
    if (kind.validate(placing).length + kind.unsupported(placing).length > 0) continue;
    const { gate, target } = kind.git.spreads(placing) ?? {};
    if (gate === undefined || target === undefined) continue;
    const { namespace } = names;
    const why = `${target.kind} ${shownName({ namespace, name: target.name })} gets the scheduling gate ${gate}, as ${textOfNames(names)} places its pods`;
    needed.set(idOfNames({ group: target.group, kind: target.kind, namespace, name: target.name }), {
      gate,
      why,
    });
  }
  return (object, names) => {
    const found = needed.get(idOfNames(names));
    return found === undefined || hasGate(object, found.gate) ? undefined : found;
  };
}
