import type { Clock } from '../../schemas/wire/clock.ts';
import type { Action } from '../../semantics/decision.ts';
import { backoffMs, MIN_LIFETIME_MS } from '../../semantics/plan/creation-backoff.ts';

/** The last write of the copy in a namespace. */
interface Written {
  /** Of the target: what a change of it writes is no answer to others. */
  generation: number | undefined;
  at: number;
  /** How many writes in a row came within a minute after they could. */
  inARow: number;
}

/**
 * The pauses of a target between its writes in one namespace, where somebody deletes or changes the copy again and again. It is held
 * in memory only: after a restart the pauses start again.
 */
export interface CopyBackoffs {
  /** The copy of a namespace was written, or somebody else has changed it first. */
  tried(action: Action, generation: number | undefined): void;
  /** The namespaces in which nothing is written yet, and when it may be, milliseconds since 1970. */
  of(generation: number | undefined): ReadonlyMap<string, number>;
}

export function createCopyBackoffs(clock: Clock): CopyBackoffs {
  const written = new Map<string, Written>();

  const dueAt = ({ at, inARow }: Written): number => at + backoffMs(inARow);

  /** Whether the copy has stayed as it was written for so long that the series has ended. */
  const isOver = (each: Written, generation: number | undefined): boolean =>
    each.generation !== generation || clock.now() >= dueAt(each) + MIN_LIFETIME_MS;

  return {
    tried(action, generation) {
      if (action.isCopy !== true || (action.do !== 'create' && action.do !== 'patch')) return;
      const { namespace = '' } = action;
      const before = written.get(namespace);
      const inARow = before === undefined || isOver(before, generation) ? 0 : before.inARow + 1;
      written.set(namespace, { generation, at: clock.now(), inARow });
    },
    of(generation) {
      const deferred = new Map<string, number>();
      for (const [namespace, each] of written) {
        if (isOver(each, generation)) written.delete(namespace);
        else if (dueAt(each) > clock.now()) deferred.set(namespace, dueAt(each));
      }
      return deferred;
    },
  };
}
