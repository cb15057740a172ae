import { groupKindOf } from '../../semantics/owner.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { listedByName } from '../act/listed.ts';
import type { LatestNeed } from '../observe/objects.ts';
import type { ReadObjects } from './observe.ts';
import type { ReconcileTools } from './tools.ts';

/** What was read of a target, with the latest state of the objects that it needs so. The pods stay those that were observed before. */
export async function withLatest({ cluster }: ReconcileTools, read: ReadObjects): Promise<ReadObjects> {
  if (read.latest.length === 0) return read;
  const found = await Promise.all(
    read.latest.map(async ({ resource, namespace, name }) =>
      listedByName(cluster, resource, { namespace, name }),
    ),
  );
  const cached = (read.objects.configs ?? []).filter(
    (object) => !read.latest.some((need) => isOf(need, object)),
  );
  const configs = [...cached, ...found.filter((object) => object !== undefined)];
  return { ...read, objects: { ...read.objects, configs } };
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
