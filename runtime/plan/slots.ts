/** The position of a plan in the queue. */
export interface QueueSlot {
  /** It was started before, and continues after a gate or a pause: started plans come before new ones. */
  isStarted: boolean;
  /** '' comes before every other one. */
  group: string;
  namespace: string;
  name: string;
}

/**
 * How many plans move pods at once. A slot is held by a plan that moves pods, and by no other: not by one that soaks,
 * checks or waits for approval, not by one that has ended.
 *
 * Namespaces share the slots: the next one goes to the namespace that holds the fewest, of these to the one that was
 * served longest ago; within it, started plans come first, then group and name decide (docs/explanation/order.md).
 *
 * A plan whose pods do not become available gives its slot back while a namespace with fewer slots waits, and queues again.
 *
 * @typeParam Key of a target, the same object or text each time
 */
export interface Slots<Key> {
  /** The plans that were moving pods before this process started: they get the free slots first. */
  restore(moving: readonly { key: Key; slot: QueueSlot }[]): void;
  holds(key: Key): boolean;
  /** Whether a plan of this target holds a slot now. Called after every reconcile. */
  note(key: Key, namespace: string, holds: boolean): void;
  /** Called at the start of each reconcile with the number of pods available at the goal. An idle slot is given back. */
  observe(key: Key, goal: string | undefined, available: number): void;
  /** The plan of this target wants to move pods. True: it holds a slot now. */
  enter(key: Key, slot: QueueSlot): boolean;
  /** The plan of this target queues for a slot without taking one. */
  wait(key: Key, slot: QueueSlot): void;
  /** The plan of this target no longer waits for a slot. */
  dequeue(key: Key): void;
  /** Why a plan has none; true for as long as it waits. */
  readonly message: string;
}

interface Holding {
  namespace: string;
  /** When it got the slot, or when a pod last became available at the goal; by the monotonic clock. */
  since: number;
  goal: string | undefined;
  /** Most pods observed available at that goal: a pod that becomes available again is no progress. */
  most: number;
}

/**
 * How long a slot is held while no pod becomes available at the goal and other plans wait: a minute more than the progress
 * timeout of a step, so that a failing plan halts before it loses its slot.
 */
const IDLE_MS = 11 * 60_000;

/** Most namespaces with a recorded service time, besides those that hold or wait. */
const MOST_SERVED = 1_000;

