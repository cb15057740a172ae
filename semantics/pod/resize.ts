import type { JsonObject } from '../../schemas/wire/json.ts';
import {
  AMOUNTS,
  amountOf,
  isSameAmount,
  RESIZABLE,
  type ResizableName,
  type Resources,
} from '../template/amounts.ts';
import type { EventDraft } from '../decision.ts';
import { objectOf } from '../values/read.ts';
import { inPlaceState } from './in-place-state.ts';
import { condition } from './readiness.ts';
import type { Pod } from './types.ts';

/** The condition of a pod whose resize the kubelet has not granted; its reason is Deferred or Infeasible. */
export const RESIZE_PENDING = 'PodResizePending';
/** The condition of a pod whose resize the kubelet carries out; its reason is Error if that fails. */
export const RESIZE_IN_PROGRESS = 'PodResizeInProgress';

/** Whether the rules read the resources of a pod: its last update in place has changed some. */
export function isResized(pod: Pod): boolean {
  return inPlaceState(pod)?.updateResources === true;
}

/** Cpu and memory of a container: as far as they are amounts, which an annotation that users can write may lack. */
export function readResources(value: unknown): Resources {
  const found: Resources = {};
  for (const list of AMOUNTS) {
    const amounts: Partial<Record<ResizableName, string>> = {};
    for (const name of RESIZABLE) {
      const amount = objectOf(objectOf(value)[list])[name];
      if (typeof amount === 'string' || typeof amount === 'number') amounts[name] = String(amount);
    }
    if (Object.keys(amounts).length > 0) found[list] = amounts;
  }
  return found;
}

/** The changes of several containers, of which the later ones take precedence. */
export function mergedResources(
  before: Readonly<Record<string, object>> | undefined,
  after: Readonly<Record<string, Resources>> | undefined,
): Record<string, Resources> {
  const all = Object.entries(before ?? {}).map(([name, each]) => [name, readResources(each)] as const);
  const merged: Record<string, Resources> = Object.fromEntries(
    all.filter(([, each]) => Object.keys(each).length > 0),
  );
  for (const [name, resources] of Object.entries(after ?? {})) {
    const own: Resources = { ...merged[name] };
    for (const list of AMOUNTS)
      if (resources[list] !== undefined) own[list] = { ...own[list], ...resources[list] };
    merged[name] = own;
  }
  return merged;
}

/** The `spec` of a strategic merge patch of `pods/resize`: the named containers, and what changes of each. */
export function resizeSpec(resources: Readonly<Record<string, Resources>>): JsonObject {
  const containers = Object.entries(resources).map(([name, each]): JsonObject => ({
    name,
    resources: each as JsonObject,
  }));
  return { containers };
}

/**
 * Whether the kubelet has given these containers the cpu and memory of their spec (OpenKruise inplace-update, rule 6.5,
 * check 2), and has observed that this is what they are to have.
 */
export function hasResources(pod: Pod, names: readonly string[]): boolean {
  const { observedGeneration } = pod.status ?? {};
  if (observedGeneration !== undefined && Number(observedGeneration) < Number(pod.metadata.generation ?? 0))
    return false;
  return names.every((name) => {
    const spec = pod.spec.containers.find((each) => each.name === name);
    const status = pod.status?.containerStatuses?.find((each) => each.name === name);
    if (spec === undefined) return true;
    return AMOUNTS.every((list) =>
      RESIZABLE.every((resource) => {
        const wanted = amountOf(spec, list, resource);
        return wanted === undefined || isSameAmount(amountOf(status, list, resource), wanted);
      }),
    );
  });
}

/** Whether the spec of a container that the pod has is to get other resources than it has, as far as they are known. */
export function isToBeResized(pod: Pod, name: string, wanted: Resources): boolean {
  const spec = pod.spec.containers.find((each) => each.name === name);
  if (spec === undefined || !isResized(pod)) return spec !== undefined;
  return AMOUNTS.some((list) =>
    RESIZABLE.some((resource) => {
      const amount = wanted[list]?.[resource];
      return amount !== undefined && !isSameAmount(amountOf(spec, list, resource), amount);
    }),
  );
}

/** What the resize of a pod waits for, as a clause with the words of the kubelet; undefined: nothing is known of a wait. */
export function resizeWait(pod: Pod): string | undefined {
  if (!isResized(pod)) return undefined;
  const pending = condition(pod, RESIZE_PENDING);
  if (pending?.status === 'True') {
    const verdict = pending.reason === 'Infeasible' ? 'infeasible' : 'deferred';
    return `its resize is ${verdict}${wordsOf(pending.message)}`;
  }
  const progress = condition(pod, RESIZE_IN_PROGRESS);
  return progress?.status === 'True' && progress.reason === 'Error'
    ? `its resize fails${wordsOf(progress.message)}`
    : undefined;
}

/** The Event of a target some of whose pods wait for a resize: one for all of them. */
export function resizeEvents(pods: readonly Pod[]): EventDraft[] {
  const waits = pods.flatMap((pod) => {
    const wait = resizeWait(pod);
    return wait === undefined ? [] : [`pod ${pod.metadata.name}: ${wait}`];
  });
  const [first] = waits.sort();
  if (first === undefined) return [];
  const others = waits.length === 1 ? '' : ` (and ${waits.length - 1} more)`;
  return [{ type: 'Warning', reason: 'WaitsForResize', message: `${first}${others}` }];
}

function wordsOf(message: string | undefined): string {
  return message === undefined || message === '' ? '' : `: ${message}`;
}
