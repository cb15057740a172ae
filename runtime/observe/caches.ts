import type { Clock } from '../../schemas/wire/clock.ts';
import type { ApiError, Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { projectPod } from '../../semantics/pod/project.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { workloads } from '../../semantics/workload.ts';
import { createClaims } from './claims.ts';
import { createIntern } from './intern.ts';
import { createNodes, type Nodes } from './nodes.ts';
import { createReflector, keyOf, type Reflector } from './reflector.ts';

/** `Kind/namespace/name`: what the runtime schedules by. */
export type TargetKey = string;

export function targetKey(kind: string, namespace: string, name: string): TargetKey {
  return `${kind}/${namespace}/${name}`;
}

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
}

export interface Caches {
  readonly synced: boolean;
  /** Since when all of it has been watched without a gap, milliseconds since 1970. */
  readonly inSyncSince: number;
  target(key: TargetKey): KubeObject | undefined;
  podsOf(uid: string): Pod[];
  /** The version of a pod as it was seen last. */
  podVersion(namespace: string, name: string): string | undefined;
  revisionsOf(uid: string): KubeObject[];
  /**
   * The claims of a target; they are watched from the first time some are asked for, and not known before that is under
   * way: undefined, or why the server does not show them.
   */
  claimsOf(uid: string): KubeObject[] | ApiError | undefined;
  plansOf(key: TargetKey): KubeObject[];
  commandsOf(key: TargetKey): KubeObject[];
  namespace(name: string): KubeObject | undefined;
  /** Every target there is, by its key. */
  targets(): Iterable<[TargetKey, KubeObject]>;
  readonly nodes: Nodes;
  /** The newest version seen of a resource, to compare with what our own writes returned. */
  versionOf(resource: Resource): number;
  /** Lists a resource again, because the watch does not show a write of ours. */
  relist(resource: Resource): void;
  holdings(): Holding[];
  start(): void;
  stop(): void;
}

/** To weigh every object at each question would cost more than to keep them. */
const WEIGHED = 32;

/**
 * One reflector a resource, and indexes by owner and by target. `ask` is called with every target that a change may
 * concern; nothing else is decided here.
 */
