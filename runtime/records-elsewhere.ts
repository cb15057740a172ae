import type { Cluster } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';
import { resources } from '../schemas/wire/resources.ts';
import type { Kind } from '../semantics/kinds/kind.ts';
import type { PodInjector } from '../semantics/kinds/pod-injector.ts';
import { controllerOf } from '../semantics/owner.ts';
import { isSnapshot } from '../semantics/plan/memory.ts';
import { podInjectorOf } from '../semantics/registry/pod-injectors.ts';
import { COMPLETE_ANNOTATION } from '../semantics/revision/revision.ts';
import type { Problem } from './problem.ts';

/** For how many objects without records here others are looked for: one is enough to know. */
const MOST_SOUGHT = 20;

/**
 * That this runtime has kept the revisions and records of a cluster-scoped object in another namespace; undefined: it has not. Without
 * them it would know no accepted plan, no failure and nothing to go back to, and would take an unfinished change for the stable one.
 *
 * Those of OpenKruise may be anywhere: they are of another controller, and their set is held until it is adopted.
 *
 * @param managed the kinds that are served here
 * @param stateNamespace where the records are looked for
 */
export async function recordsElsewhere(
  cluster: Cluster,
  managed: readonly Kind[],
  stateNamespace: string,
): Promise<Problem | undefined> {
  const injectors = managed.flatMap(({ id }) => podInjectorOf(id) ?? []);
  for (const injector of injectors) {
    const { items } = await cluster.list(injector.resource);
    if (items.length === 0) continue;
    const here = await cluster.list(resources.ControllerRevision, { namespace: stateNamespace });
    const lost = items.filter(
      (object) =>
        injector.newestOnRecord(object) !== undefined && !here.items.some((each) => isOf(each, object)),
    );
    for (const object of lost.slice(0, MOST_SOUGHT)) {
      const namespace = await namespaceOf(cluster, injector, object);
      if (namespace !== undefined) return problemFor(object, namespace, stateNamespace);
    }
  }
  return undefined;
}

/** Where this runtime has recorded the object: the namespace of a revision that it has marked, or of a record of a plan. */
async function namespaceOf(
  cluster: Cluster,
  { newestOnRecord }: PodInjector,
  object: KubeObject,
): Promise<string | undefined> {
  // The server looks for a name: to list all revisions of a cluster may take long.
  const fieldSelector = `metadata.name=${newestOnRecord(object)}`;
  const newest = await cluster.list(resources.ControllerRevision, { fieldSelector });
  for (const { metadata } of newest.items.filter((each) => isOf(each, object))) {
    const { namespace = '' } = metadata;
    const { items } = await cluster.list(resources.ControllerRevision, { namespace });
    if (items.some((each) => isOf(each, object) && isOwn(each))) return namespace;
  }
  return undefined;
}

function isOf(revision: KubeObject, { kind, metadata }: KubeObject): boolean {
  const owner = controllerOf(revision);
  return owner?.uid === metadata.uid && owner?.kind === kind;
}

function isOwn(revision: KubeObject): boolean {
  return isSnapshot(revision) || revision.metadata.annotations?.[COMPLETE_ANNOTATION] !== undefined;
}

function problemFor({ kind, metadata: { name } }: KubeObject, namespace: string, here: string): Problem {
  return {
    problem: `the revisions and records of ${kind} ${name} are in the namespace ${namespace}, and this process looks for them in ${here}`,
    help: `to keep them, add --lease-namespace ${namespace}, to kruise run --admission as well; to begin without them, delete the ControllerRevisions of ${kind} ${name} in ${namespace}`,
    isFinal: true,
  };
}
