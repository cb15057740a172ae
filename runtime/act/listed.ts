import type { Cluster, ObjectKey, Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

/** The object of this name; undefined: there is none. It is listed, for which the right to watch it is enough. */
export async function listedByName(
  cluster: Pick<Cluster, 'list'>,
  resource: Resource,
  { namespace, name }: ObjectKey,
): Promise<KubeObject | undefined> {
  const where = namespace === undefined ? {} : { namespace };
  const { items } = await cluster.list(resource, { ...where, fieldSelector: `metadata.name=${name}` });
  return items[0];
}
