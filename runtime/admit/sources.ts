import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { InvalidField } from '../../semantics/fields/problems.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { unusable } from '../../semantics/kinds/unusable.ts';
import type { PodInjector } from '../../semantics/kinds/pod-injector.ts';
import { controllerOf, groupKindOf } from '../../semantics/owner.ts';
import { type Policy, policyOf } from '../../semantics/policy.ts';
import { beyondBounds } from '../../semantics/template/bounds.ts';
import { partialMetadata } from '../observe/partial-metadata.ts';
import { createReflector, type Reflector } from '../observe/reflector.ts';
import type { AdmissionSources } from './review.ts';

/** The watched objects that reviews need, all of them in memory: a review asks the server nothing. */
export interface AdmissionCaches {
  /** The plural of the first resource that was not listed yet; undefined: all were. */
  readonly pending: string | undefined;
  /** How many objects of injectors no rule may read, so that no pod gets anything of them. */
  readonly leftOut: number;
  /** The first object, by kind and name, that is on record, though not in the namespace of records; undefined: there is none. */
  unrecorded(): KubeObject | undefined;
  sources(): AdmissionSources;
  /** The objects of a kind that may concern pods of a namespace, by namespace and name: those that rules may read. */
  objects(kind: Kind, namespace: string): readonly KubeObject[];
  /** Whether a namespace is being deleted. */
  isEnding(namespace: string): boolean;
  start(): void;
  stop(): void;
}

/** Whether objects change by plans alone: the strictest policy of the object, the namespaces that it selects, and the flag holds. */
export function requiredBy(
  flag: Policy,
  namespaces: () => Iterable<KubeObject>,
): AdmissionSources['isRequired'] {
  return (injector, object) => {
    if (flag === 'Required') return true;
    const selected = [...namespaces()].filter(({ metadata }) =>
      injector.selectsNamespace(object, metadata.labels ?? {}),
    );
    return policyOf(object, selected, flag) === 'Required';
  };
}

/**
 * Watches the objects of all injectors, their ControllerRevisions, those of kinds with rules of their own, and the namespaces.
 *
 * @param onLeftOut an object has become one that no rule may read, or is one still after a change
 * @param stateNamespace where the revisions of cluster-scoped objects are
 */
export function createAdmissionCaches(options: {
  cluster: Cluster;
  clock: Clock;
  random: () => number;
  injectors: readonly PodInjector[];
  kinds: readonly Kind[];
  stateNamespace: string;
  onError(plural: string, error: unknown): void;
  /** A list or an interrupted watch is complete again. */
  onSync(): void;
  onLeftOut(object: KubeObject, bound: InvalidField): void;
  /** The flag of the runtime. */
  policy: Policy;
}): AdmissionCaches {
  const { cluster, clock, random, injectors, kinds, stateNamespace, onError } = options;
  /** The stubs of objects that no rule may read. */
  const leftOut = new WeakMap<KubeObject, InvalidField>();

  function watch(
    resource: Resource,
    transform?: (object: KubeObject) => KubeObject | undefined,
    namespace?: string,
    onChange: (object: KubeObject, deleted: boolean) => void = () => {},
  ): Reflector {
    return createReflector({
      cluster,
      clock,
      random,
      resource,
      ...(transform && { transform }),
      ...(namespace !== undefined && { namespace }),
      onChange,
      onSync: () => options.onSync(),
      onError: (error) => onError(resource.plural, error),
    });
  }

  function bounded(object: KubeObject, bound = beyondBounds(object)): KubeObject {
    if (bound === undefined) return object;
    const { apiVersion, kind, metadata } = object;
    const stub = { apiVersion, kind, metadata: partialMetadata(metadata) };
    leftOut.set(stub, bound);
    return stub;
  }

  function tell(object: KubeObject, deleted: boolean): void {
    const bound = leftOut.get(object);
    if (bound !== undefined && !deleted) options.onLeftOut(object, bound);
  }

  const sets = new Map(
    injectors.map((injector) => [
      injector,
      watch(injector.resource, (object) => bounded(object), undefined, tell),
    ]),
  );
  const judging = new Map(
    kinds.map((kind) => [
      kind,
      watch(kind.resource, (object) => bounded(object, unusable(kind, object)), undefined, tell),
    ]),
  );
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
  const all = [...sets, ...judging].map(([{ resource }, each]) => [resource.plural, each] as const);
  all.push([resources.ControllerRevision.plural, revisions], [resources.Namespace.plural, namespaces]);

  return {
    get pending() {
      // A cache that was complete once answers while its watch is open again: old sets are better than none.
      return all.find(([, { listed }]) => listed === 0)?.[0];
    },
    get leftOut() {
      const objects = [...sets.values(), ...judging.values()].flatMap((each) => [...each.values()]);
      return objects.filter((object) => leftOut.has(object)).length;
    },
    unrecorded() {
      const owners = new Set([...revisions.values()].map((revision) => controllerOf(revision)?.uid));
      for (const [injector, objects] of sets) {
        const lost = [...objects.values()].filter(
          (object) =>
            !leftOut.has(object) &&
            injector.newestOnRecord(object) !== undefined &&
            !owners.has(object.metadata.uid),
        );
        const [first] = lost.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
        if (first !== undefined) return first;
      }
      return undefined;
    },
    sources: () => ({
      injectors,
      now: clock.now(),
      sets: (injector) => [...(sets.get(injector)?.values() ?? [])].filter((object) => !leftOut.has(object)),
      revisions: () => [...revisions.values()],
      namespace: (name) => ({ name, labels: namespaces.get(name)?.metadata.labels }),
      isRequired: requiredBy(options.policy, () => namespaces.values()),
    }),
    objects(kind, namespace) {
      const found = [...(judging.get(kind)?.values() ?? [])].filter(
        (object) =>
          !leftOut.has(object) && (!kind.resource.namespaced || object.metadata.namespace === namespace),
      );
      return found.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    },
    isEnding: (name) => namespaces.get(name)?.metadata.deletionTimestamp !== undefined,
    start: () => all.forEach(([, each]) => each.start()),
    stop: () => all.forEach(([, each]) => each.stop()),
  };
}
