import type { RuntimeConfig } from '../schemas/generated/types/runtimeconfig.ts';
import type { Clock } from '../schemas/wire/clock.ts';
import type { Cluster } from '../schemas/wire/cluster.ts';
import type { Action, Explanation } from '../semantics/decision.ts';
import type { Kind } from '../semantics/kinds/kind.ts';
import type { Advance } from '../semantics/plan/advance.ts';
import type { Holding } from './observe/holdings.ts';
import type { RetentionLimits } from './observe/retention.ts';
import type { TargetKey } from './observe/target-key.ts';
import type { SchedulerWatch } from './observe/scheduler.ts';
import type { Get } from './check/get.ts';
import type { Policy } from '../semantics/plan/policy.ts';
import type { SnapshotReport } from './report/snapshot.ts';

export interface RuntimeOptions {
  cluster: Cluster;
  clock: Clock;
  /** What holds where neither object nor namespace says more. */
  policy: Policy;
  /**
   * Why a BreakGlass that was created at this time (milliseconds since 1970) is refused now, with what to do; undefined, or
   * left out: it is obeyed.
   */
  breakGlassRefusal?: ((createdAt: number) => string | undefined) | undefined;
  /** The kinds whose targets are looked after. Default: every one that is registered. */
  kinds?: readonly Kind[];
  /** The namespace in which targets in no namespace are remembered. Default: kruise-system. */
  stateNamespace?: string;
  /** Whether pods that another controller has made are taken over; else their target is held. Default true. */
  adopt?: boolean;
  /** How many plans may move pods at once. Default 10. */
  maxRunning?: number;
  /** The named checks that plans may ask for; none where it is left out. */
  config?: RuntimeConfig;
  /** How much memory the objects of a namespace may take. Default: as fits the shipped Deployment. */
  retention?: RetentionLimits;
  /** How checks fetch what they judge. Default: over HTTP, as the configuration allows. */
  get?: Get;
  /** Told of every pass that had something to say, with what it is about to do, for stories. */
  onReconcile?(report: ReconcileReport): void;
  /** Told after each pass what of it the server did, if anything, for logs. */
  onAction?(report: ReconcileReport): void;
  /** An error that ended a pass; the target is looked at again by itself. */
  onError?(key: TargetKey, error: unknown): void;
  /** What was remembered is of another history than the server has, and is not waited for. */
  onDiscarded?(key: TargetKey, message: string): void;
  /** A resource (its plural) could not be listed or watched, which is tried again; nothing is decided until then. */
  onForbidden?(plural: string, error: unknown): void;
  /** From 0 up to 1, for jitter between the attempts of many processes. Default: none. */
  random?: () => number;
  /** Told of every look that came to an end, and what was found, for metrics. */
  onSnapshot?(look: SnapshotReport): void;
  /** The server did what was decided. */
  onReconciled?(action: Action): void;
  /** The server refused what was decided; `movedOn`: because the world is not as it was then, which happens to all. */
  onRefused?(action: Action, reason: string): void;
  /** Hears of passes as they wait and run. */
  queue?: SchedulerWatch;
}

export interface ReconcileReport {
  key: TargetKey;
  at: number;
  actions: readonly Action[];
  explanations: readonly Explanation[];
  result: Advance | undefined;
}

export interface Runtime {
  start(): void;
  /** Targets of this kind are looked after, too, from now on. */
  manage(kind: Kind): void;
  /**
   * No new pass starts and no new write is sent. Resolves when the writes under way have ended, true; or, where one does
   * not end within two and a half seconds, false. What was begun goes on where it was at the next start.
   */
  stop(): Promise<boolean>;
  /** Whether everything that decisions are made of is known. */
  readonly synced: boolean;
  /** Targets that are due and not looked at yet. */
  readonly queued: number;
  /** What the caches hold, by the plural of the resource. */
  cacheSizes(): Holding[];
}
