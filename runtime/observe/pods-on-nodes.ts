import type { Clock } from '../../schemas/wire/clock.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { type Need, needOf } from '../../semantics/kinds/need.ts';
import { type PodOnNode, podOnNode } from '../../semantics/node/pod-on-node.ts';
import { isPullPod } from '../../semantics/pull/pod.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { type Holding, weigh } from './holdings.ts';
import { keyOf } from './ids.ts';
import { createIntern } from './intern.ts';
import type { Shown } from './needed.ts';
import { EVERYWHERE } from './one-namespace.ts';
import type { Reflector, Tap } from './reflector.ts';
import type { Enqueue } from './scheduler.ts';
import type { Sources } from './sources.ts';
import type { TargetKey } from './target-key.ts';

/** The pods of all namespaces that are on nodes, whoever owns them. They are observed while a target needs them. */
export interface PodsOnNodes {
  /** Observes the pods of a watch beside what it stores. */
  readonly tap: Tap;
  /** Sets the needs of a target. */
  need(key: TargetKey, needs: readonly Need[]): void;
  shown(): Shown<readonly PodOnNode[]>;
  /** The size of the cache, while it is in use. */
  sizes(): Holding[];
}

/** Targets are enqueued at most this often: in a large cluster some pod changes all the time. */
const ENQUEUE_MS = 1_000;

/**
 * @param pods the watch of pods whose tap this is; undefined: it shows those of one namespace only, so that another watch is
 *   opened, if the server allows it
 */
export function createPodsOnNodes(options: {
  clock: Clock;
  sources: Pick<Sources, 'onDemand'>;
  pods: (() => Pick<Reflector, 'listAgain' | 'listed'>) | undefined;
  enqueue: Enqueue<TargetKey>;
}): PodsOnNodes {
  const { clock, enqueue } = options;
  const needing = new Set<TargetKey>();
  const store = new Map<string, PodOnNode>();
  let intern = createIntern();
  /** The ordinal of the list that contains all pods. */
  let shownBy = 0;
  let list: readonly PodOnNode[] | undefined;
  let isEnqueueing = false;
  let enqueuedAt = -Infinity;

  function changed(): void {
    list = undefined;
    if (isEnqueueing) return;
    isEnqueueing = true;
    clock.after(Math.max(0, enqueuedAt + ENQUEUE_MS - clock.monotonic()), () => {
      isEnqueueing = false;
      enqueuedAt = clock.monotonic();
      for (const key of needing) enqueue(key);
    });
  }

  const tap: Tap = {
    get isOpen() {
      return needing.size > 0;
    },
    see(object, gone) {
      if (needing.size === 0) return;
      const key = keyOf(object);
      const before = store.get(key);
      // A pod that only pulls images fails however well its node is.
      const now = gone || isPullPod(object) ? undefined : podOnNode(object as Pod, intern);
      if (isSame(before, now)) return;
      if (now === undefined) store.delete(key);
      else store.set(key, now);
      changed();
    },
    settle(keys) {
      const gone = [...store.keys()].filter((key) => !keys.has(key));
      for (const key of gone) store.delete(key);
      if (gone.length > 0) changed();
    },
  };

  const everywhere =
    options.pods === undefined
      ? options.sources.onDemand(
          resources.Pod,
          {
            namespace: EVERYWHERE,
            tap,
            isUnstored: true,
            transform: () => undefined,
            onChange: () => undefined,
          },
          changed,
        )
      : undefined;
  const reflector = (): Pick<Reflector, 'listAgain' | 'listed'> | undefined =>
    options.pods === undefined ? everywhere?.reflector : options.pods();

  function shown(): Shown<readonly PodOnNode[]> {
    const state = everywhere?.state ?? 'known';
    if (state !== 'known') return state === 'pending' ? undefined : state;
    if ((reflector()?.listed ?? 0) < shownBy) return undefined;
    list ??= [...store.values()];
    return list;
  }

  return {
    tap,
    need(key, needs) {
      const isFirst = needing.size === 0;
      if (needOf(needs, 'PodsOnNodes') !== undefined) needing.add(key);
      else needing.delete(key);
      // What was not observed until now is listed. A watch that is not open yet lists when it is opened.
      if (isFirst && needing.size > 0) shownBy = reflector()?.listAgain() ?? 0;
      if (needing.size > 0) return;
      store.clear();
      list = undefined;
      intern = createIntern();
    },
    shown,
    sizes: () =>
      needing.size === 0
        ? []
        : [{ resource: 'podsonnodes', synced: shown() !== undefined, ...weigh([...store.values()]) }],
  };
}

function isSame(one: PodOnNode | undefined, other: PodOnNode | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.node === other.node &&
    one.uid === other.uid &&
    one.available === other.available &&
    one.restarts === other.restarts &&
    one.changedAt === other.changedAt &&
    one.changingUntil === other.changingUntil &&
    one.createdAt === other.createdAt
  );
}
