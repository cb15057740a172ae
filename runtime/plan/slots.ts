/**
 * How many plans run at once. A slot is held by what moves or watches pods; a plan that waits for a person, or that has
 * ended, holds none. Whoever waits is served by group, then by name (plan, section 9).
 */
export interface Slots<Key> {
  /** Whether a plan of this target holds a slot now. Called after every look. */
  note(key: Key, running: boolean): void;
  /** The plan of this target wants to begin. True: it may, and the slot is its own. */
  enter(key: Key, order: readonly string[]): boolean;
  /** The plan of this target will want to begin, and others may have to before it. */
  wait(key: Key, order: readonly string[]): void;
  /** The plan of this target no longer waits for a slot. */
  leave(key: Key): void;
  /** Why a plan has none; true for as long as it waits. */
  readonly message: string;
}

/** @param ask called with the target that is next, once a slot is free for it */
export function createSlots<Key>(max: number, ask: (key: Key) => void): Slots<Key> {
  const running = new Set<Key>();
  const waiting = new Map<Key, readonly string[]>();

  function inOrder(): Key[] {
    return [...waiting].sort(([, a], [, b]) => compare(a, b)).map(([key]) => key);
  }

  function serve(): void {
    for (const key of inOrder().slice(0, Math.max(max - running.size, 0))) ask(key);
  }

  function take(key: Key): void {
    waiting.delete(key);
    running.add(key);
  }

  return {
    note(key, holds) {
      if (holds) take(key);
      else if (running.delete(key)) serve();
    },
    enter(key, order) {
      if (running.has(key)) return true;
      waiting.set(key, order);
      if (inOrder().indexOf(key) >= max - running.size) return false;
      take(key);
      return true;
    },
    wait: (key, order) => void waiting.set(key, order),
    leave(key) {
      if (waiting.delete(key)) serve();
    },
    message: `its turn has not come: plans begin by group and name, at most ${max} at once`,
  };
}

function compare(a: readonly string[], b: readonly string[]): number {
  const index = a.findIndex((part, i) => part !== b[i]);
  if (index === -1) return 0;
  return (a[index] ?? '') < (b[index] ?? '') ? -1 : 1;
}