/** @param enqueue called with the next target once a slot is free, and with one whose slot may become idle, after a delay */
export function createSlots<Key>(
  max: number,
  enqueue: (key: Key, delayMs: number) => void,
  monotonic: () => number,
): Slots<Key> {
  const holders = new Map<Key, Holding>();
  /** Plans that gave their slot back and have not stopped yet: a revert continues without a slot. */
  const gaveBack = new Set<Key>();
  const waiting = new Map<Key, QueueSlot>();
  /** When a slot was last given to a namespace or back by it, as the value of `given`, in that order. */
  const servedAt = new Map<string, number>();
  let given = 0;

  function heldByNamespace(): Map<string, number> {
    const held = new Map<string, number>();
    for (const { namespace } of holders.values()) held.set(namespace, (held.get(namespace) ?? 0) + 1);
    return held;
  }

  /** The first `count` waiting plans, each chosen as if those before it already held their slots. */
  function next(count: number): Key[] {
    const held = heldByNamespace();
    const served = new Map(servedAt);
    const rest = new Map([...waiting].sort(([, a], [, b]) => bySlot(a, b)));
    const chosen: Key[] = [];
    while (chosen.length < count && rest.size > 0) {
      let best: [Key, QueueSlot] | undefined;
      const rank = ({ namespace }: QueueSlot): [number, number] => [
        held.get(namespace) ?? 0,
        served.get(namespace) ?? -1,
      ];
      for (const each of rest) if (best === undefined || isLess(rank(each[1]), rank(best[1]))) best = each;
      if (best === undefined) break;
      const [key, { namespace }] = best;
      rest.delete(key);
      chosen.push(key);
      held.set(namespace, (held.get(namespace) ?? 0) + 1);
      served.set(namespace, given + chosen.length);
    }
    return chosen;
  }

  const free = (): number => Math.max(max - holders.size, 0);

  function serve(): void {
    for (const key of next(free())) enqueue(key, 0);
  }

  function noteServed(namespace: string): void {
    // Deleted first, so that the map keeps the order of service.
    servedAt.delete(namespace);
    servedAt.set(namespace, given++);
    if (servedAt.size <= MOST_SERVED) return;
    const present = new Set([...holders.values(), ...waiting.values()].map((each) => each.namespace));
    for (const each of servedAt.keys()) {
      if (servedAt.size <= MOST_SERVED) return;
      if (!present.has(each)) servedAt.delete(each);
    }
  }

  function take(key: Key, namespace: string): void {
    waiting.delete(key);
    gaveBack.delete(key);
    if (holders.has(key)) return;
    holders.set(key, { namespace, since: monotonic(), goal: undefined, most: 0 });
    noteServed(namespace);
  }

  /** Whether a waiting namespace holds fewer slots than that of a holder. */
  function owed(): (holding: Holding) => boolean {
    const [first] = free() > 0 ? [] : next(1);
    const waits = first === undefined ? undefined : waiting.get(first)?.namespace;
    if (waits === undefined) return () => false;
    const held = heldByNamespace();
    return ({ namespace }) => (held.get(waits) ?? 0) < (held.get(namespace) ?? 0);
  }

  /** Enqueues holders for the time when their slot may become idle. */
  function remind(): void {
    const isOwed = owed();
    for (const [key, holding] of holders)
      if (isOwed(holding)) enqueue(key, Math.max(holding.since + IDLE_MS - monotonic(), 0));
  }

  return {
    restore(moving) {
      for (const { key, slot } of moving) waiting.set(key, slot);
      for (const key of next(free())) take(key, waiting.get(key)?.namespace ?? '');
      for (const { key } of moving) waiting.delete(key);
    },
    holds: (key) => holders.has(key),
    note(key, namespace, holds) {
      if (holds) {
        if (!gaveBack.has(key)) take(key, namespace);
        return;
      }
      gaveBack.delete(key);
      if (holders.delete(key)) serve();
    },
    observe(key, goal, available) {
      const holding = holders.get(key);
      if (holding === undefined) return;
      // A changed goal is no progress: otherwise repeated changes would hold the slot.
      if (holding.goal === goal && available > holding.most) holding.since = monotonic();
      holding.most = holding.goal === goal ? Math.max(available, holding.most) : available;
      holding.goal = goal;
      if (monotonic() < holding.since + IDLE_MS || !owed()(holding)) {
        remind();
        return;
      }
      holders.delete(key);
      gaveBack.add(key);
      noteServed(holding.namespace);
      serve();
    },
    enter(key, slot) {
      if (holders.has(key)) return true;
      waiting.set(key, slot);
      const may = next(free()).includes(key);
      if (may) take(key, slot.namespace);
      remind();
      return may;
    },
    wait(key, slot) {
      waiting.set(key, slot);
      remind();
    },
    dequeue(key) {
      if (waiting.delete(key)) serve();
    },
    message: `waits for a slot: at most ${max === 1 ? '1 plan moves' : `${max} plans move`} pods at once, and the namespace with the fewest comes first, then group and name`,
  };
}

/** The order within a namespace, and between namespaces of equal rank. */
function bySlot(a: QueueSlot, b: QueueSlot): number {
  if (a.isStarted !== b.isStarted) return a.isStarted ? -1 : 1;
  return byText(a.group, b.group) || byText(a.namespace, b.namespace) || byText(a.name, b.name);
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function isLess(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[0] === b[0] ? a[1] < b[1] : a[0] < b[0];
}
