import type { RuntimeConfig } from '../schemas/generated/types/runtimeconfig.ts';
import type { Clock } from '../schemas/wire/clock.ts';
import type { Policy } from '../semantics/policy.ts';
import type { Connection } from './api/connection.ts';
import type { AllowBreakGlass } from './break-glass.ts';
import type { Problem } from './problem.ts';
import type { LogOptions } from './report/log.ts';
import type { HostReadings } from './report/meters.ts';
import type { ReadSnapshot } from './serve/page.ts';

/** Where something is served. */
export interface ServedEndpoint {
  port: number;
  address: string;
  /** Reads what the page of rollouts shows; undefined: there is no page. */
  page?: ReadSnapshot | undefined;
}

export interface ProcessOptions {
  connection: Connection;
  clock: Clock;
  /** A random number in [0, 1). */
  random: () => number;
  version: string;
  policy: Policy;
  /** Whether pods that another controller created are adopted; otherwise their target is held. */
  adopt?: boolean | undefined;
  maxRunning?: number | undefined;
  /** When BreakGlass is obeyed. Default: if the server checks who sends it. */
  allowBreakGlass?: AllowBreakGlass | undefined;
  config?: RuntimeConfig | undefined;
  /** The one namespace to manage; undefined: all of them. */
  namespace?: string | undefined;
  /** A name unique to this process, by which others find it in records. Default: that in the election. */
  identity?: string | undefined;
  /** The Lease for leader election; undefined: no election. `identity` is unique to this process. */
  election?: { namespace: string; name: string; identity: string } | undefined;
  /** The namespace of the records of cluster-scoped targets. Default: that of the Lease, or kruise-system. */
  stateNamespace?: string | undefined;
  /** Where health and metrics are served; undefined: nowhere. */
  endpoint?: ServedEndpoint | undefined;
  log: Pick<LogOptions, 'write' | 'format'>;
  host?: (() => HostReadings) | undefined;
}

export interface RuntimeProcess {
  /** The port of health and metrics, if they are served. */
  readonly port: number | undefined;
  /** Resolves with the final problem if the process ends by itself. */
  readonly failed: Promise<Problem>;
  /**
   * Stops within five seconds: no new reconcile starts, writes in flight end, the Lease is released. If a write does not
   * end in time, the Lease is left to expire.
   */
  stop(): Promise<void>;
}
