import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { Need } from '../../semantics/kinds/need.ts';
import { kindOf, kinds } from '../../semantics/kinds/registry.ts';
import { type GroupKind, groupKindOf } from '../../semantics/owner.ts';
import type { NodeLabels } from '../../semantics/pod/nodes.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { createAbout } from './about.ts';
import { type Holding, holdingsOf } from './holdings.ts';
import { kindId } from './ids.ts';
import { createNeeded, type Shown } from './needed.ts';
import { commandResource, planResource } from './plan-resources.ts';
import { createPolicies } from './policies.ts';
import { createRelations } from './relations.ts';
import { createRetention, type Oversized, plain, type RetentionLimits } from './retention.ts';
import type { Ask } from './scheduler.ts';
import { createSelected } from './selected.ts';
import { createSources } from './sources.ts';
import { type TargetKey, targetKey } from './target-key.ts';

/** What watches need besides, and who hears of them. */
export interface Watching {
  /** From 0 up to 1, for jitter. */
  random?: () => number;
  /** A resource could not be listed or watched, which is tried again. */
  onError?: (plural: string, error: unknown) => void;
  /** How much is kept of a namespace. */
  limits?: RetentionLimits | undefined;
  /** The kinds whose objects are watched. Default: every one that is registered. */
  kinds?: readonly Kind[] | undefined;
}

export interface Caches {
  readonly synced: boolean;
  /** Since when all of it has been watched without a gap, milliseconds since 1970. */
  readonly inSyncSince: number;
  /** Objects of this kind are watched, too, from now on. */
  watch(kind: Kind): void;
  target(key: TargetKey): KubeObject | undefined;
  /** The pods that a target controls. */
  podsOf(target: KubeObject): readonly Pod[];
  /** The pods that a target selects, if its kind needs such; undefined: not all of them are known yet. */
  selectedBy(key: TargetKey): readonly Pod[] | undefined;
  /** Whether the target selects pods. */
  isSelecting(key: TargetKey): boolean;
  /** A target needs these from now on. */
  need(key: TargetKey, needs: readonly Need[]): void;
  pod(namespace: string, name: string): Pod | undefined;
  /** The version of a pod as it was seen last. */
  podVersion(namespace: string, name: string): string | undefined;
  /** The ControllerRevisions that a target controls. */
  revisionsOf(target: KubeObject): readonly KubeObject[];
  /** The claims that a target controls. */
  claimsOf(target: KubeObject): Shown<readonly KubeObject[]>;
  /** The objects of a resource that a target controls. */
  childrenOf(target: KubeObject, resource: Resource): Shown<readonly KubeObject[]>;
  /** The object that a target names (`need`), in a list; an empty one: there is none. */
  named(need: Extract<Need, { of: 'Config' }>): Shown<readonly KubeObject[]>;
  plansOf(key: TargetKey): KubeObject[];
  commandsOf(key: TargetKey): KubeObject[];
  /** Of the commands about a target, those that are too large to be kept, and so to be read. */
  oversizedCommandsOf(key: TargetKey): KubeObject[];
  /** What of a target takes too much memory to be kept, itself or what it controls; undefined: nothing. */
  oversized(target: KubeObject): Oversized | undefined;
  namespace(name: string): KubeObject | undefined;
  /** Every target there is, by its key. */
  targets(): Iterable<[TargetKey, KubeObject]>;
  /** A node; undefined: there is none of that name, or it is not known yet. */
  node(name: string): KubeObject | undefined;
  /** All nodes. */
  nodes(): Shown<readonly KubeObject[]>;
  readonly nodeLabels: NodeLabels;
  /** The newest version seen of a resource, to compare with what our own writes returned. */
  versionOf(resource: Resource): number;
  /** When the last complete list of a resource was begun, by the steady clock; before all times where there is none. */
  listBegunAt(resource: Resource): number;
  /** Lists a resource again, because the watch does not show a write of ours. */
  relist(resource: Resource): void;
  sizes(): Holding[];
  start(): void;
  stop(): void;
}

/** A list for what was too large is not repeated for so long: how often there is room for it, is for others to choose. */
const SEE_WHOLE_MS = 60_000;

/**
 * What is watched of a cluster, filed by the target that it concerns: by its owner, by a selector, by its name. `ask` is
 * called with every target that a change may concern; nothing else is decided here.
 */
