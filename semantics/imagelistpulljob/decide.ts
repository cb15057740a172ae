import { TAKEN_MS } from '../children/taken.ts';
import type { Action, Decision, EventDraft, Explanation } from '../decision.ts';
import { normalizePull } from '../imagepulljob/normalize.ts';
import { pullJobResource } from '../imagepulljob/resource.ts';
import { recordedPull } from '../imagepulljob/status.ts';
import type { ObservedObjects } from '../kinds/kind.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { objectOf } from '../values/read.ts';
import { timestamp } from '../values/timestamp.ts';
import { type Member, membersOf, newChild } from './child.ts';
import { listPullJobResource } from './resource.ts';
import { countedMembers, heldIn, type ListPullStatus } from './status.ts';

type Held = { reason: string; message: string } | undefined;

/** What a decision about a list is made from. */
export type ObservedList = Pick<ObservedObjects, 'target' | 'children' | 'takenNames' | 'now'>;

/**
 * Decides about one list (OpenKruise image-pull, rule 6b): each image has a job of its own, a changed template or image another one. Once
 * all have ended it stays as it is, whatever is edited.
 */
export function decideListPull(observed: ObservedList, held: Held): Decision<ListPullStatus> {
  const { target, children = [], now } = observed;
  const { startedAt, completedAt } = recordedPull(target);
  if (completedAt > 0) return ended(observed, completedAt);
  const { list, past } = membersOf(target, children);
  const counts = countedMembers(list);
  const isDone = !normalizePull(target).neverEnds && counts.completed === counts.desired;
  const missing = list.filter(({ child, waits }) => child === undefined && !waits);
  const [taken, free] = [
    missing.filter(({ name }) => observed.takenNames.has(name)),
    missing.filter(({ name }) => !observed.takenNames.has(name)),
  ];
  return {
    actions: [...past.map(deletion), ...free.map((member) => creation(target, member))],
    status: {
      startTime: timestamp(startedAt > 0 ? startedAt : now),
      ...(isDone && { completionTime: timestamp(now) }),
      ...counts,
      ...heldIn(target, held, now),
    },
    explanations: taken.map(foreignName),
    events: taken.map((member): EventDraft => {
      return { type: 'Warning', reason: 'FailedCreate', message: foreignName(member).reason };
    }),
    ...(taken.length > 0 && { requeueAt: now + TAKEN_MS }),
  };
}

/** After the end nothing is created or deleted but the list itself, when its time is over. */
function ended({ target, now }: ObservedList, completedAt: number): Decision<ListPullStatus> {
  const { conditions: _conditions, ...kept } = objectOf(target['status']);
  const status = { ...(kept as unknown as ListPullStatus), ...heldIn(target, undefined, now) };
  const decision = { status, explanations: [] };
  const { ttl } = normalizePull(target);
  if (ttl === undefined) return { ...decision, actions: [] };
  const expiresAt = completedAt + ttl * 1000;
  return now < expiresAt
    ? { ...decision, actions: [], requeueAt: expiresAt }
    : { ...decision, actions: [expire(target)] };
}

const child = { kind: 'Child', resource: pullJobResource } as const;

function creation(target: KubeObject, member: Member): Action {
  const object = newChild(target, member);
  return {
    ...{ ...child, do: 'create', verb: 'create child', object },
    reason: `${member.image} is in its list`,
    event: {
      type: 'Normal',
      reason: 'Successful create ImagePullJob',
      message: `Create ImagePullJob ${member.name}`,
    },
  };
}

/** Its pods go with it. */
function deletion({ metadata }: KubeObject): Action {
  const { name, uid = '', resourceVersion = '' } = metadata;
  return {
    ...{ ...child, do: 'delete', verb: 'delete child', name, uid, resourceVersion },
    propagationPolicy: 'Background',
    reason: 'its image is not in the list any more, or is pulled in another way',
    event: {
      type: 'Normal',
      reason: 'Successful delete ImagePullJob',
      message: `Delete ImagePullJob ${name}`,
    },
  };
}

function foreignName({ image, name }: Member): Explanation {
  return {
    about: image,
    reason: `${image} gets no job: an object that the list has not created has the name ${name}`,
  };
}

function expire({ metadata }: KubeObject): Action {
  const { name, uid = '', resourceVersion = '' } = metadata;
  return {
    ...{ do: 'delete', kind: 'Target', resource: listPullJobResource, verb: 'delete after its TTL' },
    ...{ name, uid, resourceVersion, reason: 'it is over, and ttlSecondsAfterFinished have passed' },
  };
}
