/** Where a plan stands in the queue. */
export interface Place {
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
 * @typeParam Key of a target, the same object or text each time
 */
export interface Slots<Key> {
  /** The plans that were moving pods before this process began: they get slots first, as many as there are. */
  restore(moving: readonly { key: Key; place: Place }[]): void;
  holds(key: Key): boolean;
  /** Whether a plan of this target holds a slot now. Called after every reconcile. */
  note(key: Key, namespace: string, holds: boolean): void;
  /** The plan of this target wants to move pods. True: it may, and the slot is its own. */
  enter(key: Key, place: Place): boolean;
  /** The plan of this target will want a slot, and others may have to get one before it. */
  wait(key: Key, place: Place): void;
  /** The plan of this target no longer waits for a slot. */
  leave(key: Key): void;
  /** Why a plan has none; true for as long as it waits. */
  readonly message: string;
}

/** @param ask called with the target that is next, once a slot is free for it */
export function createSlots<Key>(max: number, ask: (key: Key) => void): Slots<Key> {
  /** Who holds a slot, and its namespace. */
  const holders = new Map<Key, string>();
  const waiting = new Map<Key, Place>();
  /** When a slot was last given to a namespace: the count of slots given by then. */
  const servedAt = new Map<string, number>();
  let given = 0;

  /** The first `count` of those that wait, as if each had got its slot before the next one is chosen. */
  function next(count: number): Key[] {
    const held = new Map<string, number>();
    for (const namespace of holders.values()) held.set(namespace, (held.get(namespace) ?? 0) + 1);
    const served = new Map(servedAt);
    const rest = new Map([...waiting].sort(([, a], [, b]) => byPlace(a, b)));
    const chosen: Key[] = [];
    while (chosen.length < count && rest.size > 0) {
      let best: [Key, Place] | undefined;
      const rank = ({ namespace }: Place): [number, number] => [
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
    for (const key of next(free())) ask(key);
  }

  function take(key: Key, namespace: string): void {
    waiting.delete(key);
    if (!holders.has(key)) servedAt.set(namespace, given++);
    holders.set(key, namespace);
  }

  return {
    restore(moving) {
      for (const { key, place } of moving) waiting.set(key, place);
      for (const key of next(free())) take(key, waiting.get(key)?.namespace ?? '');
      for (const { key } of moving) waiting.delete(key);
    },
    holds: (key) => holders.has(key),
    note(key, namespace, holds) {
      if (holds) take(key, namespace);
      else if (holders.delete(key)) serve();
    },
    enter(key, place) {
      if (holders.has(key)) return true;
      waiting.set(key, place);
      if (!next(free()).includes(key)) return false;
      take(key, place.namespace);
      return true;
    },
    wait: (key, place) => void waiting.set(key, place),
    leave(key) {
      if (waiting.delete(key)) serve();
    },
    message: `waits for a slot: at most ${max === 1 ? '1 plan moves' : `${max} plans move`} pods at once, and the namespace with the fewest comes first, then group and name`,
  };
}

/** Within a namespace; across namespaces it decides where all else is equal. */
function byPlace(a: Place, b: Place): number {
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
