import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { PodInjector } from '../../semantics/kinds/pod-injector.ts';
import { controllerOf, groupKindOf } from '../../semantics/owner.ts';
import { createReflector, type Reflector } from '../observe/reflector.ts';
import type { AdmissionSources } from './review.ts';

/** The watched objects that reviews need, all of them in memory: a review asks the server nothing. */
export interface AdmissionCaches {
  /** The plural of the first resource that was not listed yet; undefined: all were. */
  readonly pending: string | undefined;
  sources(): AdmissionSources;
  start(): void;
  stop(): void;
}

/**
 * Watches the objects of all injectors, their ControllerRevisions, and the namespaces.
 *
 * @param stateNamespace where the revisions of cluster-scoped objects are
 */
export function createAdmissionCaches(options: {
  cluster: Cluster;
  clock: Clock;
  random: () => number;
  injectors: readonly PodInjector[];
  stateNamespace: string;
  onError(plural: string, error: unknown): void;
}): AdmissionCaches {
  const { cluster, clock, random, injectors, stateNamespace, onError } = options;

  function watch(
    resource: Resource,
    transform?: (object: KubeObject) => KubeObject | undefined,
    namespace?: string,
  ): Reflector {
    return createReflector({
      cluster,
      clock,
      random,
      resource,
      ...(transform && { transform }),
      ...(namespace !== undefined && { namespace }),
      onChange() {},
      onSync() {},
      onError: (error) => onError(resource.plural, error),
    });
  }

  const sets = new Map(injectors.map((injector) => [injector, watch(injector.resource)]));
  const isOfInjector = (object: KubeObject): boolean => {
    const owner = controllerOf(object);
    if (owner === undefined) return false;
    const { group, kind } = groupKindOf(owner);
    return injectors.some(({ id }) => id.group === group && id.kind === kind);
  };
  const revisions = watch(
    resources.ControllerRevision,
    (object) => (isOfInjector(object) ? object : undefined),
    stateNamespace,
  );
  const namespaces = watch(resources.Namespace, ({ apiVersion, kind, metadata }) => ({
    apiVersion,
    kind,
    metadata,
  }));
  const all = [...[...sets].map(([{ resource }, each]) => [resource.plural, each] as const)];
  all.push([resources.ControllerRevision.plural, revisions], [resources.Namespace.plural, namespaces]);

  return {
    get pending() {
      // A cache that was complete once answers while its watch is open again: old sets are better than none.
      return all.find(([, { listed }]) => listed === 0)?.[0];
    },
    sources: () => ({
      injectors,
      now: clock.now(),
      sets: (injector) => [...(sets.get(injector)?.values() ?? [])],
      revisions: () => [...revisions.values()],
      namespace: (name) => ({ name, labels: namespaces.get(name)?.metadata.labels }),
    }),
    start: () => all.forEach(([, each]) => each.start()),
    stop: () => all.forEach(([, each]) => each.stop()),
  };
}
