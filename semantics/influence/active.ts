import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Pod } from '../pod/types.ts';
import { shownError } from '../values/text.ts';
import type { ActiveInfluence, CreatedPod, Influences, InfluencingKind, Present } from './influence.ts';
import { ownPods, unjudgedInfluence } from './unjudged.ts';

/**
 * Binds the rules of a kind to a valid object of it.
 *
 * @param guard the PodDisruptionBudget that it owns. Default: none
 */
export function activeInfluence(
  kind: InfluencingKind,
  object: KubeObject,
  now: number,
  guard?: KubeObject,
): ActiveInfluence {
  const { rules, resource } = kind;
  const failed = (error: unknown): ActiveInfluence =>
    unjudgedInfluence(kind, object, `its rules failed with ${shownError(error)}`);
  const isOwn = ownPods(rules, object);
  // Of the objects of a namespace, few are about the pods of one target: the others are asked for nothing.
  const slots = once(() => rules.onDisrupt(object, now, guard));
  return {
    resource,
    object,
    failed,
    limitOf(pod, how) {
      if (!isOwn(pod)) return undefined;
      try {
        return slots()?.takesSlot(pod, how) === true ? slots()?.limit : undefined;
      } catch (error) {
        return failed(error).limitOf(pod, how);
      }
    },
    created(owner, pods, present) {
      if (!pods.some((pod) => rules.covers(object, pod as Pod))) return pods.map(asItIs);
      // Rules that end in an error about present pods are not asked about new ones.
      slots();
      return rules.onCreate(object, owner, pods, now, present);
    },
    record: (done) => rules.record(object, done, now),
    raise({ disrupted }) {
      const body = guard && rules.raise(object, guard, disrupted, now);
      return guard && body && { guard, body };
    },
    claim(pod, pods) {
      const body = guard && rules.claim(object, guard, pod, pods, now);
      return guard && body && { guard, body };
    },
    deletionCost(owner, present) {
      try {
        const costOf = rules.deletionCost(object, owner, present);
        return (pod) => {
          if (!isOwn(pod)) return undefined;
          try {
            return costOf(pod);
          } catch {
            return undefined;
          }
        };
      } catch {
        return () => undefined;
      }
    },
  };
}

const asItIs = (pod: KubeObject): CreatedPod => ({ pod, isRecorded: false });

/** A value that is computed when it is first asked for; an error each time. */
function once<Value>(compute: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: compute() }).value;
}

/**
 * The deletion cost of pods of a target by all objects that say something about them; undefined: there can be none. The first one counts.
 * Only a scale-in asks, and the first question reads all pods.
 */
export function deletionCosts(
  influences: Influences | undefined,
  target: KubeObject,
  present: Present,
): ((pod: Pod) => number | undefined) | undefined {
  if (influences === undefined) return undefined;
  let costs: ((pod: Pod) => number | undefined)[] | undefined;
  return (pod) => {
    costs ??= influences(present.pods).map((each) => each.deletionCost(target, present));
    for (const costOf of costs) {
      const cost = costOf(pod);
      if (cost !== undefined) return cost;
    }
    return undefined;
  };
}
