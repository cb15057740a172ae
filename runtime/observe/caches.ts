import type { Clock } from '../../schemas/wire/clock.ts';
import type { ApiError, Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { type GroupKind, groupKindOf } from '../../semantics/owner.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { needOf } from '../../semantics/kinds/need.ts';
import { kindOf, kinds } from '../../semantics/kinds/registry.ts';
import { POLICY_ANNOTATION } from '../../semantics/plan/policy.ts';
import { bareMetadata } from './bare.ts';
import { createClaims } from './claims.ts';
import { createNodes, type Nodes } from './nodes.ts';
import { createReflector, keyOf, type Reflector } from './reflector.ts';
import { createRetention, type Oversized, plain, type RetentionLimits } from './retention.ts';
import { createRelations } from './relations.ts';
import { commandResource, planResource } from './plan-resources.ts';
import { createSelections } from './selections.ts';
import { referredKey, type TargetKey, targetKey } from './target-key.ts';

/** How much a cache holds. */
export interface Holding {
  /** The plural of the resource. */
  resource: string;
  synced: boolean;
  objects: number;
  /** As JSON, reckoned from some of the objects. */
  bytes: number;
}

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
  target(key: TargetKey): KubeObject | undefined;
  /** The pods that a target controls. */
  podsOf(target: KubeObject): readonly Pod[];
  /** The pods that a target selects, if its kind needs such. */
  selectedBy(key: TargetKey): readonly Pod[];
  pod(namespace: string, name: string): Pod | undefined;
  /** The version of a pod as it was seen last. */
  podVersion(namespace: string, name: string): string | undefined;
  /** The ControllerRevisions that a target controls. */
  revisionsOf(target: KubeObject): readonly KubeObject[];
  /**
   * The claims that a target controls; they are watched from the first time some are asked for, and not known before that
   * is under way: undefined, or why the server does not show them.
   */
  claimsOf(target: KubeObject): readonly KubeObject[] | ApiError | undefined;
  plansOf(key: TargetKey): KubeObject[];
  commandsOf(key: TargetKey): KubeObject[];
  /** Of the commands about a target, those that are too large to be kept, and so to be read. */
  oversizedCommandsOf(key: TargetKey): KubeObject[];
  /** What of a target takes too much memory to be kept, itself or what it controls; undefined: nothing. */
  oversized(target: KubeObject): Oversized | undefined;
  namespace(name: string): KubeObject | undefined;
  /** Every target there is, by its key. */
  targets(): Iterable<[TargetKey, KubeObject]>;
  readonly nodes: Nodes;
  /** The newest version seen of a resource, to compare with what our own writes returned. */
  versionOf(resource: Resource): number;
  /** When the last complete list of a resource was begun, by the steady clock; before all times where there is none. */
  listBegunAt(resource: Resource): number;
  /** Lists a resource again, because the watch does not show a write of ours. */
  relist(resource: Resource): void;
  holdings(): Holding[];
  start(): void;
  stop(): void;
}

/** A list for what was too large is not repeated for so long: how often there is room for it, is for others to choose. */
const SEE_WHOLE_MS = 60_000;
/** What `oversized` may find. */
const RETAINED: readonly Resource[] = [
  ...kinds.map(({ resource }) => resource),
  resources.Pod,
  resources.ControllerRevision,
  resources.PersistentVolumeClaim,
];

/** A target is reconciled for changes of the pods that it selects no more often than this. */
const SELECTED_MS = 1_000;

/** To weigh every object at each question would cost more than to keep them. */
const WEIGHED = 32;

/**
 * One reflector a resource, and indexes by owner and by target. `ask` is called with every target that a change may
 * concern; nothing else is decided here.
 */
