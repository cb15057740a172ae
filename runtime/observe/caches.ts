import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Kind, Orphans } from '../../semantics/kinds/kind.ts';
import { type Need, needOf } from '../../semantics/kinds/need.ts';
import { kindOf, kinds } from '../../semantics/registry/registry.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import type { PodOnNode } from '../../semantics/node/pod-on-node.ts';
import type { NodeLabels } from '../../semantics/pod/nodes.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { createCreators } from './creators.ts';
import { createDisruptionBudgets, type DisruptionBudgets } from './disruption-budgets.ts';
import { podKey } from './foreign-launch.ts';
import { type Holding, holdingsOf } from './holdings.ts';
import { kindId } from './ids.ts';
import { namespacesOf, withNamespaces } from './namespaces.ts';
import { hasChanged } from './has-changed.ts';
import { createInfluenceCache, type InfluenceCache } from './influences.ts';
import { createLonePods, type LonePods } from './lone-pods.ts';
import { createNeeded, type NeededOptions, type Shown } from './needed.ts';
import { isPlacing } from './nodes.ts';
import { createOrphanCache } from './orphans.ts';
import { createPodsOnNodes } from './pods-on-nodes.ts';
import { createPolicies, type Policies } from './policies.ts';
import { createPullingNodes, ownPods, type PullingNodes, pullPods } from './pull-pods.ts';
import type { Reflector } from './reflector.ts';
import { createRelations } from './relations.ts';
import { createRelists } from './relists.ts';
import { createRetention, type Oversized, plain, type RetentionLimits } from './retention.ts';
import type { Enqueue } from './scheduler.ts';
import { createRunCache } from './runs.ts';
import { createSelected } from './selected.ts';
import { createSources } from './sources.ts';
import { createStubs } from './stubs.ts';
import { type TargetKey, targetKey } from './target-key.ts';
import { createWatchedPlans, type WatchedPlans } from './watched-plans.ts';

/** Options of the watches. */
export interface Watching {
  /** A random number in [0, 1), for jitter. */
  random?: () => number;
  /** A resource could not be listed or watched; it is retried. */
  onError?: (resource: Resource, error: unknown) => void;
  limits?: RetentionLimits | undefined;
  /** The kinds whose objects are watched. Default: all registered kinds. */
  kinds?: readonly Kind[] | undefined;
  /** The only namespace that the cluster shows (`inNamespace`). Default: it shows all. */
  namespace?: string | undefined;
  /** Whether the rights of a component are missing. Default: they are there. */
  isOff?: NeededOptions['isOff'];
}

