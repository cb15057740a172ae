import type { Leadership } from './lead/leadership.ts';
import type { Term } from './term.ts';

/** This process in an election. */
export interface Candidacy {
  readonly leadership: Leadership;
  /** Why the Lease could not be had or renewed; undefined: it could. */
  problem: string | undefined;
}

/** What the process does; nothing else of it changes while it runs. */
export type ProcessState =
  /** It asks the server for what it needs, or waits to ask again. */
  | { readonly is: 'preparing'; readonly obstacle: string; cancelRetry(): void }
  /** It waits for the Lease. */
  | { readonly is: 'standby'; readonly candidacy: Candidacy }
  /** It works; `candidacy` undefined: nobody else is there. */
  | { readonly is: 'leading'; readonly candidacy: Candidacy | undefined; readonly term: Term }
  /** Another manager has come: its own work ends. `done` never rejects. */
  | { readonly is: 'steppingDown'; readonly obstacle: string; done: Promise<void> }
  | { readonly is: 'stopped' };

type Name = ProcessState['is'];

/** What may follow what. */
const following: Readonly<Record<Name, readonly Name[]>> = {
  preparing: ['preparing', 'standby', 'leading', 'stopped'],
  standby: ['leading', 'steppingDown', 'stopped'],
  leading: ['standby', 'steppingDown', 'stopped'],
  steppingDown: ['preparing', 'stopped'],
  stopped: [],
};

/** The next state. Throws where that may not follow: a mistake of the program. */
export function transitionTo<Next extends ProcessState>(from: ProcessState, next: Next): Next {
  if (!following[from.is].includes(next.is))
    throw new Error(`a process that is ${from.is} cannot be ${next.is}`);
  return next;
}

/** It cannot begin yet, for this reason. */
export function preparing(obstacle: string): Extract<ProcessState, { is: 'preparing' }> {
  return { is: 'preparing', obstacle, cancelRetry: () => {} };
}

/** Why it is not ready, as a sentence; undefined: it stands by, or it works and sees everything. */
export function notReady(state: ProcessState): string | undefined {
  switch (state.is) {
    case 'preparing':
    case 'steppingDown':
      return state.obstacle;
    case 'standby':
      // Whoever cannot see the Lease does not stand by.
      return state.candidacy.problem;
    case 'leading':
      return state.term.runtime.synced ? undefined : 'it has not seen everything yet';
    case 'stopped':
      return 'it stops';
  }
}
