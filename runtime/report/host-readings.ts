import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { HostReadings } from './meters.ts';

/** Fine enough for what is felt, and coarse enough to cost nothing. */
const RESOLUTION_MS = 100;

/** Watches the process from now on; the first reading tells of the time since then. */
export function watchHost(): () => HostReadings {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const startedAtSeconds = performance.timeOrigin / 1000;
  return () => {
    const { user, system } = process.cpuUsage();
    // The histogram counts the time between two looks, of which the resolution is meant.
    const loopLagSeconds = delay.max === 0 ? 0 : Math.max(delay.max / 1e9 - RESOLUTION_MS / 1000, 0);
    delay.reset();
    return {
      cpuSeconds: (user + system) / 1e6,
      residentBytes: process.memoryUsage.rss(),
      startedAtSeconds,
      loopLagSeconds,
    };
  };
}
