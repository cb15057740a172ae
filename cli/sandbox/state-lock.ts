import type { Refusal } from '../command/refusal.ts';
import type { Host, Machine } from '../host.ts';
import type { NamedPath } from './options.ts';

/** The lock file of a state. It contains the ID of its process, which detects a process that was killed. */
export function lockPath(state: string): string {
  return `${state}.lock`;
}

const ATTEMPTS = 5;

/** Locks the state, so that no second process writes to it. Throws a `HostError` if the folder cannot be written to. */
export function lockState(
  host: Host,
  machine: Machine,
  { path: state, shown }: NamedPath,
): { release(): void } | Refusal {
  const path = lockPath(state);
  const mine = `${machine.pid}\n`;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (machine.createPrivate(path, mine)) {
      return {
        release: () => {
          if (read(host, path) === mine) machine.remove(path);
        },
      };
    }
    const found = read(host, path);
    // Another process removed the lock in between.
    if (found === undefined) continue;
    const pid = /^[0-9]{1,10}\n$/.test(found) ? Number(found) : undefined;
    if (pid === undefined) {
      const help = `if nothing uses ${shown}, delete it`;
      return { problem: `${shown}.lock is not a lock file of kruise sandbox`, help };
    }
    if (pid !== machine.pid && machine.isAlive(pid)) {
      const help = `stop that process, or use another file with --state; if it is not a kruise sandbox, delete ${shown}.lock`;
      return { problem: `${shown} is in use by process ${pid}`, help };
    }
    // Moved instead of removed: of two processes that find the lock abandoned only one moves it. If the moved lock is a new one,
    // restore it.
    const aside = `${path}.${machine.pid}-${machine.random().toString(16)}`;
    if (!machine.move(path, aside)) continue;
    const actual = read(host, aside);
    if (actual !== undefined && actual !== found) machine.createPrivate(path, actual);
    machine.remove(aside);
  }
  return { problem: `${shown}.lock cannot be acquired`, help: 'try again' };
}

function read(host: Host, path: string): string | undefined {
  if (host.inspect(path)?.kind !== 'file') return undefined;
  try {
    return new TextDecoder().decode(host.readFile(path));
  } catch {
    return undefined;
  }
}