export interface Caches extends Omit<WatchedPlans, 'watch'> {
  /** The targets of at least one kind can be decided on. Kinds whose resources the server refuses are held. */
  readonly synced: boolean;
  /** The kinds that are held because the server refuses a resource that their targets require. */
  readonly heldKinds: readonly Kind[];
  /** The resources that decisions about a target require are synced; those of other kinds need not be. */
  isSynced(key: TargetKey): boolean;
  /** Since when the resources that a target requires have been watched without a gap, milliseconds since 1970. */
  inSyncSince(key: TargetKey): number;
  watch(kind: Kind): void;
  target(key: TargetKey): KubeObject | undefined;
  /** The pods that a target controls, without those that only pull images. */
  podsOf(target: KubeObject): readonly Pod[];
  /** The pods that a target controls and that only pull images, which are not among `podsOf`. */
  pullPodsOf(target: KubeObject): readonly Pod[];
  readonly pulling: PullingNodes;
  /** The pods that a target selects, if its kind needs selected pods; undefined: not all of them are listed yet. */
  selectedBy(key: TargetKey): readonly Pod[] | undefined;
  /** The other targets that select the same pod by its name. */
  siblingsOf(key: TargetKey): readonly KubeObject[];
  /** The pods of a namespace that targets of it select by their names. */
  namedIn(namespace: string): readonly Pod[];
  /** Whether the target selects pods. */
  isSelecting(key: TargetKey): boolean;
  /** Whether it selects those of one other target, which is watched. */
  isFollowing(key: TargetKey): boolean;
  /** Whether any target selects pods, so that a pod may have two updaters. */
  readonly areShared: boolean;
  /** What the target adopts; undefined: it adopts nothing; `pending`: not all of it is listed. */
  orphansOf(key: TargetKey): Orphans | 'pending' | undefined;
  need(key: TargetKey, needs: readonly Need[]): void;
  pod(namespace: string, name: string): Pod | undefined;
  /** As `LonePods.of`, of a key (`podKey`). */
  alone(key: TargetKey): Pod | 'TooLarge' | undefined;
  readonly lonePods: Pick<LonePods, 'gates' | 'mayBe' | 'letGo' | 'areTargetsKnown'>;
  podVersion(namespace: string, name: string): string | undefined;
  revisionsOf(target: KubeObject): readonly KubeObject[];
  /** The stored runs of a target, which nothing owns. */
  runsOf(target: KubeObject): readonly KubeObject[];
  /** The claims of a target (`need`). */
  claimsOf(target: KubeObject, need: Extract<Need, { of: 'Claims' }>): Shown<readonly KubeObject[]>;
  /** The objects of a resource that a target controls. */
  childrenOf(target: KubeObject, resource: Resource): Shown<readonly KubeObject[]>;
  /** The object that a target names (`need`), in a list; empty: it does not exist. */
  named(need: Extract<Need, { of: 'Config' }>): Shown<readonly KubeObject[]>;
  /** The target, or an object that it controls or a run of it, if it is too large to be cached; undefined: none is. */
  oversized(target: KubeObject): Oversized | undefined;
  /** The children of a target that exceed a memory limit, and hold their namespace alone. */
  largeAmong(children: readonly KubeObject[]): ReadonlySet<KubeObject>;
  /** The namespace of a target, or those of the pods that a cluster-scoped one selects. */
  namespacesOf(key: TargetKey): readonly KubeObject[];
  readonly namespaces: Pick<Policies, 'isTerminating' | 'noteTerminating'>;
  allNamespaces(): readonly KubeObject[];
  targets(): Iterable<[TargetKey, KubeObject]>;
  /** A node; undefined: it does not exist, or is not listed yet. */
  node(name: string): KubeObject | undefined;
  nodes(): Shown<readonly KubeObject[]>;
  podsOnNodes(): Shown<readonly PodOnNode[]>;
  readonly disruptionBudgets: Pick<DisruptionBudgets, 'shown' | 'within'>;
  readonly nodeLabels: NodeLabels;
  /** The objects that influence what is decided about the pods of targets. */
  readonly influences: Pick<InfluenceCache, 'on' | 'await'>;
  /** The newest observed version of a resource, to compare with the versions that our own writes returned. */
  versionOf(resource: Resource): number;
  /** When the last complete list of a resource began, by the monotonic clock; -Infinity: there is none. */
  listBegunAt(resource: Resource): number;
  /** Lists a resource again, because the watch does not show a write of ours. */
  relist(resource: Resource): void;
  /** Lists a resource again from now on; `listed` returns true for the result once that list is complete. */
  listAgain(resource: Resource): number;
  listed(resource: Resource, ordinal: number): boolean;
  sizes(): Holding[];
  start(): void;
  stop(): void;
}

/**
 * The caches of the watched resources, indexed by the target that each object concerns: by owner, selector or name.
 * `enqueue` is called with every target that a change may concern, and with the key of a pod of `LonePods`; nothing else is decided here.
 */
