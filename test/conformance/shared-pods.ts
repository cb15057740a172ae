import type { Commit } from 'kruise-sandbox';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { parsedJson } from '../../semantics/values/json-shape.ts';
import { fullImageName } from '../../semantics/values/image-name.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import type { SidecarWorld } from '../runtime/sidecar-world.ts';
import { RUNTIME } from './ledger.ts';
import { lives, serves } from './serving.ts';

/** Pods that several updaters change, and how many of them must be available whatever the updaters do. */
export interface SharedBudget {
  covers(pod: Pod): boolean;
  least: number;
}

const STATES = ['apps.kruise.io/inplace-update-state', 'kruise.io/sidecarset-inplace-update-state'];

/**
 * Follows the commits of a world from now on. Returns what was broken: an available pod went out of traffic, by whomever, while
 * too few others were available, or the runtime lost the record of an update or wrote the gate of another updater. Computed from the store alone.
 *
 * @param present the pods that exist
 */
export function watchShared(
  { world }: Pick<SidecarWorld, 'world'>,
  present: readonly Pod[],
  budgets: readonly SharedBudget[],
): string[] {
  const pods = new Map(present.map((pod) => [pod.metadata.uid ?? '', pod]));
  const broken: string[] = [];
  world.onCommit((commit) => {
    if (commit.resource !== 'pods') return;
    const pod = commit.object as Pod;
    const before = commit.previous as Pod | undefined;
    if (commit.type === 'DELETED') pods.delete(pod.metadata.uid ?? '');
    else pods.set(pod.metadata.uid ?? '', pod);
    if (before === undefined) return;
    if (commit.user === RUNTIME) broken.push(...lostRecords(before, pod), ...foreignGates(before, pod));
    const isTaken = available(before) && (commit.type === 'DELETED' || !available(pod));
    for (const { covers, least } of isTaken ? budgets : []) {
      const left = [...pods.values()].filter((each) => covers(each) && available(each)).length;
      if (covers(pod) && left < least)
        broken.push(
          `${left} of at least ${least} are available after ${pod.metadata.name} was taken out${causeOf(commit)}`,
        );
    }
  });
  return broken;
}

/** Whether a pod serves, and no container of it is about to be stopped because its image was changed. */
function available(pod: Pod): boolean {
  return (
    lives(pod) &&
    serves(pod) &&
    pod.spec.containers.every(({ name, image }) => imageOf(pod, name) === fullImageName(image))
  );
}

function imageOf(pod: Pod, container: string): string {
  return fullImageName(pod.status?.containerStatuses?.find(({ name }) => name === container)?.image ?? '');
}

function causeOf({ object, previous }: Commit): string {
  const [after, before] = [object as Pod, previous as Pod].map(({ spec }) =>
    spec.containers.map(({ image }) => image).join(' '),
  );
  return before === after ? '' : ` for ${after ?? ''}`;
}

/** Entries of the records of updates that a write has removed. */
function lostRecords(before: Pod, after: Pod): string[] {
  return STATES.flatMap((key) => {
    const [old, now] = [before, after].map(
      ({ metadata }) => parsedJson(metadata.annotations?.[key] ?? '{}') as JsonObject,
    );
    return Object.keys(old ?? {})
      .filter((entry) => key === STATES[1] && !Object.hasOwn(now ?? {}, entry))
      .concat(Object.keys(old ?? {}).length > 0 && Object.keys(now ?? {}).length === 0 ? [key] : [])
      .map((entry) => `the record ${entry} of ${after.metadata.name} is lost`);
  });
}

/** The gate of the owner, where a write changes only containers that the owner does not declare. */
function foreignGates(before: Pod, after: Pod): string[] {
  const changed = after.spec.containers.filter(
    ({ name, image }) => before.spec.containers.find((each) => each.name === name)?.image !== image,
  );
  const isBySet = changed.length > 0 && changed.every(({ name }) => name === 'log');
  const gate = ({ status }: Pod): string =>
    JSON.stringify(status?.conditions?.filter(({ type }) => type === 'InPlaceUpdateReady') ?? []);
  return isBySet && gate(before) !== gate(after) ? [`a set writes the gate of ${after.metadata.name}`] : [];
}

/** Whether a workload of this kind controls a pod. */
export function isOf(kind: string): (pod: KubeObject) => boolean {
  return ({ metadata }) => metadata.ownerReferences?.some((owner) => owner.kind === kind) === true;
}
