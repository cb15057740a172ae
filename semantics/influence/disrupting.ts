import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Action, PatchAction } from '../decision.ts';
import type { Disruption } from '../limits/slots.ts';
import { isHeldForDeletion } from '../lifecycle/transitions.ts';
import { IN_PLACE_READY, KRUISE_POD_READY, type Pod, SPECIFIED_DELETE_LABEL } from '../pod/types.ts';
import { RESIZABLE } from '../template/amounts.ts';
import { restartsFor } from '../template/resize.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';

/** A pod is ready only while all of these are True. */
const READINESS: ReadonlySet<string> = new Set(['Ready', IN_PLACE_READY, KRUISE_POD_READY]);

/** Of two writes of one pod that follow one another, the one with the higher number says what is done to it. */
const STRENGTH: Readonly<Record<Disruption, number>> = { Resize: 1, Update: 2, Delete: 3 };

/** A write that may make an existing pod unavailable. */
export interface Disrupting {
  /** The uid of the pod. */
  uid: string;
  how: Disruption;
  /** What it resizes, as containers with their resources. */
  resized: readonly JsonObject[];
}

/**
 * Whether an action may make its pod unavailable: it deletes the pod or marks it for that, changes an image or resources, or closes a gate, which is a
 * deletion where a hook is to prepare one. What follows it counts, too: the strongest of these. Undefined: it writes anything else,
 * such as labels.
 *
 * Example: resources that change, and then the image: `Update`.
 */
export function disruptingOf(action: Action): Disrupting | undefined {
  if (action.kind !== 'Pod') return undefined;
  switch (action.do) {
    case 'create':
      return undefined;
    case 'delete':
      return { uid: action.uid, how: 'Delete', resized: [] };
    // A command ends a container, as another image does.
    case 'exec':
      return { uid: action.uid, how: 'Update', resized: [] };
    case 'patch': {
      const own = disruptingPatch(action);
      const next = action.next && disruptingOf(action.next);
      if (own === undefined || next === undefined) return own ?? next;
      const { uid, how } = STRENGTH[next.how] > STRENGTH[own.how] ? next : own;
      return { uid, how, resized: [...own.resized, ...next.resized] };
    }
  }
}

/** What is done to a pod: a resize that restarts a container of it (`resizePolicy`) is an update. */
export function howOf({ how, resized }: Disrupting, { spec }: Pod): Disruption {
  const restarts = resized.some(({ name, resources }) => {
    const container = spec.containers.find((each) => each.name === name);
    const { requests, limits } = objectOf(resources);
    const changed = { ...objectOf(requests), ...objectOf(limits) };
    return (
      container !== undefined &&
      RESIZABLE.some((resource) => changed[resource] !== undefined && restartsFor(container, resource))
    );
  });
  return how === 'Resize' && restarts ? 'Update' : how;
}

function disruptingPatch({ subresource, body }: PatchAction): Disrupting | undefined {
  const containers = listOf(objectOf(body['spec'])['containers']);
  const metadata = objectOf(body['metadata']);
  const how = marksForDeletion(metadata)
    ? 'Delete'
    : howPatched(subresource, containers, listOf(objectOf(body['status'])['conditions']));
  if (how === undefined) return undefined;
  const uid = textOf(metadata['uid']);
  return { uid, how, resized: how === 'Resize' ? containers : [] };
}

/**
 * Whether a patch requests the deletion of the pod. The target then deletes that pod before it does anything else: were the mark
 * free, a pod without a slot would keep it from replacing those that need none.
 */
function marksForDeletion({ labels }: JsonObject): boolean {
  return typeof objectOf(labels)[SPECIFIED_DELETE_LABEL] === 'string';
}

function howPatched(
  subresource: string | undefined,
  containers: readonly JsonObject[],
  conditions: readonly JsonObject[],
): Disruption | undefined {
  if (subresource === 'resize') return 'Resize';
  if (containers.some(({ image }) => image !== undefined)) return 'Update';
  const closed = conditions.filter(({ type, status }) => READINESS.has(textOf(type)) && status === 'False');
  if (closed.length === 0) return undefined;
  return closed.some(isHeldForDeletion) ? 'Delete' : 'Update';
}
