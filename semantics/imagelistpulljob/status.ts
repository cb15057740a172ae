import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { heldCondition, timed } from '../conditions/times.ts';
import { normalizePull } from '../imagepulljob/normalize.ts';
import { recordedPull } from '../imagepulljob/status.ts';
import { listOf, numberOf, objectOf } from '../values/read.ts';
import type { Member } from './child.ts';

/** The status of an ImageListPullJob (OpenKruise image-pull, section 3). */
export interface ListPullStatus {
  startTime?: string;
  completionTime?: string;
  desired: number;
  active?: number;
  completed?: number;
  succeeded?: number;
  failedImageStatuses?: readonly FailedImage[];
  conditions?: readonly Condition[];
}

/** An image that some nodes do not get. */
export interface FailedImage {
  imagePullJob: string;
  name: string;
  message: string;
}

/** How far the children are. One that has not started, or has been created for another list, counts nowhere. */
export function countedMembers(
  members: readonly Member[],
): Required<Pick<ListPullStatus, 'desired' | 'active' | 'completed' | 'succeeded'>> &
  Pick<ListPullStatus, 'failedImageStatuses'> {
  const children = members.flatMap(({ image, child }) =>
    child === undefined ? [] : [stateOf(image, child)],
  );
  const failed = children.flatMap(({ failure }) => failure ?? []);
  return {
    desired: members.length,
    active: children.filter(({ isActive }) => isActive).length,
    completed: children.filter(({ isCompleted }) => isCompleted).length,
    succeeded: children.filter(({ isCompleted, isGood }) => isCompleted && isGood).length,
    ...(failed.length > 0 && { failedImageStatuses: failed }),
  };
}

interface ChildState {
  isActive: boolean;
  /** Every node has the image, or does not get it: of a job that never ends, for this day. */
  isCompleted: boolean;
  /** Every node has it. */
  isGood: boolean;
  failure: FailedImage | undefined;
}

function stateOf(image: string, child: KubeObject): ChildState {
  const status = objectOf(child['status']);
  const [desired = 0, active = 0, succeeded = 0, failed = 0] = [
    'desired',
    'active',
    'succeeded',
    'failed',
  ].map((field) => numberOf(status[field]));
  const { startedAt, completedAt } = recordedPull(child);
  const hasAll = startedAt > 0 && desired === succeeded + failed;
  const { name } = child.metadata;
  return {
    isActive: active > 0,
    isCompleted: normalizePull(child).neverEnds ? hasAll : completedAt > 0,
    isGood: desired === succeeded,
    failure:
      failed === 0
        ? undefined
        : {
            imagePullJob: name,
            name: image,
            message: `Please check for details which nodes failed by 'kubectl get ImagePullJob ${name}'.`,
          },
  };
}

type Held = { reason: string; message: string } | undefined;

/** The condition that the job is held, with the time that it had before. */
export function heldIn({ status }: KubeObject, held: Held, now: number): Pick<ListPullStatus, 'conditions'> {
  const before = listOf(objectOf(status)['conditions']) as unknown as Condition[];
  const conditions = timed([heldCondition(held)], before, now);
  return conditions.length > 0 ? { conditions } : {};
}

/** The numbers of a status, of any writer. */
export function countsIn({ status }: KubeObject): {
  desired: number | undefined;
  completed: number;
  succeeded: number;
} {
  const { desired, completed, succeeded } = objectOf(status);
  return {
    desired: numberOf(desired),
    completed: numberOf(completed) ?? 0,
    succeeded: numberOf(succeeded) ?? 0,
  };
}
