import type { AdmittedWrite } from './write.ts';

/** What a plugin tells of its mutators in a round, and what it learns about them. */
export interface Round {
  number: number;
  /** Whether a mutator is called in this round: in the second one only if the object has changed since its call. */
  isDue: (id: string) => boolean;
  /** Notes that a mutator which may be called again has been called. */
  called: (id: string) => void;
  /** Notes that a mutator has changed the object. */
  changed: () => void;
}

/** Sends a write through the mutators of one kind. */
export type MutatingPlugin = (write: AdmittedWrite, round: Round) => AdmittedWrite;

/**
 * Sends a write through plugins, in their order. When a mutator changes the object, a second round calls those before
 * it that may be called again.
 */
export function inRounds(write: AdmittedWrite, plugins: readonly MutatingPlugin[]): AdmittedWrite {
  const memories = plugins.map((plugin) => ({
    plugin,
    called: new Set<string>(),
    due: new Set<string>(),
    left: write.object,
  }));
  let present = write;
  let isChanged = false;
  for (const number of [0, 1]) {
    for (const memory of memories) {
      const { plugin, called, due } = memory;
      const require = () => called.forEach((id) => due.add(id));
      // Another plugin has changed what this one left.
      if (number > 0 && memory.left !== present.object) require();
      present = plugin(present, {
        number,
        isDue: (id) => number === 0 || due.has(id),
        called: (id) => void called.add(id),
        changed() {
          isChanged = true;
          require();
        },
      });
      memory.left = present.object;
    }
    if (!isChanged) break;
  }
  return present;
}
