import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';

/**
 * Loaded into a measured process before its program: it reports on request, over the channel to its parent, the cost of the
 * process since the last request.
 */

/** The answer of a process. CPU and stalls are since the last request, memory is of its lifetime. */
export interface Reading {
  cpuSeconds: number;
  /** The longest block of the event loop, beyond the sampling interval. */
  stallMs: number;
  /** How often that was more than 30 ms. */
  stalls: number;
  /** The longest stall before the first request: Node reads the program then, and has nothing else to do. Not in `stallMs`. */
  loadMs: number;
  residentKiB: number;
  peakKiB: number;
}

const SAMPLE_MS = 5;
const LONG_MS = 30;
let cpu = process.cpuUsage();
let stallMs = 0;
let stalls = 0;
let loadMs: number | undefined;
let last = performance.now();

subscribe('http.client.request.start', () => {
  if (loadMs !== undefined) return;
  sample();
  loadMs = stallMs;
  stallMs = 0;
  stalls = 0;
});

setInterval(sample, SAMPLE_MS).unref();
function sample(): void {
  const now = performance.now();
  const late = now - last - SAMPLE_MS;
  last = now;
  stallMs = Math.max(stallMs, late);
  if (late > LONG_MS) stalls += 1;
}

process.on('message', () => {
  const { user, system } = process.cpuUsage(cpu);
  const reading: Reading = {
    cpuSeconds: (user + system) / 1e6,
    stallMs,
    stalls,
    loadMs: loadMs ?? 0,
    residentKiB: Math.round(process.memoryUsage.rss() / 1024),
    peakKiB: peakKiB(),
  };
  cpu = process.cpuUsage();
  stallMs = 0;
  stalls = 0;
  process.send?.(reading);
});
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();

/** The system's maximum for a child includes the size of its parent; Linux also has that of the program alone. */
function peakKiB(): number {
  try {
    const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    if (found !== null) return Number(found[1]);
  } catch {
    // Another system.
  }
  return process.resourceUsage().maxRSS;
}
