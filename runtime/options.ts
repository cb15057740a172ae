import type { RuntimeConfig } from '../schemas/generated/types/runtimeconfig.ts';
import type { Clock } from '../schemas/wire/clock.ts';
import type { Cluster } from '../schemas/wire/cluster.ts';
import type { Action, Explanation } from '../semantics/decision.ts';
import type { Kind } from '../semantics/kinds/kind.ts';
import type { Component } from '../semantics/kinds/need.ts';
import type { Advance } from '../semantics/plan/advance.ts';
import type { Holding } from './observe/holdings.ts';
import type { RetentionLimits } from './observe/retention.ts';
import type { TargetKey } from './observe/target-key.ts';
import type { SchedulerWatch } from './observe/scheduler.ts';
import type { Get, Post } from './check/get.ts';
import type { NoticeOptions } from './notify/notices.ts';
import type { Policy } from '../semantics/policy.ts';
import type { SnapshotReport } from './report/snapshot.ts';

export interface RuntimeOptions {
  cluster: Cluster;
  clock: Clock;
  /**
   * The name of this process, unique to it: it is recorded with what the process writes, so that two of them notice each
   * other. Default: none, and it notices nobody.
   */
  identity?: string;
  /** The policy if neither the target nor its namespace sets one. */
  policy: Policy;
  /**
   * Why a BreakGlass created at this time (milliseconds since 1970) is refused now, with what to do; undefined or omitted:
   * it is obeyed.
   */
  breakGlassRefusal?: ((createdAt: number) => string | undefined) | undefined;
  /** The only namespace that the cluster shows. Default: it shows all. */
  namespace?: string | undefined;
  /** The managed kinds. Default: all registered ones. */
  kinds?: readonly Kind[];
  /** The namespace of the records of cluster-scoped targets. Default: kruise-system. */
  stateNamespace?: string;
  /** Whether running containers can be resized in place now. Default: they can. */
  canResize?: () => boolean;
  /** Whether the rights of a component are missing now. Default: they are there, but for those to run commands in containers. */
  isOff?: (component: Component) => boolean;
  /** Whether it notes what protected Namespaces and definitions have in them. Default: it does not. */
  protects?: () => boolean;
  /** Whether pods that another controller created are adopted; otherwise their target is held. Default true. */
  adopt?: boolean;
  /** Most plans that may move pods at once. Default 10. */
  maxRunning?: number;
  /** The named checks that plans may use. Default: none. */
  config?: RuntimeConfig;
  /** How much memory the objects of a namespace may take. Default: as fits the shipped Deployment. */
  retention?: RetentionLimits;
  /** How checks send requests. Default: over HTTP, as the configuration allows. */
  get?: Get;
  /** How the webhook of the configuration is sent. Default: over HTTP, as the configuration allows. */
  post?: Post;
  /** Called after every attempt to send the webhook. */
  onNotice?: NoticeOptions['onOutcome'];
  /** Called before a reconcile acts, with its actions and phase transitions, for stories. */
  onReconcile?(report: ReconcileReport): void;
  /** Called after each reconcile with the actions that the server accepted, if any, for logs. */
  onAction?(report: ReconcileReport): void;
  /** An error that ended a reconcile; the target is enqueued again. */
  onError?(key: TargetKey, error: unknown): void;
  /** A record of another history of the server was discarded. */
  onDiscarded?(key: TargetKey, message: string): void;
  /** Another process, of this name, writes about the target, too. */
  onAnotherProcess?(key: TargetKey, identity: string): void;
  /** A resource (its plural) could not be listed or watched; it is retried, and nothing is decided until then. */
  onForbidden?(plural: string, error: unknown): void;
  /** A random number in [0, 1), for jitter of retries. Default: no jitter. */
  random?: () => number;
  /** Called after every complete reconcile with what it observed, for metrics. */
  onSnapshot?(report: SnapshotReport): void;
  /** The server accepted an action. */
  onExecuted?(action: Action): void;
  /** The server refused an action; the reason `MovedOn` is a conflict or not found. */
  onRefused?(action: Action, reason: string): void;
  /** Called as reconciles wait and run. */
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
  /** Manages the targets of one more kind. */
  manage(kind: Kind): void;
  /** Reconciles all targets: what the server serves or grants has changed. */
  reconcileAll(): void;
  /**
   * Starts no reconcile and sends no write any more. Resolves with true once the writes in flight have ended; with false if
   * one does not end within two and a half seconds. Rollouts continue at the next start.
   */
  stop(): Promise<boolean>;
  /** Whether the caches are synced that decisions need, but for those of held kinds. */
  readonly synced: boolean;
  /** The kinds whose targets are all held, because the server refuses a resource that they require. */
  readonly heldKinds: readonly string[];
  /** Targets that are due and not reconciled yet. */
  readonly queued: number;
  /** What the webhook is still to say. */
  readonly notices: number;
  /** The sizes of the caches, by the plural of the resource. */
  cacheSizes(): Holding[];
}
