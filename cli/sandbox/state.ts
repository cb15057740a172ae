import { dirname } from 'node:path';
import { VERSION, type Unreadable } from '../../sandbox/state/format.ts';
import { openJournal, type Journal } from '../../sandbox/state/journal.ts';
import type { Refusal } from '../command/refusal.ts';
import { HostError } from '../../compiler/host.ts';
import type { Host, Machine } from '../host.ts';
import type { NamedPath } from './options.ts';
import { lockState } from './state-lock.ts';

/** What has to be undone, last first. */
export type Undo = (() => void | Promise<void>)[];

/** Ends the start of a sandbox with what was not told yet. */
export class Refused extends Error {
  readonly refusals: readonly Refusal[];
  constructor(...refusals: readonly Refusal[]) {
    super(refusals[0]?.problem);
    this.refusals = refusals;
  }
}

/** Runs what asks the machine; what it refuses is told with the file's name, and the option that names another. */
export function asking<T>(option: string, { shown }: NamedPath, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const another = `name another file with --${option}`;
    throw new Refused(
      error.reason === 'it does not exist'
        ? {
            problem: `${shown} cannot be used: there is no folder ${dirname(shown)}`,
            help: `make it, or ${another}`,
          }
        : { problem: `${shown} cannot be used: ${error.reason}`, help: another },
    );
  }
}

/** Takes the state and reads it. What is no state, or somebody else's, is left as it is. */
export function openState(
  host: Host,
  machine: Machine,
  state: NamedPath,
  undo: Undo,
  fail: (problem: string) => void,
): { journal: Journal; named: NamedPath } {
  const { shown } = state;
  const there = host.inspect(state.path);
  if (there !== undefined && there.kind !== 'file')
    throw new Refused({ problem: `${shown} is no file`, help: 'name another one with --state' });
  // A link stays one: what it leads to is written.
  const path = there?.real ?? state.path;
  const lock = asking('state', state, () => lockState(host, machine, { path, shown }));
  if ('problem' in lock) throw new Refused(lock);
  undo.push(() => lock.release());
  const file = machine.open(path);
  undo.push(() => file.close());
  const journal = asking('state', state, () =>
    openJournal({
      file,
      onFailure: (error) => fail(`${shown} cannot be written: ${textOf(error)}`),
    }),
  );
  if ('reason' in journal) throw new Refused(unreadable(state, journal));
  return { journal, named: state };
}

function unreadable({ shown }: NamedPath, { reason, detail, line, isWholeBefore }: Unreadable): Refusal {
  switch (reason) {
    case 'foreign':
      return {
        problem: `${shown} is no state of a kruise sandbox`,
        help: 'it was left as it is; name another file with --state',
      };
    case 'version':
      return {
        problem: `${shown} is of another version of kruise: ${detail}, and this one reads ${VERSION}`,
        help: 'it was left as it is; name another file with --state, or use the kruise that wrote it',
      };
    case 'damaged': {
      const rescue = `head -n ${line - 1} ${shown} > NEW takes what stands before the damage`;
      const lost =
        'what stands before that is no whole state, so take a copy of yours, or begin anew with another --state';
      return {
        problem: `${shown} is damaged: ${detail}`,
        help: `it was left as it is; ${isWholeBefore ? rescue : lost}`,
      };
    }
  }
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
