import type { JsonObject } from '../../schemas/wire/json.ts';
import type { DeleteAction, PatchAction } from '../decision.ts';
import { factsOf } from '../pod/facts.ts';
import { addNotReadyKey, type NotReadyKey } from '../pod/kruise-ready.ts';
import { KRUISE_POD_READY, type Pod } from '../pod/types.ts';
import { type InPlaceUpdate, updateInPlace } from '../pod/update-in-place.ts';
import { type Hook, type HookName, isHooked, type Lifecycle } from './hooks.ts';
import { type LifecycleState, setState, stateMetadata } from './states.ts';
import { textOf } from '../values/read.ts';
import { hookOfState, waitEvent, waitText } from './wait.ts';

/** Why nothing is done about a pod now, as the rest of a sentence that starts with its name. */
export interface Wait {
  reason: string;
}

/** The holders of KruisePodReady that OpenKruise's hooks have (OpenKruise inplace-update, rule 6.8). */
const HOLDERS = {
  preDelete: { userAgent: 'Lifecycle', key: 'preDeleteHook' },
  inPlaceUpdate: { userAgent: 'Lifecycle', key: 'preUpdateHook' },
} as const satisfies Partial<Record<HookName, NotReadyKey>>;

/** Whether a written condition takes a pod out of traffic because it is to be deleted. */
export function isHeldForDeletion({ type, message }: JsonObject): boolean {
  return type === KRUISE_POD_READY && textOf(message).includes(`"${HOLDERS.preDelete.key}"`);
}

/**
 * The next write of the deletion of a pod: the deletion itself, unless the hook preDelete holds the pod. Then the pod becomes
 * PreparingDelete, and waits (OpenKruise inplace-update, rule 6.9). Only deletions that are decided on here wait.
 */
export function deleteThroughHook(
  { preDelete }: Lifecycle,
  pod: Pod,
  deletion: DeleteAction,
  now: number,
): DeleteAction | PatchAction | Wait {
  if (preDelete === undefined || !isHooked(preDelete, pod)) return deletion;
  const held = hold({ name: 'preDelete', state: 'PreparingDelete' }, preDelete, pod, now);
  return held ?? { reason: waitText('preDelete', preDelete, pod, true) ?? '' };
}

/**
 * The next write of an in-place update: while the hook inPlaceUpdate holds the pod, it becomes PreparingUpdate and waits;
 * then it is updated, and becomes Updating (OpenKruise inplace-update, rule 6.9). Without that hook the state stays as it is,
 * unless the update resizes: then a pod may stay in traffic all the time, and its state alone says that it is not done.
 * A pod that is Updated gets the handlers of the hook again, so that its controller prepares it for this update, too.
 */
export function updateThroughHook(
  { inPlaceUpdate: hook }: Lifecycle,
  pod: Pod,
  change: InPlaceUpdate,
  now: number,
): PatchAction | Wait {
  if (hook !== undefined) {
    const { lifecycle: state } = factsOf(pod);
    if (state === 'Updated' && Object.keys(hook.labels).length + hook.finalizers.length > 0)
      return hookAgain(hook, pod, now);
    // What has begun is continued without the hook.
    if (state !== 'Updating' && isHooked(hook, pod)) {
      const held = hold({ name: 'inPlaceUpdate', state: 'PreparingUpdate' }, hook, pod, now);
      return held ?? { reason: waitText('inPlaceUpdate', hook, pod, true) ?? '' };
    }
  }
  const written = updateInPlace(pod, change, now);
  if (written === undefined) return { reason: 'stays out of traffic until its grace period is over' };
  const isMarked = hook !== undefined || change.change.resize !== undefined;
  return isMarked && written.subresource !== 'status' ? updating(written, now) : written;
}

/** Records the state that a pod enters by itself, with what it waits for in it. */
export function enterState(lifecycle: Lifecycle, pod: Pod, state: LifecycleState, now: number): PatchAction {
  const wait = hookOfState(state);
  const hook = wait && lifecycle[wait.hook];
  const text = wait && hook && waitText(wait.hook, hook, pod, wait.has);
  if (wait === undefined || hook === undefined || text === undefined)
    return setState(pod, state, { reason: 'nothing blocks it' }, now);
  return setState(pod, state, { reason: text, event: waitEvent(wait.hook, hook, pod, wait.has) }, now);
}

/** The writes that make a pod wait at a hook; undefined: all of them are made. */
function hold(
  { name, state }: { name: keyof typeof HOLDERS; state: LifecycleState },
  hook: Hook,
  pod: Pod,
  now: number,
): PatchAction | undefined {
  const text = waitText(name, hook, pod, true) ?? '';
  const event = waitEvent(name, hook, pod, true);
  const isSet = factsOf(pod).lifecycle === state;
  const prepared = isSet ? undefined : setState(pod, state, { reason: text, event }, now);
  const body = hook.markPodNotReady ? addNotReadyKey(pod, HOLDERS[name], now) : undefined;
  if (body === undefined) return prepared;
  const base = { do: 'patch', kind: 'Pod', name: pod.metadata.name, subresource: 'status' } as const;
  return {
    ...base,
    verb: 'set KruisePodReady=False',
    body,
    reason: `hook ${name} keeps it out of traffic`,
    ...(prepared === undefined ? {} : { next: prepared }),
  };
}

/** Puts all handlers of the hook back on the pod: the strategic merge of finalizers keeps the others. */
function hookAgain(hook: Hook, pod: Pod, now: number): PatchAction {
  const more = {
    labels: { ...hook.labels },
    ...(hook.finalizers.length === 0 ? {} : { finalizers: [...hook.finalizers] }),
  };
  const hooked = { ...pod, metadata: { ...pod.metadata, ...more } };
  const event = waitEvent('inPlaceUpdate', hook, hooked, true);
  const reason = 'is updated again: its hook inPlaceUpdate comes first';
  return setState(pod, 'PreparingUpdate', { reason, event, more }, now);
}

/** The same patch, which also records that the pod is being updated. */
function updating(patch: PatchAction, now: number): PatchAction {
  const { labels, annotations } = stateMetadata('Updating', now);
  const metadata = (patch.body['metadata'] ?? {}) as Record<string, object>;
  return {
    ...patch,
    body: {
      ...patch.body,
      metadata: {
        ...metadata,
        labels: { ...metadata['labels'], ...labels },
        annotations: { ...metadata['annotations'], ...annotations },
      },
    },
  };
}
