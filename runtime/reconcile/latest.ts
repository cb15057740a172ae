import { groupKindOf } from '../../semantics/owner.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { listedByName } from '../act/listed.ts';
import type { LatestNeed } from '../observe/objects.ts';
import type { ReadObjects } from './observe.ts';
import type { ReconcileTools, StandingSubject } from './tools.ts';

/** After so long what could not be read is tried again. */
const AGAIN_MS = 5_000;

/**
 * What was read of a target, with the latest state of the objects that it needs so. The pods stay those that were observed before. While
 * the server gives no answer, the objects stay as observed, and the rules learn that: they bound the wait. All else of the target goes on.
 */
export async function withLatest(
  { cluster, options, enqueue }: ReconcileTools,
  { key }: StandingSubject,
  read: ReadObjects,
): Promise<ReadObjects> {
  if (read.latest.length === 0) return read;
  const { objects } = read;
  const found = await Promise.allSettled(
    read.latest.map(async ({ resource, namespace, name }) =>
      listedByName(cluster, resource, { namespace, name }),
    ),
  );
  const failed = found.find((each) => each.status === 'rejected');
  if (failed !== undefined) {
    options.onError?.(key, failed.reason);
    enqueue(key, AGAIN_MS);
    return { ...read, objects: { ...objects, isLatest: false } };
  }
  const cached = (objects.configs ?? []).filter((object) => !read.latest.some((need) => isOf(need, object)));
  const latest = found.flatMap((each) => (each.status === 'fulfilled' ? (each.value ?? []) : []));
  return { ...read, objects: { ...objects, configs: [...cached, ...latest] } };
}

function isOf({ resource, namespace, name }: LatestNeed, object: KubeObject): boolean {
  const { group, kind } = groupKindOf(object);
  const { metadata } = object;
  return (
    group === resource.group &&
    kind === resource.kind &&
    name === metadata.name &&
    namespace === metadata.namespace
  );
}