export function createCaches(
  cluster: Cluster,
  clock: Clock,
  ask: Ask<TargetKey>,
  watching: Watching = {},
): Caches {
  const relations = createRelations();
  const about = createAbout();
  const selected = createSelected(() => pods.listAgain());
  const retention = createRetention(
    (controller) => kindOf(groupKindOf(controller)) !== undefined,
    watching.limits,
    selected.selects,
  );
  const sources = createSources({ ...watching, cluster, clock, retention, onSync: askAll });
  const policies = createPolicies();
  const watched: Kind[] = [];

  function askAll(): void {
    if (!sources.synced) return;
    for (const key of relations.keys()) ask(key);
  }

  function owned(object: KubeObject, gone: boolean): void {
    for (const key of relations.part(object, gone).keys) ask(key);
  }

  function onPod(object: KubeObject, gone: boolean): void {
    owned(object, gone);
    for (const key of selected.pod(object, gone)) ask(key);
  }

  function onPlan(object: KubeObject, gone: boolean): void {
    for (const key of about.file(object, gone)) ask(key);
  }

  function onCommand(object: KubeObject, gone: boolean, before: KubeObject | undefined): void {
    const isUrgent = before?.metadata.generation !== object.metadata.generation;
    for (const key of about.file(object, gone)) ask(key, 0, isUrgent);
  }

  /** Of a namespace only its policy matters, and that to its own targets alone. */
  function onNamespace(object: KubeObject, gone: boolean): void {
    if (!policies.file(object, gone) || !sources.synced) return;
    for (const key of relations.keys()) if (key.namespace === object.metadata.name) ask(key);
  }

  const pods = sources.always(resources.Pod, retention.keepPod, onPod);
  sources.always(resources.ControllerRevision, (object) => retention.keepOwned(object, plain), owned);
  const namespaces = sources.always(resources.Namespace, policies.keep, onNamespace);
  const needed = createNeeded({ sources, relations, retention, ask, askAll, watched: () => watched });

  /** Plans and commands about targets in some namespace, or about those in none. */
  function watchPlans(namespace: string): void {
    sources.always(planResource({ namespace }), retention.keep, onPlan);
    sources.always(commandResource({ namespace }), retention.keepCommand, onCommand);
  }

  function watch(kind: Kind): void {
    const { resource } = kind;
    watched.push(kind);
    if (!resource.namespaced && sources.of(planResource({ namespace: '' })) === undefined) watchPlans('');
    sources.always(resource, retention.keep, (object, gone, before) => {
      const { namespace = '', name } = object.metadata;
      const key = targetKey(resource, namespace, name);
      relations.target(object, key, gone);
      if (gone) need(key, []);
      else if (retention.oversized(object) === undefined) need(key, needsOf(kind, object));
      ask(key, 0, gone || before === undefined || isOtherwise(before, object));
      needed.changed(resource, object, gone);
    });
  }

  /** What the rules fail on has no needs: its own reconcile reports that. */
  function needsOf(kind: Kind, target: KubeObject): readonly Need[] {
    try {
      return kind.needs(target, relations.partsOf(target, resources.ControllerRevision));
    } catch {
      return [];
    }
  }

  function need(key: TargetKey, needs: readonly Need[]): void {
    selected.need(key, needs, pods.values());
    needed.need(key, needs);
  }

  watchPlans('some');
  for (const kind of watching.kinds ?? kinds) watch(kind);

  const seenWholeAt = new Map<string, number>();
  /** What `oversized` may find. */
  function seeWhole(of: GroupKind): void {
    const id = kindId(of);
    if (clock.now() < (seenWholeAt.get(id) ?? 0) + SEE_WHOLE_MS) return;
    for (const [resource, reflector] of sources.all()) {
      if (kindId(resource) !== id) continue;
      seenWholeAt.set(id, clock.now());
      reflector.relist();
    }
  }

  const commandsOf = (key: TargetKey): KubeObject[] => about.of(commandResource(key).kind, key);

  return {
    get synced() {
      return sources.synced;
    },
    get inSyncSince() {
      return sources.inSyncSince;
    },
    watch(kind) {
      if (!watched.includes(kind)) watch(kind);
    },
    target(key) {
      const kind = watched.find(({ id }) => kindId(id) === kindId(key));
      const { namespace, name } = key;
      return kind && sources.of(kind.resource)?.get(namespace === '' ? name : `${namespace}/${name}`);
    },
    podsOf: (target) => relations.partsOf(target, resources.Pod) as readonly Pod[],
    selectedBy: (key) => selected.podsOf(key, pods.listed) as readonly Pod[] | undefined,
    isSelecting: selected.has,
    need,
    pod: (namespace, name) => pods.get(`${namespace}/${name}`) as Pod | undefined,
    podVersion: (namespace, name) => pods.get(`${namespace}/${name}`)?.metadata.resourceVersion,
    revisionsOf: (target) => relations.partsOf(target, resources.ControllerRevision),
    claimsOf: needed.claimsOf,
    childrenOf: needed.childrenOf,
    named: needed.named,
    plansOf: (key) => about.of(planResource(key).kind, key),
    commandsOf: (key) => commandsOf(key).filter((each) => retention.oversized(each) === undefined),
    oversizedCommandsOf: (key) =>
      retention.hasStubs ? commandsOf(key).filter((each) => retention.oversized(each) !== undefined) : [],
    oversized(target) {
      if (!retention.hasStubs) return undefined;
      const stub = [target, ...relations.allOf(target)].find(
        (object) => retention.oversized(object) !== undefined,
      );
      if (stub === undefined) return undefined;
      // Others have gone since: what was too much is seen whole by a list.
      if (retention.fits(stub)) seeWhole(groupKindOf(stub));
      return retention.oversized(stub);
    },
    namespace: (name) => namespaces.get(name),
    *targets() {
      for (const { resource } of watched)
        for (const target of sources.of(resource)?.values() ?? [])
          yield [targetKey(resource, target.metadata.namespace ?? '', target.metadata.name), target];
    },
    node: needed.node,
    nodes: needed.nodes,
    nodeLabels: needed.nodeLabels,
    versionOf: (resource) => sources.of(resource)?.version ?? 0,
    listBegunAt: (resource) => sources.of(resource)?.listBegunAt ?? -Infinity,
    relist: (resource) => sources.of(resource)?.relist(),
    sizes: () => holdingsOf([...sources.all()]),
    start: sources.start,
    stop: sources.stop,
  };
}

/** Whether more has changed of a target than its status. */
function isOtherwise({ metadata: one }: KubeObject, { metadata: other }: KubeObject): boolean {
  return (
    one.uid !== other.uid ||
    one.generation !== other.generation ||
    one.deletionTimestamp !== other.deletionTimestamp ||
    JSON.stringify([one.labels, one.annotations]) !== JSON.stringify([other.labels, other.annotations])
  );
}
