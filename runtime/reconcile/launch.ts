import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action, CreateAction } from '../../semantics/decision.ts';
import { releases } from '../../semantics/launch/release.ts';
import { STALE_REQUEUE_MS } from '../act/cache-freshness.ts';
import { isRefusal } from '../act/conflict.ts';
import { isCurrent } from '../act/current.ts';
import { execute } from '../act/executor.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { launchRefusalEvent } from '../report/drafts.ts';
import { sendEvents } from '../report/events.ts';
import { FIELD_MANAGER, type ReconcileTools } from './tools.ts';

/** How soon a refused write is tried again: somebody has to grant a right, or to rename a ConfigMap. */
const REFUSED_RETRY_MS = 30_000;
/** The pods that are written at once: after a downtime thousands may wait. */
const MOST_AT_ONCE = 16;

const NONE: ReadonlySet<string> = new Set();

type Tools = Pick<ReconcileTools, 'options' | 'cluster' | 'clock' | 'caches' | 'enqueue'>;

/**
 * One reconcile of one pod of another owner whose containers start in an order: the admission has put the barriers into it, and
 * here they are released. Nothing is remembered: what is released is on record in the ConfigMap and on the pod.
 *
 * @returns a function that resolves with true if the pod was reconciled completely
 */
export function createLaunchReconciler(tools: Tools): (key: TargetKey) => Promise<boolean> {
  const { clock, caches, enqueue } = tools;
  const slots = createSlots(MOST_AT_ONCE);
  /** The last refusal that a pod has an Event about. */
  const reported = new WeakMap<TargetKey, string>();

  async function reconcile(key: TargetKey): Promise<boolean> {
    const pod = caches.launching(key);
    if (pod === undefined) {
      reported.delete(key);
      return true;
    }
    if (!caches.isSynced(key)) {
      enqueue(key, STALE_REQUEUE_MS);
      return false;
    }
    const { actions, requeueAt } = releases([pod], NONE, clock.now());
    if (requeueAt !== undefined) enqueue(key, Math.max(requeueAt - clock.now(), 0));
    return actions.length === 0 || release(tools, { key, pod, actions, reported });
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

async function release(
  { options, cluster, clock, caches, enqueue }: Tools,
  {
    key,
    pod,
    actions,
    reported,
  }: {
    key: TargetKey;
    pod: KubeObject;
    actions: readonly CreateAction[];
    reported: WeakMap<TargetKey, string>;
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
        const event = launchRefusalEvent(action, error);
        if (!isRefusal(error) || reported.get(key) === event.message) return;
        reported.set(key, event.message);
        await sendEvents(cluster, pod, [event], clock.now());
      },
    });
    // The watch usually shows the change; a conflict without a change would otherwise never be retried.
    if (conflicts > 0) enqueue(key, STALE_REQUEUE_MS);
    else reported.delete(key);
    return conflicts === 0;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    options.onError?.(key, error);
    enqueue(key, REFUSED_RETRY_MS);
    return false;
  } finally {
    if (done.length > 0)
      options.onAction?.({ key, at: clock.now(), actions: done, explanations: [], result: undefined });
  }
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
