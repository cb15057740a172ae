import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { HostReadings } from './meters.ts';

/** Fine enough to show noticeable lag, coarse enough to cost no CPU time. */
const RESOLUTION_MS = 100;

/** Measures the process from now on; the first reading covers the time since this call. */
export function watchHost(): () => HostReadings {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const startedAtSeconds = performance.timeOrigin / 1000;
  return () => {
    const { user, system } = process.cpuUsage();
    // The histogram records the time between two samples, which includes the resolution.
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