export function createCaches(
  cluster: Cluster,
  clock: Clock,
  ask: (key: TargetKey, delayMs?: number) => void,
  watching: Watching = {},
): Caches {
  const relations = createRelations();
  const selections = createSelections();
  const byTarget = new Map<TargetKey, Map<string, KubeObject>>();
  const targetOf = new Map<string, TargetKey>();
  const reflectors = new Map<string, Reflector>();
  const retention = createRetention(
    (controller) => kindOf(groupKindOf(controller)) !== undefined,
    watching.limits,
    selections.selects,
  );

  function reflect(
    resource: Resource,
    keep: (object: KubeObject) => KubeObject | undefined,
    onChange: (object: KubeObject, gone: boolean) => void,
  ): Reflector {
    const reflector = createReflector({
      ...common(resource),
      keep,
      onChange: freeing(onChange),
      onListed: (has) => retention.settle(resource.kind, has),
      onSync: askAll,
    });
    reflectors.set(resource.plural, reflector);
    return reflector;
  }

  function freeing(onChange: (object: KubeObject, gone: boolean) => void) {
    return (object: KubeObject, gone: boolean): void => {
      if (gone) retention.release(object);
      onChange(object, gone);
    };
  }

  function common(resource: Resource) {
    const { random, onError } = watching;
    return {
      cluster,
      clock,
      resource,
      isStub: (object: KubeObject) => retention.oversized(object) !== undefined,
      ...(random === undefined ? {} : { random }),
      ...(onError === undefined ? {} : { onError: (error: unknown) => onError(resource.plural, error) }),
    };
  }

  function askAll(): void {
    if (!allSynced()) return;
    for (const key of relations.keys()) ask(key);
  }

  function allSynced(): boolean {
    return [...reflectors.values()].every((reflector) => reflector.synced);
  }

  const watched = watching.kinds ?? kinds;
  /** A namespace of targets of each scope: what is in none has plans of its own. */
  const scopes = ['some', ...(watched.every(({ resource }) => resource.namespaced) ? [] : [''])];
  const targets = watched.map((kind) => {
    const { resource } = kind;
    const { keep } = retention;
    const reflector = reflect(resource, keep, (object, gone) => {
      const { namespace = '', name } = object.metadata;
      const key = targetKey(resource, namespace, name);
      relations.target(object, key, gone);
      ask(key);
      if (kind.uses.some(({ of }) => of === 'SelectedPods')) select(kind, key, gone ? undefined : object);
    });
    return [resource, reflector] as const;
  });

  /** Pods that a target begins to select were not kept before: they are listed again. */
  function select(kind: Kind, key: TargetKey, target: KubeObject | undefined): void {
    if (target !== undefined && retention.oversized(target) !== undefined) return;
    const need = target && needOf(kind.needs(target, []), 'SelectedPods');
    if (selections.target(key, need)) pods.relist();
  }

  function onPod(object: KubeObject, gone: boolean): void {
    owned(object, gone);
    // Many sets may select a pod that changes often.
    for (const key of selections.pod(object, gone)) ask(key, SELECTED_MS);
  }

  function owned(object: KubeObject, gone: boolean): void {
    for (const key of relations.part(object, gone).keys) ask(key);
  }

  function about(object: KubeObject, gone: boolean): void {
    const { target } = (object['spec'] ?? {}) as { target?: unknown };
    const key = referredKey(target, object.metadata.namespace ?? '');
    const id = `${object.kind}/${keyOf(object)}`;
    // An edit may point a plan at another target: whoever had it must look again too.
    const before = targetOf.get(id);
    if (before !== undefined && (gone || before !== key)) {
      byTarget.get(before)?.delete(id);
      if (byTarget.get(before)?.size === 0) byTarget.delete(before);
      targetOf.delete(id);
      ask(before);
    }
    if (key === undefined) return;
    if (!gone) {
      const group = byTarget.get(key) ?? new Map<string, KubeObject>();
      byTarget.set(key, group.set(id, object));
      targetOf.set(id, key);
    }
    ask(key);
  }

  const policies = new Map<string, string | undefined>();
  /** Of a namespace only its policy matters, and that to its own targets alone. */
  function onNamespace({ metadata }: KubeObject, gone: boolean): void {
    const policy = gone ? undefined : metadata.annotations?.[POLICY_ANNOTATION];
    const isNew = policies.get(metadata.name) !== policy;
    if (policy === undefined) policies.delete(metadata.name);
    else policies.set(metadata.name, policy);
    if (!isNew || !allSynced()) return;
    for (const key of relations.keys()) if (key.namespace === metadata.name) ask(key);
  }

  const pods = reflect(resources.Pod, retention.keepPod, onPod);
  reflect(resources.ControllerRevision, (object) => retention.keepOwned(object, plain), owned);
  for (const namespace of scopes) {
    reflect(planResource({ namespace }), retention.keep, about);
    reflect(commandResource({ namespace }), retention.keepCommand, about);
  }
  const namespaces = reflect(resources.Namespace, policyAlone, onNamespace);

  const nodes = createNodes(
    (own) =>
      createReflector({ ...common(resources.Node), ...own, onChange: () => undefined, onSync: askAll }),
    (error) => watching.onError?.(resources.Node.plural, error),
    askAll,
  );

  const claims = createClaims(
    (own) =>
      createReflector({
        ...common(resources.PersistentVolumeClaim),
        ...own,
        keep: (object) => retention.keepOwned(object, own.keep),
        onChange: freeing(owned),
        onListed: (has) => retention.settle(resources.PersistentVolumeClaim.kind, has),
      }),
    (error) => watching.onError?.(resources.PersistentVolumeClaim.plural, error),
    askAll,
  );

  /** What is watched at some time only, by its plural. */
  const onDemand = (): [string, Reflector][] =>
    [
      [resources.Node.plural, nodes.reflector] as const,
      [resources.PersistentVolumeClaim.plural, claims.reflector] as const,
    ].flatMap(([plural, reflector]) => (reflector === undefined ? [] : [[plural, reflector]]));
  const reflectorOf = ({ plural }: Resource): Reflector | undefined =>
    reflectors.get(plural) ?? onDemand().find(([name]) => name === plural)?.[1];

  const seenWholeAt = new Map<Resource, number>();
  function seeWhole({ group, kind }: GroupKind): void {
    const resource = RETAINED.find((each) => each.group === group && each.kind === kind);
    if (resource === undefined || clock.now() < (seenWholeAt.get(resource) ?? 0) + SEE_WHOLE_MS) return;
    seenWholeAt.set(resource, clock.now());
    reflectorOf(resource)?.relist();
  }

  const sortedBy = (kind: string, group: Map<string, KubeObject> | undefined): KubeObject[] =>
    [...(group?.values() ?? [])]
      .filter((object) => object.kind === kind)
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

  return {
    get synced() {
      return allSynced();
    },
    get inSyncSince() {
      return Math.max(...[...reflectors.values()].map((reflector) => reflector.syncedSince));
    },
    target({ group, kind, namespace, name }) {
      const [, reflector] = targets.find(([of]) => of.group === group && of.kind === kind) ?? [];
      return reflector?.get(namespace === '' ? name : `${namespace}/${name}`);
    },
    podsOf: (target) => relations.partsOf(target, 'Pod') as readonly Pod[],
    selectedBy: (key) => selections.podsOf(key) as readonly Pod[],
    pod: (namespace, name) => pods.get(`${namespace}/${name}`) as Pod | undefined,
    podVersion: (namespace, name) => pods.get(`${namespace}/${name}`)?.metadata.resourceVersion,
    revisionsOf: (target) => relations.partsOf(target, 'ControllerRevision'),
    claimsOf: (target) =>
      claims.whenKnown(() => relations.partsOf(target, resources.PersistentVolumeClaim.kind)),
    plansOf: (key) => sortedBy(planResource(key).kind, byTarget.get(key)),
    commandsOf: (key) =>
      sortedBy(commandResource(key).kind, byTarget.get(key)).filter(
        (each) => retention.oversized(each) === undefined,
      ),
    oversizedCommandsOf: (key) =>
      retention.hasStubs
        ? sortedBy(commandResource(key).kind, byTarget.get(key)).filter(
            (each) => retention.oversized(each) !== undefined,
          )
        : [],
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
      for (const [resource, reflector] of targets)
        for (const target of reflector.values())
          yield [targetKey(resource, target.metadata.namespace ?? '', target.metadata.name), target];
    },
    nodes,
    versionOf: (resource) => reflectorOf(resource)?.version ?? 0,
    listBegunAt: (resource) => reflectorOf(resource)?.listBegunAt ?? -Infinity,
    relist: (resource) => reflectorOf(resource)?.relist(),
    holdings: () =>
      [...reflectors, ...onDemand()].map(([resource, reflector]) => ({
        resource,
        synced: reflector.synced,
        ...weigh([...reflector.values()]),
      })),
    start: () => reflectors.forEach((reflector) => reflector.start()),
    stop() {
      for (const reflector of reflectors.values()) reflector.stop();
      for (const [, reflector] of onDemand()) reflector.stop();
    },
  };
}

/** A namespace down to what says how strict its targets are. */
function policyAlone({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const policy = metadata.annotations?.[POLICY_ANNOTATION];
  return {
    apiVersion,
    kind,
    metadata: {
      ...bareMetadata(metadata),
      ...(policy === undefined ? {} : { annotations: { [POLICY_ANNOTATION]: policy } }),
    },
  };
}

function weigh(objects: readonly KubeObject[]): { objects: number; bytes: number } {
  const apart = Math.max(1, Math.floor(objects.length / WEIGHED));
  const some = objects.filter((_, index) => index % apart === 0);
  const weight = some.reduce((sum, object) => sum + JSON.stringify(object).length, 0);
  const bytes = some.length === 0 ? 0 : Math.round((weight / some.length) * objects.length);
  return { objects: objects.length, bytes };
}
