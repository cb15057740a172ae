/** Where a plan stands in the queue. */
export interface QueueSlot {
  /** It has begun, and goes on after a gate or a pause: what is half done comes before what is new. */
  begun: boolean;
  /** '' comes before every other one. */
  group: string;
  namespace: string;
  name: string;
}

/**
 * How many plans move pods at once. A slot is held by a plan that moves pods, and by no other: not by one that soaks,
 * checks or waits for a person, not by one that has ended.
 *
 * Namespaces share the slots: the next one goes to the namespace that holds the fewest, of these to the one that was
 * served longest ago; within it what has begun comes first, then it goes by group and name (plan, section 9).
 *
 * A slot is not kept for nothing while another namespace with fewer waits: whose pods do not become available gives it
 * back, and gets one again in turn.
 *
 * @typeParam Key of a target, the same object or text each time
 */
export interface Slots<Key> {
  /** The plans that were moving pods before this process began: they get slots first, as many as there are. */
  restore(moving: readonly { key: Key; place: QueueSlot }[]): void;
  holds(key: Key): boolean;
  /** Whether a plan of this target holds a slot now. Called after every reconcile. */
  note(key: Key, namespace: string, holds: boolean): void;
  /** What a look at this target begins with: so many of its pods are available at the goal. A slot held for nothing is given back. */
  observe(key: Key, goal: string | undefined, available: number): void;
  /** The plan of this target wants to move pods. True: it may, and the slot is its own. */
  enter(key: Key, place: QueueSlot): boolean;
  /** The plan of this target will want a slot, and others may have to get one before it. */
  wait(key: Key, place: QueueSlot): void;
  /** The plan of this target no longer waits for a slot. */
  leave(key: Key): void;
  /** Why a plan has none; true for as long as it waits. */
  readonly message: string;
}

interface Holding {
  namespace: string;
  /** When it got the slot, or when a pod last became available at the goal; by the steady clock. */
  since: number;
  goal: string | undefined;
  /** Most pods seen available at that goal meanwhile: one that comes and goes is no progress. */
  most: number;
}

/**
 * So long a slot is held while no pod becomes available at the goal and others wait: a minute more than a step takes to
 * fail by itself, so that a plan that is about to fail is not sent to wait first.
 */
const IDLE_MS = 11 * 60_000;

/** Namespaces of which it is kept when they were served, besides those that hold or wait. */
const SERVED_KEPT = 1_000;

/** @param ask called with a target that is to be looked at, then or so much later: the next one, once a slot is free, or one that may have to give its slot back */
export function createSlots<Key>(
  max: number,
  ask: (key: Key, delayMs: number) => void,
  monotonic: () => number,
): Slots<Key> {
  const holders = new Map<Key, Holding>();
  /** Those that gave their slot back and have not stopped yet: what is on its way back goes on without. */
  const gaveBack = new Set<Key>();
  const waiting = new Map<Key, QueueSlot>();
  /** When a slot was last given to a namespace, or back by it: the count by then. The one that was served longest ago comes first. */
  const servedAt = new Map<string, number>();
  let given = 0;

  function heldByNamespace(): Map<string, number> {
    const held = new Map<string, number>();
    for (const { namespace } of holders.values()) held.set(namespace, (held.get(namespace) ?? 0) + 1);
    return held;
  }

  /** The first `count` of those that wait, as if each had got its slot before the next one is chosen. */
  function next(count: number): Key[] {
    const held = heldByNamespace();
    const served = new Map(servedAt);
    const rest = new Map([...waiting].sort(([, a], [, b]) => byPlace(a, b)));
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
    for (const key of next(free())) ask(key, 0);
  }

  function noteServed(namespace: string): void {
    // Deleted first, so that they lie in the order in which they were served.
    servedAt.delete(namespace);
    servedAt.set(namespace, given++);
    if (servedAt.size <= SERVED_KEPT) return;
    const present = new Set([...holders.values(), ...waiting.values()].map((each) => each.namespace));
    for (const each of servedAt.keys()) {
      if (servedAt.size <= SERVED_KEPT) return;
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

  /** Whether another namespace waits that holds fewer; one alone is never disturbed. */
  function owed(): (holding: Holding) => boolean {
    const [first] = free() > 0 ? [] : next(1);
    const waits = first === undefined ? undefined : waiting.get(first)?.namespace;
    if (waits === undefined) return () => false;
    const held = heldByNamespace();
    return ({ namespace }) => (held.get(waits) ?? 0) < (held.get(namespace) ?? 0);
  }

  /** Those that may have to give their slot back are looked at when that is due. */
  function remind(): void {
    const isOwed = owed();
    for (const [key, holding] of holders)
      if (isOwed(holding)) ask(key, Math.max(holding.since + IDLE_MS - monotonic(), 0));
  }

  return {
    restore(moving) {
      for (const { key, place } of moving) waiting.set(key, place);
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
      // Another goal is no progress: else a slot could be held by changing it again and again.
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
    enter(key, place) {
      if (holders.has(key)) return true;
      waiting.set(key, place);
      const may = next(free()).includes(key);
      if (may) take(key, place.namespace);
      remind();
      return may;
    },
    wait(key, place) {
      waiting.set(key, place);
      remind();
    },
    leave(key) {
      if (waiting.delete(key)) serve();
    },
    message: `waits for a slot: at most ${max === 1 ? '1 plan moves' : `${max} plans move`} pods at once, and the namespace with the fewest comes first, then group and name`,
  };
}

/** Within a namespace; across namespaces it decides where all else is equal. */
function byPlace(a: QueueSlot, b: QueueSlot): number {
  if (a.begun !== b.begun) return a.begun ? -1 : 1;
  return byText(a.group, b.group) || byText(a.namespace, b.namespace) || byText(a.name, b.name);
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function isLess(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[0] === b[0] ? a[1] < b[1] : a[0] < b[0];
}
