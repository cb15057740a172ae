import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action, CreateAction } from '../decision.ts';
import { isPullPod } from '../pull/pod.ts';
import {
  type ActiveInfluence,
  type CreatedPod,
  isInNamespaceOf,
  type LaterPod,
  type Present,
} from './influence.ts';

/** Creations of pods, as the objects want them that influence these. */
export interface PatchedCreates {
  /** By the action of the decision. */
  byAction: ReadonlyMap<Action, { action: CreateAction; recordedBy: readonly ActiveInfluence[] }>;
  /** The pods that each object has counted. */
  recorded: ReadonlyMap<ActiveInfluence, readonly KubeObject[]>;
  /** Those that are left out for now, with the name of the pod and what is to be known first, as a clause. */
  later: ReadonlyMap<Action, { name: string; reason: string }>;
  /** The errors in which rules have ended. */
  failed: ReadonlyMap<ActiveInfluence, unknown>;
}

/** A creation that leads to a pod, perhaps after its claims. */
interface Creation {
  action: CreateAction;
  pod: KubeObject;
  recordedBy: ActiveInfluence[];
  shapedBy: string[];
}

/**
 * Shows all pods that a decision creates to each object, one object after the other: what one has made of them, the next one gets.
 */
export function patchedCreates(
  {
    influences,
    target,
    present,
  }: { influences: readonly ActiveInfluence[]; target: KubeObject; present: Present },
  actions: readonly Action[],
): PatchedCreates {
  const creations = actions.flatMap((action): Creation[] => {
    const pod = action.do === 'create' ? podOf(action) : undefined;
    return action.do === 'create' && pod !== undefined ? [{ action, pod, recordedBy: [], shapedBy: [] }] : [];
  });
  const recorded = new Map<ActiveInfluence, readonly KubeObject[]>();
  const failed = new Map<ActiveInfluence, unknown>();
  const later = new Map<Action, { name: string; reason: string }>();
  for (const influence of influences) {
    const own = creations.filter(
      ({ action, pod }) => !later.has(action) && isInNamespaceOf(influence.object, within(pod, target)),
    );
    if (own.length === 0) continue;
    let made: readonly (CreatedPod | LaterPod)[];
    try {
      made = influence.created(
        target,
        own.map(({ pod }) => pod),
        present,
      );
    } catch (error) {
      failed.set(influence, error);
      continue;
    }
    own.forEach((creation, index) => {
      const found = made[index];
      if (found === undefined) return;
      if ('later' in found) {
        later.set(creation.action, { name: creation.pod.metadata.name, reason: found.later });
        return;
      }
      if (found.pod !== creation.pod)
        creation.shapedBy.push(`${influence.resource.kind} ${influence.object.metadata.name}`);
      creation.pod = found.pod;
      if (found.isRecorded) creation.recordedBy.push(influence);
    });
  }
  for (const { action, pod, recordedBy } of creations)
    for (const influence of later.has(action) ? [] : recordedBy)
      recorded.set(influence, [...(recorded.get(influence) ?? []), pod]);
  return {
    byAction: new Map(
      creations.map((each) => [
        each.action,
        { action: withPod(each.action, each), recordedBy: each.recordedBy },
      ]),
    ),
    recorded,
    later,
    failed,
  };
}

/** Whether an action leads to a new pod. */
export function createsPod(action: Action): boolean {
  return action.do === 'create' && podOf(action) !== undefined;
}

/** The pod that a creation leads to; undefined: it leads to none. Pods that only pull images are none of the units. */
function podOf({ kind, object, next }: CreateAction): KubeObject | undefined {
  if (kind === 'Pod') return isPullPod(object) ? undefined : object;
  return next?.do === 'create' ? podOf(next) : undefined;
}

/** The namespace of a pod that states none is that of its owner. */
function within(pod: KubeObject, { metadata }: KubeObject): KubeObject {
  const namespace = pod.metadata.namespace ?? metadata.namespace;
  return namespace === undefined ? pod : { ...pod, metadata: { ...pod.metadata, namespace } };
}

function withPod(action: CreateAction, made: Pick<Creation, 'pod' | 'shapedBy'>): CreateAction {
  const { pod, shapedBy } = made;
  if (action.kind === 'Pod')
    return action.object === pod
      ? action
      : { ...action, object: pod, ...(shapedBy.length > 0 && { shapedBy }) };
  const { next } = action;
  return next?.do === 'create' ? { ...action, next: withPod(next, made) } : action;
}
