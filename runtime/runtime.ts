import { ApiError } from '../schemas/wire/cluster.ts';
import { kinds } from '../semantics/registry/registry.ts';
import { createReservations } from './act/reservations.ts';
import { withErrorOrigin } from './act/error-origin.ts';
import { withoutLateCreates } from './act/terminating.ts';
import { createAddressRules } from './check/addresses.ts';
import { createChecks } from './check/checks.ts';
import { createHttpGet, createHttpPost } from './check/http-get.ts';
import { fenced, NotLeading } from './lead/fence.ts';
import { createNotices } from './notify/notices.ts';
import { secretReader } from './notify/secret.ts';
import { type Caches, createCaches } from './observe/caches.ts';
import { isPodKey } from './observe/foreign-launch.ts';
import { paceOf } from './observe/pace.ts';
import { createScheduler } from './observe/scheduler.ts';
import type { TargetKey } from './observe/target-key.ts';
import { STATE_NAMESPACE } from '../semantics/values/system-namespaces.ts';
import type { Runtime, RuntimeOptions } from './options.ts';
import { createLonePodReconciler } from './reconcile/lone-pod.ts';
import { createReconciler } from './reconcile/reconciler.ts';
import { createStates } from './reconcile/state.ts';
import { createRolloutContexts } from './plan/rollout-contexts.ts';
import { createProtection } from './protect/protection.ts';

export type { ReconcileReport, Runtime, RuntimeOptions } from './options.ts';

const MAX_RUNNING = 10;
/** How long a stopping runtime waits for writes in flight. */
const STOP_MS = 2_500;

/**
 * The controller: it reconciles a target whenever something about it has changed. Its in-memory state can be lost at any
 * time.
 */
export function createRuntime(given: RuntimeOptions): Runtime {
  const options: RuntimeOptions = {
    ...given,
    // A write that was not sent for lack of leadership is no error.
    onError(key, error) {
      if (!(error instanceof NotLeading)) given.onError?.(key, error);
    },
  };
  const { clock } = options;
  let stopping = false;
  const origin = withErrorOrigin(options.cluster);
  const cluster = withoutLateCreates(
    fenced(origin.cluster, () => !stopping),
    () => caches.namespaces,
  );
  const managedKinds = [...(options.kinds ?? kinds)];
  const scheduler = createScheduler<TargetKey>(
    clock,
    (key) => reconcile(key),
    onFailure,
    options.queue,
    (key) => paceOf(caches, key),
  );
  const { enqueue } = scheduler;
  const caches: Caches = createCaches(cluster, clock, enqueue, {
    ...(options.random !== undefined && { random: options.random }),
    onError: ({ plural }, error) => options.onForbidden?.(plural, error),
    limits: options.retention,
    kinds: managedKinds,
    namespace: options.namespace,
    isOff: options.isOff,
  });
  const states = createStates({ cluster, caches, clock, identity: options.identity });
  const config = options.config ?? { checks: [] };
  const addresses = createAddressRules(config.addresses ?? []);
  const get = options.get ?? createHttpGet({ clock, addresses });
  const checks = createChecks({ config, clock, get, onResult: (key: TargetKey) => enqueue(key) });
  const { webhook } = config;
  const notices =
    webhook &&
    createNotices({
      webhook,
      clock,
      post: options.post ?? createHttpPost({ clock, addresses }),
      readSecret: webhook.secretFile === undefined ? undefined : secretReader(webhook.secretFile),
      random: options.random,
      onDelivered: (key) => enqueue(key),
      onOutcome: options.onNotice,
    });
  const maxRunning = options.maxRunning ?? MAX_RUNNING;
  const contexts = createRolloutContexts({ caches, states, checks, clock, maxRunning, enqueue });
  const { busy, yieldAfter } = scheduler;
  const stateNamespace = options.stateNamespace ?? STATE_NAMESPACE;
  const tools = {
    options,
    stateNamespace,
    cluster,
    clock,
    caches,
    states,
    contexts,
    notices,
    reservations: createReservations(clock),
    enqueue,
    busy,
    yieldAfter,
  };
  const protection = createProtection({
    ...{ cluster, clock, random: options.random },
    onError: (plural, error) => options.onForbidden?.(plural, error),
  });
  const protect = (): void => {
    if (options.protects?.() === true) protection.start();
  };
  const reconcileTarget = createReconciler(tools, { managedKinds, isOwnError: origin.isOwn });
  const reconcilePod = createLonePodReconciler(tools);
  const reconcile = (key: TargetKey): Promise<boolean> =>
    isPodKey(key) ? reconcilePod(key) : reconcileTarget(key);

  function onFailure(key: TargetKey, error: unknown): void {
    const state = states.find(key);
    // A refusal is an answer: the cluster is observed. After any other error its state is unknown, and clocks stop.
    if (state !== undefined && (!(error instanceof ApiError) || error.status.code >= 500))
      state.progressClock = undefined;
    options.onError?.(key, error);
  }

  return {
    start() {
      caches.start();
      protect();
    },
    manage(kind) {
      if (managedKinds.includes(kind)) return;
      managedKinds.push(kind);
      caches.watch(kind);
    },
    reconcileAll() {
      protect();
      for (const [key] of caches.targets()) enqueue(key);
    },
    stop() {
      stopping = true;
      caches.stop();
      checks.stop();
      notices?.stop();
      // What is in flight of it is repeated by the next leader; its writes are idempotent.
      void protection.stop();
      return scheduler.stop(STOP_MS);
    },
    get synced() {
      return caches.synced;
    },
    get heldKinds() {
      return caches.heldKinds.map(({ id }) => id.kind);
    },
    get queued() {
      return scheduler.depth;
    },
    get notices() {
      return notices?.waiting ?? 0;
    },
    cacheSizes: () => caches.sizes(),
  };
}