export function createCaches(
  cluster: Cluster,
  clock: Clock,
  enqueue: Enqueue<TargetKey>,
  watching: Watching = {},
): Caches {
  const relations = createRelations();
  const selected = createSelected(() => pods, enqueue, {
    areKnown(workload) {
      const kind = watched.find(({ id }) => kindId(id) === kindId(workload));
      return kind !== undefined && wasListed(kind.resource);
    },
    podsOf(owner) {
      const target = targetOf(owner);
      return target === undefined ? [] : ownPods(relations.partsOf(target, resources.Pod));
    },
  });
  const orphans = createOrphanCache(
    () => watched,
    (object) => retention.oversized(object) !== undefined,
    { pods: () => pods.listAgain(), revisions: () => revisions.listAgain() },
  );
  const retention = createRetention(
    (controller) => kindOf(groupKindOf(controller)) !== undefined,
    watching.limits,
    (pod) => selected.selects(pod) || orphans.keeps(pod),
    (controller) => isPlacing([...kinds, ...watched], controller),
    (pod) => lonePods.mayBe(pod),
    (pod) => pod.kind === resources.Pod.kind && selected.isNamed(pod),
    () => lonePods,
    selected.isFollowed,
  );
  const sources = createSources({ ...watching, cluster, clock, retention, onSync: enqueueAll });
  const plans = createWatchedPlans({ sources, retention, enqueue });
  const lonePods = createLonePods({
    ...{ keysOf: selected.keysOf, isStub: retention.isLoneStub, isSynced: sources.isSynced },
    isServed: ({ resource }) => sources.isServed(resource),
  });
  const creators = createCreators();
  const pulling = createPullingNodes(clock);
  const runs = createRunCache(() => [...kinds, ...watched]);
  const watched: Kind[] = [];
  /** Targets that are about every namespace. */
  const spread = new Set<TargetKey>();
  /** Whether there has been a complete list. */
  const wasListed = (resource: Resource): boolean => (sources.of(resource)?.listed ?? 0) > 0;
  const isStub = (object: KubeObject): boolean => retention.oversized(object) !== undefined;
  const influences = createInfluenceCache({
    watched: () => watched,
    isListed: (resource) => sources.of(resource)?.synced === true,
    ...{ isStub, isServed: sources.isServed, enqueue },
    guardOf: (object) => budgets.of(object),
  });

  function enqueueAll(isMeant: (key: TargetKey) => boolean = () => true): void {
    for (const key of relations.keys()) if (isMeant(key) && sources.isSynced(key)) enqueue(key);
  }

  const enqueueIn = (namespace: string): void => enqueueAll((key) => key.namespace === namespace);
  const policies = createPolicies(enqueueIn);

  /** Returns the targets that own an object, or did until now. */
  function owned(object: KubeObject, gone: boolean): readonly TargetKey[] {
    const { keys } = relations.part(object, gone);
    for (const key of keys) enqueue(key);
    for (const key of orphans.file(object, gone)) enqueue(key);
    return keys;
  }

  function onRevision(object: KubeObject, gone: boolean): void {
    owned(object, gone);
    for (const key of runs.file(object, gone)) enqueue(key);
    for (const key of creators.ofRevision(object)) enqueue(key);
  }

  function onPod(object: KubeObject, gone: boolean, before: KubeObject | undefined): void {
    const owners = owned(object, gone);
    // Of a stub neither its node nor whether it is ready is known.
    pulling.see(object as Pod, gone || isStub(object));
    const known = [object, before].every((each) => each !== undefined && !isStub(each));
    for (const key of selected.pod(object, gone, known ? before : undefined, owners)) influences.enqueue(key);
    if (lonePods.has(object)) enqueue(podKey(object));
  }

  /** What a namespace is like matters to targets in it, and its labels, too, to targets that select pods of namespaces by them. */
  function onNamespace(object: KubeObject, gone: boolean): void {
    const { own, labels, state } = policies.file(object, gone);
    if (own) enqueueIn(object.metadata.name);
    if (state) enqueueAll((key) => spread.has(key));
    if (own || labels) enqueueAll((key) => key.namespace === '' && selected.has(key));
  }

  const podsOnNodes = createPodsOnNodes({
    clock,
    sources,
    pods: watching.namespace === undefined ? () => pods : undefined,
    enqueue,
  });
  const pods: Reflector = sources.always(
    resources.Pod,
    retention.keepPod,
    onPod,
    undefined,
    watching.namespace === undefined ? podsOnNodes.tap : undefined,
  );
  const keepRevision = (object: KubeObject): KubeObject | undefined =>
    orphans.keeps(object) || runs.keeps(object) ? retention.keep(object) : retention.keepOwned(object, plain);
  const revisions = sources.always(resources.ControllerRevision, keepRevision, onRevision);
  const namespaces = sources.always(resources.Namespace, policies.keep, onNamespace);
  const budgets = createDisruptionBudgets({ sources, enqueue, enqueueAll, onOwned: influences.changed });
  const needed = createNeeded({
    clock,
    sources,
    relations,
    retention,
    enqueue,
    enqueueAll,
    watched: () => watched,
    isOff: watching.isOff,
  });

  function watch(kind: Kind): void {
    const { resource } = kind;
    watched.push(kind);
    lonePods.watch(kind);
    if (!resource.namespaced) plans.watch(false);
    const isOfKind = (key: TargetKey): boolean => kindId(key) === kindId(kind.id);
    const onTarget = (object: KubeObject, gone: boolean, before: KubeObject | undefined): void => {
      const { namespace = '', name } = object.metadata;
      const key = targetKey(resource, namespace, name);
      relations.target(object, key, gone);
      const others = selected.sharing(key);
      if (gone) need(key, []);
      else if (retention.oversized(object) === undefined) need(key, needsOf(kind, key, object));
      enqueue(key, 0, gone || before === undefined || hasChanged(before, object));
      // What ends one lets the next one begin.
      for (const other of new Set([...others, ...selected.sharing(key)])) enqueue(other);
      // Its pods may go after it, and say so to nobody.
      if (gone || before?.metadata.uid !== object.metadata.uid)
        for (const follower of selected.followersOf(key)) influences.enqueue(follower);
      needed.changed(resource, object, gone);
      influences.file(kind, object, gone);
      for (const created of creators.of(key)) enqueue(created);
    };
    sources.always(resource, retention.keep, onTarget, isOfKind);
  }

  function heldKinds(): Kind[] {
    return watched.filter(({ resource }) =>
      sources.isRefused(targetKey(resource, resource.namespaced ? 'any' : '', 'any')),
    );
  }

  /** If the rules throw for a target, it has no needs: its reconcile reports the error. */
  function needsOf(kind: Kind, key: TargetKey, target: KubeObject): readonly Need[] {
    try {
      const own = relations.partsOf(target, resources.ControllerRevision);
      return kind.needs(target, own, podsSelectedBy(key) ?? []);
    } catch {
      return [];
    }
  }

  function targetOf(key: TargetKey): KubeObject | undefined {
    const kind = watched.find(({ id }) => kindId(id) === kindId(key));
    const { namespace, name } = key;
    return kind && sources.of(kind.resource)?.get(namespace === '' ? name : `${namespace}/${name}`);
  }

  const podsSelectedBy = (key: TargetKey) => selected.podsOf(key, pods.listed) as readonly Pod[] | undefined;

  function need(key: TargetKey, needs: readonly Need[]): void {
    const before = lonePods.isRemoving(key) ? (podsSelectedBy(key) ?? []) : [];
    if (selected.need(key, withNamespaces(needs, namespaces), pods.values()))
      for (const pod of before) if (lonePods.isUnclaimed(pod)) enqueue(podKey(pod));
    orphans.need(key, needs);
    creators.need(key, needs);
    podsOnNodes.need(key, needs);
    budgets.need(key, needs);
    needed.need(key, needs);
    if (needOf(needs, 'Namespaces') === undefined) spread.delete(key);
    else spread.add(key);
  }

  plans.watch(true);
  for (const kind of watching.kinds ?? kinds) watch(kind);

  const relistKind = createRelists(clock, sources);

  const stubs = createStubs({
    retention,
    partsOf: (target) => [...relations.allOf(target), ...runs.of(target)],
    relist: (stub) => relistKind(groupKindOf(stub)),
  });

  return {
    get synced() {
      return sources.synced && heldKinds().length < watched.length;
    },
    get heldKinds() {
      return heldKinds();
    },
    isSynced: sources.isSynced,
    inSyncSince: sources.inSyncSince,
    watch(kind) {
      if (!watched.includes(kind)) watch(kind);
    },
    target: targetOf,
    podsOf: (target) => ownPods(relations.partsOf(target, resources.Pod)),
    pulling,
    pullPodsOf: (target) => pullPods(relations.partsOf(target, resources.Pod)),
    selectedBy(key) {
      const found = podsSelectedBy(key);
      // Memory has become free since: a list caches the whole pod.
      if (retention.hasStubs && found?.some(retention.fits) === true) relistKind(resources.Pod);
      return found;
    },
    namedIn: (namespace) => selected.namedIn(namespace) as readonly Pod[],
    siblingsOf: (key) => selected.sharing(key).flatMap((each) => targetOf(each) ?? []),
    isSelecting: selected.has,
    isFollowing: selected.isFollowing,
    get areShared() {
      return !selected.isEmpty;
    },
    orphansOf: (key) => orphans.of(key, { pods: pods.listed, revisions: revisions.listed }),
    need,
    pod: (namespace, name) => pods.get(`${namespace}/${name}`) as Pod | undefined,
    alone: ({ namespace, name }) => lonePods.of(pods.get(`${namespace}/${name}`)),
    lonePods,
    podVersion: (namespace, name) => pods.get(`${namespace}/${name}`)?.metadata.resourceVersion,
    revisionsOf: (target) => relations.partsOf(target, resources.ControllerRevision),
    runsOf: runs.of,
    claimsOf: needed.claimsOf,
    childrenOf: needed.childrenOf,
    named: needed.named,
    plansOf: plans.plansOf,
    commandsOf: plans.commandsOf,
    oversizedCommandsOf: plans.oversizedCommandsOf,
    oversized: stubs.oversized,
    largeAmong: stubs.largeAmong,
    namespacesOf: (key) => namespacesOf(key, selected, namespaces),
    namespaces: policies,
    allNamespaces: () => [...namespaces.values()],
    *targets() {
      for (const { resource } of watched)
        for (const target of sources.of(resource)?.values() ?? [])
          yield [targetKey(resource, target.metadata.namespace ?? '', target.metadata.name), target];
    },
    node: needed.node,
    nodes: needed.nodes,
    podsOnNodes: podsOnNodes.shown,
    disruptionBudgets: budgets,
    nodeLabels: needed.nodeLabels,
    influences,
    versionOf: (resource) => sources.of(resource)?.version ?? 0,
    listBegunAt: (resource) => sources.of(resource)?.listBegunAt ?? -Infinity,
    relist: (resource) => sources.of(resource)?.relist(),
    listAgain: (resource) => sources.of(resource)?.listAgain() ?? 0,
    listed: (resource, ordinal) => (sources.of(resource)?.listed ?? 0) >= ordinal,
    sizes: () => [...holdingsOf([...sources.all()]), ...podsOnNodes.sizes()],
    start: sources.start,
    stop: sources.stop,
  };
}
