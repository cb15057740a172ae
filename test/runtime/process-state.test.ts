import { describe, expect, test } from 'vitest';
import type { Leadership } from '../../runtime/lead/leadership.ts';
import { type Candidacy, transitionTo, readiness, type ProcessState } from '../../runtime/process-state.ts';
import type { Term } from '../../runtime/term.ts';

type Name = ProcessState['is'];

const candidacy = (trouble?: string): Candidacy => ({ leadership: {} as Leadership, problem: trouble });
const term = (synced: boolean, ...heldKinds: string[]): Term =>
  ({ runtime: { synced, heldKinds }, end: () => Promise.resolve(true) }) as unknown as Term;
const states: Readonly<Record<Name, ProcessState>> = {
  preparing: { is: 'preparing', problem: 'no right to list pods', cancelRetry: () => undefined },
  standby: { is: 'standby', candidacy: candidacy() },
  leading: { is: 'leading', candidacy: candidacy(), term: term(true) },
  steppingDown: { is: 'steppingDown', problem: 'another manager leads', done: Promise.resolve() },
  stopped: { is: 'stopped' },
};
const names = Object.keys(states) as Name[];
/** `from`: what may follow. */
const legal: Readonly<Record<Name, readonly Name[]>> = {
  preparing: ['preparing', 'standby', 'leading', 'stopped'],
  standby: ['leading', 'steppingDown', 'stopped'],
  leading: ['standby', 'steppingDown', 'stopped'],
  steppingDown: ['preparing', 'stopped'],
  stopped: [],
};

describe('the transitions of the process', () => {
  test.each(names.flatMap((from) => names.map((to) => [from, to] as const)))('%s, then %s', (from, to) => {
    const move = (): ProcessState => transitionTo(states[from], states[to]);
    if (legal[from].includes(to)) expect(move()).toBe(states[to]);
    else expect(move).toThrow(`a process that is ${from} cannot be ${to}`);
  });
});

describe('whether it is ready', () => {
  test.each<[string, ProcessState, string | undefined]>([
    ['it prepares', states.preparing, 'no right to list pods'],
    ['it stands by', states.standby, undefined],
    ['it cannot see the Lease', { is: 'standby', candidacy: candidacy('no answer') }, 'no answer'],
    ['it leads and sees everything', states.leading, undefined],
    [
      'it leads, and has not seen everything',
      { is: 'leading', candidacy: undefined, term: term(false) },
      'the caches are not synced yet',
    ],
    [
      'it leads, and the Lease is in trouble',
      { is: 'leading', candidacy: candidacy('no answer'), term: term(true) },
      undefined,
    ],
    ['it gives way', states.steppingDown, 'another manager leads'],
    ['stopped', states.stopped, 'stopped'],
  ])('%s', (_, state, why) => {
    expect(readiness(state)).toEqual({ isReady: why === undefined, text: why ?? 'ok' });
  });

  test('it leads, and may not list some kinds: ready, for it reconciles the others', () => {
    const state: ProcessState = {
      is: 'leading',
      candidacy: undefined,
      term: term(true, 'DaemonSet', 'StatefulSet'),
    };
    const text = 'ok, but held: DaemonSet, StatefulSet (see the log)';
    expect(readiness(state)).toEqual({ isReady: true, text });
  });
});
