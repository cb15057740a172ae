import { parseAllDocuments } from 'yaml';
import { ApiError, type Cluster, type Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { groupKindOf, tupleId } from '../../semantics/owner.ts';

/**
 * A minimal GitOps engine: applies every document of a folder, and prunes objects that it applied before and that
 * are gone.
 */
export interface Engine {
  sync(files: ReadonlyMap<string, string>): Promise<void>;
}

export function createEngine(cluster: Cluster): Engine {
  let applied = new Map<string, KubeObject>();
  return {
    async sync(files) {
      const wanted = new Map<string, KubeObject>();
      for (const [, text] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
        for (const document of parseAllDocuments(text)) {
          const object = document.toJS() as KubeObject | null;
          if (object?.kind === undefined) continue;
          await apply(cluster, object);
          wanted.set(idOf(object), object);
        }
      }
      for (const [id, object] of applied) {
        if (!wanted.has(id)) await remove(cluster, object);
      }
      applied = wanted;
    },
  };
}

/** Workloads of Kubernetes: those of OpenKruise may come from one of the same name, and a SidecarSet adds to the pods of all. */
const native: readonly Resource[] = [
  { group: 'apps', version: 'v1', plural: 'daemonsets', kind: 'DaemonSet', namespaced: true },
  { group: 'apps', version: 'v1', plural: 'statefulsets', kind: 'StatefulSet', namespaced: true },
  { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true },
];

export function resourceOf(object: KubeObject): Resource {
  const { group, kind } = groupKindOf(object);
  const all: Resource[] = [...Object.values(resources), ...native];
  const known = all.find((each) => each.kind === kind && each.group === group);
  if (known === undefined) throw new Error(`the engine does not know ${object.kind}`);
  return { ...known, version: object.apiVersion.split('/').at(-1) ?? known.version };
}

/** Creates or replaces an object; preserves status and server-managed fields. */
async function apply(cluster: Cluster, object: KubeObject): Promise<void> {
  const resource = resourceOf(object);
  try {
    const live = await cluster.get(resource, at(object));
    const { resourceVersion } = live.metadata;
    await cluster.replace(resource, {
      ...object,
      metadata: { ...object.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status.code !== 404) throw error;
    await cluster.create(resource, object);
  }
}

async function remove(cluster: Cluster, object: KubeObject): Promise<void> {
  try {
    await cluster.delete(resourceOf(object), at(object));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status.code !== 404) throw error;
  }
}

function at({ metadata: { namespace, name } }: KubeObject): { namespace?: string; name: string } {
  return { ...(namespace === undefined ? {} : { namespace }), name };
}

function idOf(object: KubeObject): string {
  return tupleId(groupKindOf(object), object.metadata.namespace, object.metadata.name);
}
