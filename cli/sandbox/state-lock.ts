import type { Refusal } from '../command/refusal.ts';
import type { Host, Machine } from '../host.ts';
import type { NamedPath } from './options.ts';

/** What holds a state: whoever has made this file beside it. It names its process, so that one which was killed is seen. */
export function lockPath(state: string): string {
  return `${state}.lock`;
}

const ATTEMPTS = 5;

/**
 * Takes the state for this process, so that no second one writes to it. Throws a `HostError` where the folder cannot be
 * written to.
 */
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
    // It went away in between.
    if (found === undefined) continue;
    const pid = /^[0-9]{1,10}\n$/.test(found) ? Number(found) : undefined;
    if (pid === undefined) {
      const help = `if nothing uses ${shown}, delete it`;
      return { problem: `${shown}.lock is no lock of a kruise sandbox`, help };
    }
    if (pid !== machine.pid && machine.isAlive(pid)) {
      const help = `stop that process, or take another file; if it is no kruise sandbox, delete ${shown}.lock`;
      return { problem: `${shown} is in use by process ${pid}`, help };
    }
    // Moved, not removed: of two that find it stale only one gets it, and a lock that is new by now is given back.
    const aside = `${path}.${machine.pid}-${machine.random().toString(16)}`;
    if (!machine.move(path, aside)) continue;
    const moved = read(host, aside);
    if (moved !== undefined && moved !== found) machine.createPrivate(path, moved);
    machine.remove(aside);
  }
  return { problem: `${shown}.lock cannot be had`, help: 'try again' };
}

function read(host: Host, path: string): string | undefined {
  if (host.inspect(path)?.kind !== 'file') return undefined;
  try {
    return new TextDecoder().decode(host.readFile(path));
  } catch {
    return undefined;
  }
}
