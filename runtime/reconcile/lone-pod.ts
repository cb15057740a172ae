import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Action } from '../../semantics/decision.ts';
import { releases } from '../../semantics/launch/release.ts';
import { unclaimedRelease } from '../../semantics/pod/gated.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { STALE_REQUEUE_MS } from '../act/cache-freshness.ts';
import { isConflictOrNotFound, isRefusal } from '../act/conflict.ts';
import { isCurrent } from '../act/current.ts';
import { execute } from '../act/executor.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { launchRefusalEvent } from '../report/drafts.ts';
import { sendEvents } from '../report/events.ts';
import { FIELD_MANAGER, type ReconcileTools } from './tools.ts';

/**
 * How soon a refused write is tried again, doubled as long as it is refused for the same reason: somebody has to grant a right, or
 * to rename a ConfigMap. Without the right thousands of pods may wait.
 */
const REFUSED_RETRY_MS = 30_000;
const LONGEST_RETRY_MS = 300_000;
/** The pods that are written at once: after a downtime thousands may wait. */
const MOST_AT_ONCE = 16;

const NONE: ReadonlySet<string> = new Set();

/** The last refusal that a pod has an Event about. */
interface Refusal {
  message: string;
  pauseMs: number;
  /** When the pause ends, by the monotonic clock. */
  until: number;
}

type Tools = Pick<ReconcileTools, 'options' | 'cluster' | 'clock' | 'caches' | 'enqueue'>;

/** How soon a pod that waits is looked at again while it is not known whether a target removes its gate. */
const UNKNOWN_RETRY_MS = 10_000;

/**
 * One reconcile of one pod that no target decides about. Its containers start in an order: the admission has put the barriers into it, and
 * here they are released. Or it waits with a gate that no target removes, or can, and is let go. Nothing is remembered: what is released is on
 * record in the ConfigMap and on the pod.
 *
 * @returns a function that resolves with true if the pod was reconciled completely
 */
export function createLonePodReconciler(tools: Tools): (key: TargetKey) => Promise<boolean> {
  const { clock, caches, enqueue } = tools;
  const slots = createSlots(MOST_AT_ONCE);
  const refusals = new WeakMap<TargetKey, Refusal>();

  async function reconcile(key: TargetKey): Promise<boolean> {
    const cached = caches.alone(key);
    if (cached === undefined) {
      refusals.delete(key);
      return true;
    }
    // No ConfigMap of its barriers is created in a namespace that ends. The pod may be one of the next namespace of that name.
    if (caches.namespaces.isTerminating(key.namespace) || !caches.isSynced(key)) {
      enqueue(key, STALE_REQUEUE_MS);
      return false;
    }
    const pod = cached === 'TooLarge' ? await readPod(tools, key) : cached;
    // The watch shows it soon.
    if (pod === undefined) return true;
    const now = clock.now();
    const { actions: releasing, requeueAt } = releases([pod], NONE, now);
    const actions: Action[] = [...releasing];
    if (requeueAt !== undefined) enqueue(key, Math.max(requeueAt - now, 0));
    const { lonePods } = caches;
    const why = lonePods.letGo(pod, caches.pod(key.namespace, key.name));
    const waiting =
      why === undefined
        ? undefined
        : unclaimedRelease(pod, { gates: lonePods.gates, isTooLarge: why === 'TooLarge' }, now);
    if (waiting !== undefined && !lonePods.areTargetsKnown(key.namespace)) enqueue(key, UNKNOWN_RETRY_MS);
    else if (typeof waiting === 'number') enqueue(key, Math.max(waiting - now, 0));
    else if (waiting !== undefined) actions.push(waiting);
    return actions.length === 0 || release(tools, { key, pod, actions, refusals });
  }

  return async (key) => {
    await slots.take();
    try {
      return await reconcile(key);
    } finally {
      slots.free();
    }
  };
}

/** A pod that is too large to be cached, from the server; undefined: it is gone, or waits no more. */
async function readPod({ cluster, caches }: Tools, { namespace, name }: TargetKey): Promise<Pod | undefined> {
  try {
    const pod = await cluster.get(resources.Pod, { namespace, name });
    return caches.lonePods.mayBe(pod) ? (pod as Pod) : undefined;
  } catch (error) {
    if (isConflictOrNotFound(error)) return undefined;
    throw error;
  }
}

async function release(
  { options, cluster, clock, caches, enqueue }: Tools,
  {
    key,
    pod,
    actions,
    refusals,
  }: {
    key: TargetKey;
    pod: KubeObject;
    actions: readonly Action[];
    refusals: WeakMap<TargetKey, Refusal>;
  },
): Promise<boolean> {
  const done: Action[] = [];
  try {
    const { conflicts } = await execute(actions, {
      cluster,
      namespace: key.namespace,
      fieldManager: FIELD_MANAGER,
      observed: { versions: new Map() },
      onWritten() {},
      onNameTaken() {},
      isCurrent: (action) => isCurrent(caches, pod, action),
      onExecuted(action) {
        done.push(action);
        options.onExecuted?.(action);
      },
      onConflict: (action) => options.onRefused?.(action, 'MovedOn'),
      async onRefused(action, error) {
        options.onRefused?.(action, error.status.reason);
        if (!isRefusal(error)) return;
        const event = launchRefusalEvent(action, error);
        const before = refusals.get(key);
        refusals.set(key, refusedAgain(before, event.message, clock.monotonic()));
        if (before?.message === event.message) return;
        await sendEvents(cluster, pod, [event], clock.now());
      },
    });
    // The watch usually shows the change; a conflict without a change would otherwise never be retried.
    if (conflicts > 0) enqueue(key, STALE_REQUEUE_MS);
    else refusals.delete(key);
    return conflicts === 0;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    options.onError?.(key, error);
    const now = clock.monotonic();
    const until = refusals.get(key)?.until ?? now + REFUSED_RETRY_MS;
    enqueue(key, Math.max(until - now, 0));
    return false;
  } finally {
    if (done.length > 0)
      options.onAction?.({ key, at: clock.now(), actions: done, explanations: [], result: undefined });
  }
}

/** The pause does not grow by an attempt that a change of the pod has caused. */
function refusedAgain(before: Refusal | undefined, message: string, now: number): Refusal {
  if (before?.message !== message)
    return { message, pauseMs: REFUSED_RETRY_MS, until: now + REFUSED_RETRY_MS };
  if (now < before.until) return before;
  const pauseMs = Math.min(before.pauseMs * 2, LONGEST_RETRY_MS);
  return { message, pauseMs, until: now + pauseMs };
}

/** Lets so many work at once; the others wait in their order. */
function createSlots(most: number): { take(): Promise<void>; free(): void } {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    async take() {
      if (taken < most) taken += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    free() {
      const next = waiting.shift();
      if (next === undefined) taken -= 1;
      else next();
    },
  };
}
