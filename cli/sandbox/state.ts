import { dirname } from 'node:path';
import { type Journal, openJournal, type Unreadable, VERSION } from 'kruise-sandbox';
import type { Refusal } from '../command/refusal.ts';
import { HostError } from '../../compiler/host.ts';
import type { Host, Machine } from '../host.ts';
import type { NamedPath } from './options.ts';
import { lockState } from './state-lock.ts';

/** Steps to undo, the last one first. */
export type Undo = (() => void | Promise<void>)[];

/** Ends the start of a sandbox with a message that was not printed yet. */
export class Refused extends Error {
  readonly refusals: readonly Refusal[];
  constructor(...refusals: readonly Refusal[]) {
    super(refusals[0]?.problem);
    this.refusals = refusals;
  }
}

/** Runs an operation on a file. Converts a `HostError` to a refusal that names the file and the option to choose another one. */
export function withFile<T>(option: string, { shown }: NamedPath, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const another = `use another file with --${option}`;
    throw new Refused(
      error.reason === 'it does not exist'
        ? {
            problem: `${shown} cannot be used: there is no folder ${dirname(shown)}`,
            help: `create it, or ${another}`,
          }
        : { problem: `${shown} cannot be used: ${error.reason}`, help: another },
    );
  }
}

/** Locks the state and reads it. Does not change a file that is no state. */
export function openState(
  host: Host,
  machine: Machine,
  state: NamedPath,
  undo: Undo,
  fail: (problem: string) => void,
): { journal: Journal; named: NamedPath } {
  const { shown } = state;
  const existing = host.inspect(state.path);
  if (existing !== undefined && existing.kind !== 'file')
    throw new Refused({ problem: `${shown} is not a file`, help: 'use another file with --state' });
  // Write the target of a link, so that the link remains.
  const path = existing?.real ?? state.path;
  const lock = withFile('state', state, () => lockState(host, machine, { path, shown }));
  if ('problem' in lock) throw new Refused(lock);
  undo.push(() => lock.release());
  const file = machine.open(path);
  undo.push(() => file.close());
  const journal = withFile('state', state, () =>
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
        problem: `${shown} is not a state file of kruise sandbox`,
        help: 'it was not changed; use another file with --state',
      };
    case 'version':
      return {
        problem: `${shown} was written by another version of kruise: ${detail}, but this version reads ${VERSION}`,
        help: 'it was not changed; use another file with --state, or the version of kruise that wrote it',
      };
    case 'damaged': {
      const rescue = `head -n ${line - 1} ${shown} > NEW recovers everything before the damage`;
      const lost =
        'no complete state precedes the damage; restore a backup, or use another file with --state';
      return {
        problem: `${shown} is damaged: ${detail}`,
        help: `it was not changed; ${isWholeBefore ? rescue : lost}`,
      };
    }
  }
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
