import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster, type Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { kindOf, kinds } from '../../semantics/registry/registry.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { resourceId } from '../observe/ids.ts';
import { createNeeded } from '../observe/needed.ts';
import { isPlacing } from '../observe/nodes.ts';
import { type ObjectCaches, objectsOf, type NeededObjects, type TargetOfKind } from '../observe/objects.ts';
import { createPodsOnNodes } from '../observe/pods-on-nodes.ts';
import type { Reflector } from '../observe/reflector.ts';
import { createRelations } from '../observe/relations.ts';
import { createPullingNodes, ownPods } from '../observe/pull-pods.ts';
import { createRetention, plain } from '../observe/retention.ts';
import { namespacesOf, withNamespaces } from '../observe/namespaces.ts';
import { createSelected } from '../observe/selected.ts';
import { createSources } from '../observe/sources.ts';
import { type TargetKey, targetKey } from '../observe/target-key.ts';

/** A kind, and its resource at a served version. */
export interface ServedKind {
  kind: Kind;
  resource: Resource;
}

/** The caches of a shadow: targets and the objects that their kinds need, but no plans and no commands. */
export interface ShadowCaches {
  /** All required resources are synced. */
  readonly synced: boolean;
  target(key: TargetKey): KubeObject | undefined;
  podsOf(target: KubeObject): readonly Pod[];
  revisionsOf(target: KubeObject): readonly KubeObject[];
  /** The objects that a target needs; resources that were not watched before are watched from now on. */
  objectsOf(of: TargetOfKind): NeededObjects;
  /** Whether the target, an object that it controls, or one of these earlier pods is too large to be cached. */
  isOversized(target: KubeObject, before?: readonly Pod[]): boolean;
  namespacesOf(key: TargetKey): readonly KubeObject[];
  start(): void;
  stop(): void;
}

export interface ShadowCachesOptions {
  cluster: Cluster;
  clock: Clock;
  random?: () => number;
  /** The only namespace that the cluster shows. Default: it shows all. */
  namespace?: string | undefined;
  targets: readonly ServedKind[];
  /** A resource (its plural) could not be listed or watched; it is retried. */
  onWatchLost(plural: string, error: unknown): void;
  /** A resource that only some targets need may not be listed. Called once, until it is watched. */
  onForbidden(plural: string, error: ApiError): void;
  /** A resource (its plural) is watched, for the first time or again. */
  onWatched(plural: string): void;
  /** A target, or an object that it needs, was created, changed or deleted. */
  onChange(key: TargetKey): void;
  onTarget(of: TargetOfKind, gone: boolean): void;
  /** A pod that a target controls has changed. Undefined: it did not exist before, or was deleted. */
  onPod(key: TargetKey, before: Pod | undefined, after: Pod | undefined): void;
  /** All targets must be compared again. */
  onChangeOfAll(): void;
}

