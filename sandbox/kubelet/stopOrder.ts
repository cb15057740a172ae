import { cancelTimers, isRunning, type ContainerHost, type ContainerRun } from './containerRun.ts';
import { stopContainer } from './containerStop.ts';

/**
 * Stops groups of containers in sequence; they share the grace period, with at least two seconds for later groups.
 * Calls `done` after each stop, and if there was nothing to stop.
 */
export function stopInOrder(
  host: ContainerHost,
  groups: readonly (readonly ContainerRun[])[],
  graceMs: number,
  done: () => void,
): void {
  const until = host.now() + graceMs;
  let reached = -1;

  function goOn(): void {
    while (reached < groups.length - 1 && !(groups[reached] ?? []).some(isRunning)) {
      reached += 1;
      const grace = reached === 0 ? graceMs : Math.max(Math.min(graceMs, 2000), until - host.now());
      for (const run of groups[reached] ?? [])
        if (isRunning(run)) stopContainer(host, run, grace, stopped);
        else cancelTimers(run);
    }
  }

  function stopped(): void {
    goOn();
    done();
  }

  goOn();
  if (!groups.flat().some(isRunning)) done();
}