export function createCaches(
  cluster: Cluster,
  clock: Clock,
  ask: (key: TargetKey) => void,
  watching: Watching = {},
): Caches {
  const byOwner = new Map<string, Map<string, KubeObject>>();
  const ownerOf = new Map<string, string>();
  /** The ids of what an owner has, sorted: they change less often than the objects. */
  const order = new Map<string, readonly string[]>();
  const byTarget = new Map<TargetKey, Map<string, KubeObject>>();
  const targetOf = new Map<string, TargetKey>();
  const keyOfUid = new Map<string, TargetKey>();
  const reflectors = new Map<string, Reflector>();
  const intern = createIntern();
  const keepPod = (object: KubeObject): KubeObject => projectPod(object as Pod, intern);

  function reflect(resource: Resource, onChange: (object: KubeObject, gone: boolean) => void): Reflector {
    const keep = resource === resources.Pod ? keepPod : unmanaged;
    const reflector = createReflector({ ...common(resource), keep, onChange, onSync: askAll });
    reflectors.set(resource.plural, reflector);
    return reflector;
  }

  function common(resource: Resource) {
    const { random, onError } = watching;
    return {
      cluster,
      clock,
      resource,
      ...(random === undefined ? {} : { random }),
      ...(onError === undefined ? {} : { onError: (error: unknown) => onError(resource.plural, error) }),
    };
  }

  function askAll(): void {
    if (!allSynced()) return;
    for (const key of keyOfUid.values()) ask(key);
  }

  function allSynced(): boolean {
    return [...reflectors.values()].every((reflector) => reflector.synced);
  }

  const targets = Object.entries(workloads).map(([kind, { resource }]) => {
    const reflector = reflect(resource, (object, gone) => {
      const key = targetKey(kind, object.metadata.namespace ?? '', object.metadata.name);
      const uid = object.metadata.uid ?? '';
      if (gone) keyOfUid.delete(uid);
      else keyOfUid.set(uid, key);
      ask(key);
    });
    return [kind, reflector] as const;
  });

  function owned(object: KubeObject, gone: boolean): void {
    const id = `${object.kind}/${keyOf(object)}`;
    const owner = gone
      ? undefined
      : object.metadata.ownerReferences?.find((ref) => ref.controller === true)?.uid;
    const before = ownerOf.get(id);
    if (before !== owner) for (const uid of [before, owner]) if (uid !== undefined) order.delete(uid);
    if (before !== undefined && before !== owner) {
      byOwner.get(before)?.delete(id);
      if (byOwner.get(before)?.size === 0) byOwner.delete(before);
      ownerOf.delete(id);
    }
    if (owner !== undefined) {
      ownerOf.set(id, owner);
      const group = byOwner.get(owner) ?? new Map<string, KubeObject>();
      byOwner.set(owner, group.set(id, object));
    }
    for (const uid of new Set([before, owner])) {
      const key = uid === undefined ? undefined : keyOfUid.get(uid);
      if (key !== undefined) ask(key);
    }
  }

  function about(object: KubeObject, gone: boolean): void {
    const target = ((object['spec'] ?? {}) as { target?: { kind?: string; name?: string } }).target;
    const key = targetKey(target?.kind ?? '', object.metadata.namespace ?? '', target?.name ?? '');
    const id = `${object.kind}/${keyOf(object)}`;
    // An edit may point a plan at another target: whoever had it must look again too.
    const before = targetOf.get(id);
    if (before !== undefined && (gone || before !== key)) {
      byTarget.get(before)?.delete(id);
      if (byTarget.get(before)?.size === 0) byTarget.delete(before);
      targetOf.delete(id);
      ask(before);
    }
    if (!gone) {
      const group = byTarget.get(key) ?? new Map<string, KubeObject>();
      byTarget.set(key, group.set(id, object));
      targetOf.set(id, key);
    }
    ask(key);
  }

  const pods = reflect(resources.Pod, owned);
  reflect(resources.ControllerRevision, owned);
  reflect(resources.RolloutPlan, about);
  reflect(resources.RolloutCommand, about);
  const namespaces = reflect(resources.Namespace, () => askAll());

  const nodes = createNodes(
    (own) =>
      createReflector({ ...common(resources.Node), ...own, onChange: () => undefined, onSync: askAll }),
    (error) => watching.onError?.(resources.Node.plural, error),
    askAll,
  );

  function ownedBy(uid: string, kind: string): KubeObject[] {
    const group = byOwner.get(uid);
    if (group === undefined) return [];
    const ids = order.get(uid) ?? [...group.keys()].sort();
    order.set(uid, ids);
    return ids.flatMap((id) => {
      const object = group.get(id);
      return object?.kind === kind ? [object] : [];
    });
  }

  const claims = createClaims(
    (own) => createReflector({ ...common(resources.PersistentVolumeClaim), ...own, onChange: owned }),
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
    target(key) {
      const [kind = '', namespace = '', name = ''] = key.split('/');
      return targets.find(([k]) => k === kind)?.[1].get(`${namespace}/${name}`);
    },
    podsOf: (uid) => ownedBy(uid, 'Pod') as Pod[],
    podVersion: (namespace, name) => pods.get(`${namespace}/${name}`)?.metadata.resourceVersion,
    revisionsOf: (uid) => ownedBy(uid, 'ControllerRevision'),
    claimsOf: (uid) => claims.whenKnown(() => ownedBy(uid, resources.PersistentVolumeClaim.kind)),
    plansOf: (key) => sortedBy('RolloutPlan', byTarget.get(key)),
    commandsOf: (key) => sortedBy('RolloutCommand', byTarget.get(key)),
    namespace: (name) => namespaces.get(name),
    *targets() {
      for (const [kind, reflector] of targets)
        for (const target of reflector.values())
          yield [targetKey(kind, target.metadata.namespace ?? '', target.metadata.name), target];
    },
    nodes,
    versionOf: (resource) => reflectorOf(resource)?.version ?? 0,
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

/** Who wrote which field is of no interest here, and is a third of an object. */
function unmanaged(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _bookkeeping, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function weigh(objects: readonly KubeObject[]): { objects: number; bytes: number } {
  const apart = Math.max(1, Math.floor(objects.length / WEIGHED));
  const some = objects.filter((_, index) => index % apart === 0);
  const weight = some.reduce((sum, object) => sum + JSON.stringify(object).length, 0);
  const bytes = some.length === 0 ? 0 : Math.round((weight / some.length) * objects.length);
  return { objects: objects.length, bytes };
}