export function createShadowCaches(options: ShadowCachesOptions): ShadowCaches {
  const { cluster, clock, random, onChange } = options;
  const relations = createRelations();
  const selected = createSelected(() => pods, onChange);
  const retention = createRetention(
    (controller) => kindOf(groupKindOf(controller)) !== undefined,
    undefined,
    selected.selects,
    (controller) => isPlacing(kinds, controller),
  );
  const forbidden = new Set<string>();
  const sources = createSources({
    cluster,
    clock,
    retention,
    ...(random === undefined ? {} : { random }),
    onError(resource, error) {
      const id = resourceId(resource);
      if (sources.isAlways(resource) || !(error instanceof ApiError) || error.status.code !== 403)
        options.onWatchLost(resource.plural, error);
      else if (!forbidden.has(id)) {
        forbidden.add(id);
        options.onForbidden(resource.plural, error);
      }
    },
    onSync: () => undefined,
    onWatched(resource) {
      forbidden.delete(resourceId(resource));
      options.onWatched(resource.plural);
    },
  });

  function owned(object: KubeObject, gone: boolean): void {
    for (const key of relations.part(object, gone).keys) onChange(key);
  }

  function onPod(object: KubeObject, gone: boolean): void {
    const { before, keys } = relations.part(object, gone);
    const same = before?.metadata.uid === object.metadata.uid ? before : undefined;
    for (const key of keys) options.onPod(key, same as Pod | undefined, gone ? undefined : (object as Pod));
    for (const key of new Set([...keys, ...selected.pod(object, gone)])) onChange(key);
  }

  const podsOnNodes = createPodsOnNodes({
    clock,
    sources,
    pods: options.namespace === undefined ? () => pods : undefined,
    enqueue: (key) => onChange(key),
  });
  const pods: Reflector = sources.always(
    resources.Pod,
    retention.keepPod,
    onPod,
    undefined,
    options.namespace === undefined ? podsOnNodes.tap : undefined,
  );
  sources.always(resources.ControllerRevision, (object) => retention.keepOwned(object, plain), owned);
  const namespaces = sources.always(
    resources.Namespace,
    (object) => object,
    () => undefined,
  );
  const needed = createNeeded({
    clock,
    sources,
    relations,
    retention,
    enqueue: (key) => onChange(key),
    enqueueAll: options.onChangeOfAll,
    watched: () => options.targets.map(({ kind }) => kind),
  });
  const need: ObjectCaches['need'] = (key, needs) => {
    selected.need(key, withNamespaces(needs, namespaces), pods.values());
    podsOnNodes.need(key, needs);
    needed.need(key, needs);
  };
  for (const { kind, resource } of options.targets) {
    sources.always(resource, retention.keep, (target, gone) => {
      const { namespace = '', name } = target.metadata;
      const key = targetKey(kind.id, namespace, name);
      relations.target(target, key, gone);
      if (gone) need(key, []);
      options.onTarget({ key, kind, target }, gone);
      needed.changed(resource, target, gone);
    });
  }

  const podsOf = (target: KubeObject): readonly Pod[] => ownPods(relations.partsOf(target, resources.Pod));
  const revisionsOf = (target: KubeObject): readonly KubeObject[] =>
    relations.partsOf(target, resources.ControllerRevision);
  const targetOf: ShadowCaches['target'] = ({ group, kind, namespace, name }) => {
    const served = options.targets.find(({ kind: { id } }) => id.group === group && id.kind === kind);
    const at = namespace === '' ? name : `${namespace}/${name}`;
    return served && sources.of(served.resource)?.get(at);
  };
  const objects: ObjectCaches = {
    podsOf,
    // The other controller pulls without pods.
    pullPodsOf: () => [],
    pulling: createPullingNodes(clock),
    namedIn: (namespace) => selected.namedIn(namespace) as readonly Pod[],
    siblingsOf: (key) => selected.sharing(key).flatMap((each) => targetOf(each) ?? []),
    selectedBy: (key) => selected.podsOf(key, pods.listed) as readonly Pod[] | undefined,
    isSelecting: selected.has,
    // The other controller knows no record of what a set selects.
    namespacesOf: () => [],
    // The other controller adopts them.
    orphansOf: () => undefined,
    need,
    claimsOf: needed.claimsOf,
    childrenOf: needed.childrenOf,
    named: needed.named,
    nodes: needed.nodes,
    nodeLabels: needed.nodeLabels,
    podsOnNodes: podsOnNodes.shown,
    // A run has no record where the other controller leads it.
    runsOf: () => [],
    target: targetOf,
    revisionsOf,
    allNamespaces: () => [...namespaces.values()],
    disruptionBudgets: undefined,
  };

  return {
    get synced() {
      return sources.synced;
    },
    target: targetOf,
    podsOf,
    revisionsOf,
    objectsOf: (of) => objectsOf(objects, of, revisionsOf(of.target)),
    isOversized: (target, before = []) =>
      retention.hasStubs &&
      [target, ...before, ...relations.allOf(target)].some(
        (object) => retention.oversized(object) !== undefined,
      ),
    namespacesOf: (key) => namespacesOf(key, selected, namespaces),
    start: sources.start,
    stop: sources.stop,
  };
}
