import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Kind, Orphans } from '../../semantics/kinds/kind.ts';
import { type Need, needOf } from '../../semantics/kinds/need.ts';
import { controllerOf } from '../../semantics/owner.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { isPullPod } from '../../semantics/pull/pod.ts';
import { isSameSelector, type LabelSelector, selectorPredicate } from '../../semantics/values/selector.ts';
import { keyOf } from './ids.ts';
import type { TargetKey } from './target-key.ts';

/** The pods and revisions without controller that targets adopt. */
export interface OrphanCache {
  /** Sets the needs of a target. */
  need(key: TargetKey, needs: readonly Need[]): void;
  /** Whether some target may adopt this object, so that it is cached although no target controls it. */
  keeps(object: KubeObject): boolean;
  /** An object changed or was deleted. Returns the targets that may adopt it. */
  file(object: KubeObject, gone: boolean): readonly TargetKey[];
  /**
   * Undefined: the target adopts nothing. `pending`: pods are not listed since it began to want them, or it may adopt pods, and
   * revisions are not listed since then.
   *
   * @param listed the last complete lists
   */
  of(key: TargetKey, listed: { pods: number; revisions: number }): Orphans | 'pending' | undefined;
}

interface Wanted {
  numbered: string | undefined;
  selector: LabelSelector;
  /** The ordinal of the list that contains the pods that it wants; 0: they are cached whatever it wants. */
  podsShownBy: number;
  matches: ReturnType<typeof selectorPredicate>;
  /** The ordinal of the list that contains the revisions of its orphaned pods; undefined: it has none. */
  shownBy: number | undefined;
}

/** `<prefix><number>`, in the only form that controllers write. */
const NUMBERED = /^(.*-)(?:0|[1-9][0-9]*)$/;

/**
 * Pods without controller are cached only if a target wants them, or if they have a number, as those of kinds with ordinals; revisions
 * only for targets that have orphaned pods: others may create as many as they like.
 *
 * @param watched        the kinds whose targets are watched
 * @param isStub         whether only a stub of an object is cached: such a pod is not adopted
 * @param list           lists all pods, or all revisions, again; returns the ordinal of that list
 */
export function createOrphanCache(
  watched: () => readonly Kind[],
  isStub: (object: KubeObject) => boolean,
  list: { pods(): number; revisions(): number },
): OrphanCache {
  /** By namespace. */
  const wanted = new Map<string, Map<TargetKey, Wanted>>();
  /** By namespace, then by `keyOf`. */
  const pods = new Map<string, Map<string, KubeObject>>();
  const revisions = new Map<string, Map<string, KubeObject>>();

  return {
    need(key, needs) {
      const need = needOf(needs, 'Orphans');
      const targets = wanted.get(key.namespace) ?? new Map<TargetKey, Wanted>();
      if (need === undefined) targets.delete(key);
      else {
        const { numbered, selector } = need;
        const before = targets.get(key);
        const isKnown = before?.numbered === numbered && isSameSelector(before?.selector, selector);
        const podsShownBy = numbered !== undefined ? 0 : isKnown ? (before?.podsShownBy ?? 0) : list.pods();
        const { shownBy } = before ?? {};
        targets.set(key, { numbered, selector, podsShownBy, matches: selectorPredicate(selector), shownBy });
      }
      if (targets.size === 0) wanted.delete(key.namespace);
      else wanted.set(key.namespace, targets);
    },
    keeps(object) {
      if (controllerOf(object) !== undefined) return false;
      const { namespace = '', name } = object.metadata;
      const targets = [...(wanted.get(namespace)?.values() ?? [])];
      if (object.kind !== 'Pod')
        return targets.some((each) => each.shownBy !== undefined && fits(object, each));
      const uses = watched().flatMap((kind) => kind.uses.filter((use) => use.of === 'Orphans'));
      const isOfOrdinals = uses.some(({ areNumbered }) => areNumbered) && NUMBERED.test(name);
      return isOfOrdinals || targets.some((each) => each.numbered === undefined && fits(object, each));
    },
    file(object, gone) {
      const { namespace = '', deletionTimestamp } = object.metadata;
      const all = object.kind === 'Pod' ? pods : revisions;
      const within = all.get(namespace) ?? new Map<string, KubeObject>();
      const isOrphan =
        !gone && deletionTimestamp === undefined && !isStub(object) && controllerOf(object) === undefined;
      const id = keyOf(object);
      if (!isOrphan && !within.has(id)) return [];
      if (isOrphan) within.set(id, object);
      else within.delete(id);
      if (within.size === 0) all.delete(namespace);
      else all.set(namespace, within);
      return [...(wanted.get(namespace) ?? [])].flatMap(([key, each]) => (fits(object, each) ? [key] : []));
    },
    of(key, listed) {
      const own = wanted.get(key.namespace)?.get(key);
      if (own === undefined) return undefined;
      if (listed.pods < own.podsShownBy) return 'pending';
      const fitting = (all: typeof pods): KubeObject[] =>
        [...(all.get(key.namespace)?.values() ?? [])].filter((object) => fits(object, own));
      const orphans = fitting(pods) as Pod[];
      if (orphans.length === 0) {
        own.shownBy = undefined;
        return { pods: [], revisions: [] };
      }
      own.shownBy ??= list.revisions();
      return listed.revisions < own.shownBy ? 'pending' : { pods: orphans, revisions: fitting(revisions) };
    },
  };
}

/** A pod that only pulls images is no unit of anything. */
function fits(object: KubeObject, { numbered, matches }: Wanted): boolean {
  const { kind, metadata } = object;
  const { name, labels } = metadata;
  if (kind === 'Pod' && isPullPod(object)) return false;
  const isNamed = kind !== 'Pod' || numbered === undefined || NUMBERED.exec(name)?.[1] === numbered;
  return isNamed && matches(labels);
}
