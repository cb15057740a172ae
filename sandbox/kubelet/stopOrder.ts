import type { ContainerRun } from './containerRun.ts';

/**
 * Stops the containers of each group together, a group after the one before it; all of them share the grace, of which
 * a late one has at least two seconds. Calls `done` whenever one has stopped, and when there was nothing to stop.
 */
export function stopInOrder(
  groups: readonly (readonly ContainerRun[])[],
  graceMs: number,
  now: () => number,
  done: () => void,
): void {
  const until = now() + graceMs;
  let reached = -1;

  function goOn(): void {
    while (reached < groups.length - 1 && (groups[reached] ?? []).every((run) => !run.isRunning())) {
      reached += 1;
      const grace = reached === 0 ? graceMs : Math.max(Math.min(graceMs, 2000), until - now());
      for (const run of groups[reached] ?? [])
        if (run.isRunning()) run.stop(grace, stopped);
        else run.discard();
    }
  }

  function stopped(): void {
    goOn();
    done();
  }

  goOn();
  if (groups.flat().every((run) => !run.isRunning())) done();
}
