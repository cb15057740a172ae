import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Need, needOf } from '../../semantics/kinds/need.ts';
import { controllerOf } from '../../semantics/owner.ts';
import { isReady } from '../../semantics/pod/readiness.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { createFollowed, type Owners } from './followed.ts';
import type { Reflector } from './reflector.ts';
import { createSelections } from './selections.ts';
import type { TargetKey } from './target-key.ts';

/** The pods that targets select, and whether all of them are listed. */
export interface Selected {
  /** Sets the needs of a target, and returns whether it selects by another rule now. `cached`: the pods that are cached now. */
  need(key: TargetKey, needs: readonly Need[], cached: Iterable<KubeObject>): boolean;
  /** Whether a target selects any. */
  has(key: TargetKey): boolean;
  /** Whether it selects pods of one other target, which is watched. */
  isFollowing(key: TargetKey): boolean;
  /** The targets that select pods of this one as they follow it. */
  followersOf(owner: TargetKey): readonly TargetKey[];
  /** Whether no target selects any. */
  readonly isEmpty: boolean;
  /** The names of the namespaces whose pods a target selects; undefined: all of them. */
  namespacesOf(key: TargetKey): readonly string[] | undefined;
  /** Whether any target selects such a pod, apart from those that follow its controller. */
  selects(pod: KubeObject): boolean;
  /** Whether a target selects such a pod as it follows the controller of it. */
  isFollowed(pod: KubeObject): boolean;
  /** The targets that select such a pod. */
  keysOf(pod: KubeObject): readonly TargetKey[];
  /** Whether a target selects the pod by its name. */
  isNamed(pod: KubeObject): boolean;
  /** The other targets that select the same pod by its name. */
  sharing(key: TargetKey): readonly TargetKey[];
  /** The pods of a namespace that targets of it select by their names. */
  namedIn(namespace: string): readonly KubeObject[];
  /**
   * A pod changed or was deleted. Returns the targets that select it, or did until now. Once it is ready, there are some more: they select
   * another pod of its controller by name, and may wait until few enough of these are unavailable.
   *
   * @param owners the targets that control it, or did until now
   */
  pod(
    object: KubeObject,
    gone: boolean,
    before?: KubeObject,
    owners?: readonly TargetKey[],
  ): readonly TargetKey[];
  /** Undefined: some were not cached before and are not listed yet. `listed`: the last complete list of pods. */
  podsOf(key: TargetKey, listed: number): readonly KubeObject[] | undefined;
}

/** One pod that is back lets few others go. */
const MOST_BESIDES = 50;

/** Without owners no target follows another one. */
const NO_OWNERS: Owners = { areKnown: () => false, podsOf: () => [] };

/** @param enqueue is called when the pod that a target names is known */
export function createSelected(
  pods: () => Pick<Reflector, 'listAgain' | 'read'>,
  enqueue: (key: TargetKey) => void,
  owners: Owners = NO_OWNERS,
): Selected {
  const selections = createSelections();
  const followed = createFollowed(owners);
  /** The ordinal of the list that contains all pods that a target selects; infinite: its pod is being read. */
  const shownBy = new Map<TargetKey, number>();
  const namespaces = new Map<TargetKey, readonly string[] | undefined>();
  /** The targets that select a pod by its name, by namespace. */
  const naming = new Map<string, Set<TargetKey>>();
  /** The last read for a target, while it lasts. */
  const reads = new Map<TargetKey, object>();
  /** What `namedIn` has found, until a pod of the namespace changes. */
  const named = new Map<string, readonly KubeObject[]>();

  function name(key: TargetKey, isNaming: boolean): void {
    const { namespace } = key;
    const keys = naming.get(namespace) ?? new Set();
    if (keys.has(key) === isNaming) return;
    if (isNaming) naming.set(namespace, keys.add(key));
    else keys.delete(key);
    if (keys.size === 0) naming.delete(namespace);
    named.delete(namespace);
  }

  /** Targets that select another pod of the same controller by its name, those first that began to first. */
  function besides(pod: KubeObject): TargetKey[] {
    const uid = controllerOf(pod)?.uid;
    const found: TargetKey[] = [];
    if (uid === undefined) return found;
    for (const key of naming.get(pod.metadata.namespace ?? '') ?? []) {
      const [other] = selections.podsOf(key);
      if (other === undefined || other.metadata.uid === pod.metadata.uid) continue;
      if (controllerOf(other)?.uid === uid) found.push(key);
      if (found.length === MOST_BESIDES) break;
    }
    return found;
  }

  /** Pods that a target begins to select were not cached before: all of them are listed again, one that it names is read. */
  function begin(key: TargetKey, podName: string | undefined): void {
    reads.delete(key);
    if (podName === undefined) {
      shownBy.set(key, pods().listAgain());
      return;
    }
    const mine = {};
    reads.set(key, mine);
    shownBy.set(key, Infinity);
    pods().read({ namespace: key.namespace, name: podName }, (ordinal) => {
      if (reads.get(key) !== mine) return;
      reads.delete(key);
      shownBy.set(key, ordinal);
      enqueue(key);
    });
  }

  return {
    need(key, needs, cached) {
      const need = needOf(needs, 'SelectedPods');
      name(key, need?.podName !== undefined);
      if (need === undefined) namespaces.delete(key);
      else namespaces.set(key, need.namespaces);
      const isFollowing = need !== undefined && followed.fits(key, need);
      // What was selected by name until its owner was known is cached as it is to be.
      const isKnown = isFollowing && selections.has(key, need);
      const follows = followed.target(key, isFollowing ? need : undefined) && !isKnown;
      const isOther = selections.target(key, isFollowing ? undefined : need, cached) || follows;
      if (isOther) begin(key, need?.podName);
      if (need !== undefined) return isOther;
      reads.delete(key);
      return shownBy.delete(key) || isOther;
    },
    namespacesOf: (key) => namespaces.get(key),
    has: (key) => shownBy.has(key),
    isFollowing: followed.has,
    followersOf: followed.of,
    get isEmpty() {
      return shownBy.size === 0;
    },
    selects: selections.selects,
    isFollowed: (pod) => followed.keysOf(pod).length > 0,
    keysOf: (pod) => [...selections.keysOf(pod), ...followed.keysOf(pod)],
    isNamed: selections.isNamed,
    sharing: selections.sharing,
    namedIn(namespace) {
      const found = named.get(namespace) ?? [
        ...new Set([...(naming.get(namespace) ?? [])].flatMap((key) => selections.podsOf(key))),
      ];
      if (found.length > 0) named.set(namespace, found);
      return found;
    },
    pod(object, gone, before, controlling = []) {
      const { namespace = '' } = object.metadata;
      named.delete(namespace);
      const following = controlling.flatMap(followed.of);
      const selecting = selections.pod(object, gone);
      const own = following.length === 0 ? selecting : [...selecting, ...following];
      if (gone || before === undefined || !naming.has(namespace)) return own;
      const isBack = isReady(object as Pod) && !isReady(before as Pod);
      return isBack ? [...own, ...besides(object)] : own;
    },
    podsOf(key, listed) {
      if (listed < (shownBy.get(key) ?? 0)) return undefined;
      return followed.podsOf(key) ?? selections.podsOf(key);
    },
  };
}
