import type { Leadership } from './lead/leadership.ts';
import type { Readiness } from './serve/serve.ts';
import type { Term } from './term.ts';

/** This process in an election. */
export interface Candidacy {
  readonly leadership: Leadership;
  /** Why the Lease could not be acquired or renewed; undefined: no problem. */
  problem: string | undefined;
}

/** The state of the process: everything of it that changes while it runs. */
export type ProcessState =
  /** It runs the preflight, or waits to repeat it. */
  | { readonly is: 'preparing'; readonly problem: string; cancelRetry(): void }
  /** It waits for the Lease. */
  | { readonly is: 'standby'; readonly candidacy: Candidacy }
  /** It reconciles; `candidacy` undefined: no election. */
  | { readonly is: 'leading'; readonly candidacy: Candidacy | undefined; readonly term: Term }
  /** A competing controller leads: the term ends. `done` never rejects. */
  | { readonly is: 'steppingDown'; readonly problem: string; done: Promise<void> }
  | { readonly is: 'stopped' };

type Name = ProcessState['is'];

/** The allowed transitions. */
const following: Readonly<Record<Name, readonly Name[]>> = {
  preparing: ['preparing', 'standby', 'leading', 'stopped'],
  standby: ['leading', 'steppingDown', 'stopped'],
  leading: ['standby', 'steppingDown', 'stopped'],
  steppingDown: ['preparing', 'stopped'],
  stopped: [],
};

/** The next state. Throws if the transition is not allowed: a bug. */
export function transitionTo<Next extends ProcessState>(from: ProcessState, next: Next): Next {
  if (!following[from.is].includes(next.is))
    throw new Error(`a process that is ${from.is} cannot be ${next.is}`);
  return next;
}

/** The state before the preflight has succeeded, with the reason. */
export function preparing(problem: string): Extract<ProcessState, { is: 'preparing' }> {
  return { is: 'preparing', problem, cancelRetry: () => {} };
}

/**
 * A leader is ready although kinds are held: it reconciles the others, and no other process would have the missing rights.
 */
export function readiness(state: ProcessState): Readiness {
  const why = notReady(state);
  if (why !== undefined) return { isReady: false, text: why };
  const held = state.is === 'leading' ? state.term.runtime.heldKinds : [];
  const note = held.length === 0 ? '' : `, but held: ${held.join(', ')} (see the log)`;
  return { isReady: true, text: `ok${note}` };
}

/** Why the process is not ready, as a sentence; undefined: it is on standby, or it leads with synced caches. */
function notReady(state: ProcessState): string | undefined {
  switch (state.is) {
    case 'preparing':
    case 'steppingDown':
      return state.problem;
    case 'standby':
      // A process that cannot read the Lease could not take over.
      return state.candidacy.problem;
    case 'leading':
      return state.term.runtime.synced ? undefined : 'the caches are not synced yet';
    case 'stopped':
      return 'stopped';
  }
}
