import type { Clock } from '../../schemas/wire/clock.ts';
import type { ApiError, Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { needOf } from '../../semantics/kinds/need.ts';
import { kindOf } from '../../semantics/kinds/registry.ts';
import { createRelations } from '../observe/relations.ts';
import { createRetention, plain } from '../observe/retention.ts';
import { type TargetKey, targetKey } from '../observe/target-key.ts';
import { createReflector, type Reflector } from '../observe/reflector.ts';
import { type Policy, policyOf } from '../../semantics/plan/policy.ts';
import { type Comparison, createComparison, type Finding, statusDifferences, WINDOW_MS } from './compare.ts';
import { createOnDemandCaches } from './on-demand-caches.ts';
import { type PodChange, podChangesBetween } from './pod-changes.ts';
import { createShadowRecord, type ShadowRecord } from './record.ts';
import { type DryRunDecision, dryRunDecision } from './dry-run-decision.ts';

export interface ShadowOptions {
  cluster: Cluster;
  clock: Clock;
  random?: () => number;
  /** What holds where neither object nor namespace says more. */
  policy: Policy;
  /** The kinds that are followed, each at the version that the server has: an older OpenKruise serves older ones. */
  targets: readonly ServedKind[];
  onFinding(key: TargetKey, finding: Finding): void;
  /** A target that would not be taken over, and for which fields; told once for each of its generations. */
  onRefused(key: TargetKey, fields: readonly string[]): void;
  onWatchLost(plural: string, error: unknown): void;
  /** Nodes or claims may not be seen, and some target needs them: what is compared without them. Told once. */
  onForbidden(plural: string, error: ApiError): void;
  /** A resource (its plural) is seen: for the first time, or again. */
  onWatched?(plural: string): void;
}

export interface Shadow {
  readonly synced: boolean;
  /** Targets that are followed; those of them that would not be taken over; those whose claims may not be seen. */
  counts(): { targets: number; refused: number; forbidden: number };
  start(): void;
  stop(): void;
}

/** A kind, and its resource at a version that the server has. */
export interface ServedKind {
  kind: Kind;
  resource: Resource;
}

/** What has to be seen, by its plural. */
export function watchedPlurals(targets: readonly ServedKind[]): string[] {
  const others = [resources.Pod, resources.ControllerRevision, resources.Namespace];
  return [...targets.map(({ resource }) => resource), ...others].map(({ plural }) => plural);
}

/** So long nothing happens to a target that is at rest: longer than a manager takes to answer, or a pod to get ready. */
const REST_MS = 30_000;

interface Followed {
  record: ShadowRecord;
  comparison: Comparison;
  /** Moves that nothing explains yet, with the pods before each. */
  open: { move: PodChange; pods: readonly Pod[] }[];
  /** What was told already, of the target at rest. */
  told: Set<string>;
  cancelRest: () => void;
  refused: string;
  /** Its pods have claims that may not be seen: it is not compared. */
  forbidden: boolean;
}

/**
 * Looks on while another manager looks after the targets, and compares: each of its moves with what would have been done
 * on the same state, and every target at rest with what it would be. It holds no way to write.
 */
export function createShadow(options: ShadowOptions): Shadow {
  const { cluster, clock, policy } = options;
  const followed = new Map<TargetKey, Followed>();
  const relations = createRelations();
  const retention = createRetention((controller) => kindOf(groupKindOf(controller)) !== undefined);

  const common = (resource: Resource) => ({
    cluster,
    clock,
    resource,
    ...(options.random === undefined ? {} : { random: options.random }),
    onError: (error: unknown) => options.onWatchLost(resource.plural, error),
    onSync: () => options.onWatched?.(resource.plural),
  });
  const targets = options.targets.map(({ kind, resource }) => {
    const { keep } = retention;
    const onChange = (object: KubeObject, gone: boolean): void => onTarget(kind, object, gone);
    return { kind, reflector: createReflector({ ...common(resource), transform: keep, onChange }) };
  });
  const podsSeen = createReflector({
    ...common(resources.Pod),
    transform: retention.keepPod,
    onChange: (object, gone) => onPod(object as Pod, gone),
  });
  const revisions = createReflector({
    ...common(resources.ControllerRevision),
    transform: (object) => retention.keepOwned(object, plain),
    onChange: onPart,
  });
  const namespaces = createReflector({ ...common(resources.Namespace), onChange: () => undefined });
  const beside = createOnDemandCaches({
    ...options,
    relations,
    onWatched: (plural) => options.onWatched?.(plural),
    onClaim: onPart,
    onChange() {
      for (const key of followed.keys()) changed(key);
    },
  });
  const all: readonly Reflector[] = [
    ...targets.map(({ reflector }) => reflector),
    podsSeen,
    revisions,
    namespaces,
  ];

  const isSynced = (): boolean => all.every(({ synced }) => synced);

  function targetOf(key: TargetKey): KubeObject | undefined {
    const of = targets.find(({ kind }) => kind === kindOf(key));
    return of?.reflector.get(`${key.namespace}/${key.name}`);
  }

  /** What would be done about a target with these pods; undefined: there is nothing to compare. */
  function would(key: TargetKey, followedOne: Followed, of: readonly Pod[]): DryRunDecision | undefined {
    const target = targetOf(key);
    const kind = kindOf(key);
    if (target === undefined || kind === undefined || target.metadata.deletionTimestamp !== undefined)
      return undefined;
    const { namespace = '' } = target.metadata;
    const revisionsSeen = relations.partsOf(target, resources.ControllerRevision);
    // What is too large to be kept cannot be compared.
    if ([target, ...revisionsSeen, ...of].some(retention.oversized)) return undefined;
    const claims = needOf(kind.needs(target, revisionsSeen), 'Claims') ? beside.claimsOf(target) : [];
    followedOne.forbidden = claims === 'unseen';
    if (claims === undefined || claims === 'unseen') return undefined;
    const seen = {
      target,
      pods: of,
      revisions: revisionsSeen,
      nodes: beside.nodes,
      claims,
    };
    const which = policyOf(target, namespaces.get(namespace), policy);
    const result = dryRunDecision(kind, seen, followedOne.record, which, clock.now());
    const refused = result?.refused.join(', ') ?? '';
    if (result !== undefined && refused !== '' && refused !== followedOne.refused)
      options.onRefused(key, result.refused);
    followedOne.refused = refused;
    return refused === '' ? result : undefined;
  }

  function follow(key: TargetKey): Followed {
    const known = followed.get(key) ?? {
      record: createShadowRecord(),
      comparison: createComparison(),
      open: [],
      told: new Set<string>(),
      cancelRest: () => undefined,
      refused: '',
      forbidden: false,
    };
    followed.set(key, known);
    return known;
  }

  function onTarget(kind: Kind, object: KubeObject, gone: boolean): void {
    const { namespace = '', name } = object.metadata;
    const key = targetKey(kind.id, namespace, name);
    relations.target(object, key, gone);
    if (gone) {
      followed.get(key)?.cancelRest();
      followed.delete(key);
      retention.release(object);
      return;
    }
    // What is not sent for until something happens is not known then.
    if (needOf(kind.needs(object, []), 'Claims')) void beside.claimsOf(object);
    changed(key);
  }

  function onPart(object: KubeObject, gone: boolean): void {
    if (gone) retention.release(object);
    for (const key of relations.part(object, gone).keys) changed(key);
  }

  function podsOf(target: KubeObject): readonly Pod[] {
    return relations.partsOf(target, resources.Pod) as Pod[];
  }

  function onPod(object: Pod, gone: boolean): void {
    if (gone) retention.release(object);
    const { before, keys } = relations.part(object, gone);
    const { name, uid } = object.metadata;
    const same = before?.metadata.uid === uid ? (before as Pod) : undefined;
    for (const key of keys) {
      const target = targetOf(key);
      // Where it was not watched, nobody knows what happened in which order.
      const moves =
        isSynced() && target !== undefined ? podChangesBetween(same, gone ? undefined : object) : [];
      if (target !== undefined && moves.length > 0) {
        const others = podsOf(target).filter((pod) => pod.metadata.name !== name);
        const pods = before === undefined ? others : [...others, before as Pod].sort(byName);
        for (const move of moves) judge(key, move, pods);
      }
      changed(key);
    }
  }

  function judge(key: TargetKey, move: PodChange, before: readonly Pod[]): void {
    const one = follow(key);
    if (!explained(key, one, move, before)) {
      const open = { move, pods: before };
      one.open.push(open);
      clock.after(WINDOW_MS, () => {
        if (!one.open.includes(open)) return;
        one.open = one.open.filter((each) => each !== open);
        const due = would(key, one, before);
        if (due !== undefined) options.onFinding(key, one.comparison.settle(move, due));
      });
    }
  }

  function explained(key: TargetKey, one: Followed, move: PodChange, before: readonly Pod[]): boolean {
    const due = would(key, one, before);
    if (due === undefined) return true;
    const finding = one.comparison.judge(move, due, before, clock.now());
    if (finding !== undefined) options.onFinding(key, finding);
    return finding !== undefined;
  }

  /** Something about a target is new: it may explain a move that was seen before, and the target is not at rest. */
  function changed(key: TargetKey): void {
    const one = follow(key);
    one.open = one.open.filter(({ move, pods }) => !explained(key, one, move, pods));
    restAfter(key, one, REST_MS);
  }

  function restAfter(key: TargetKey, one: Followed, ms: number): void {
    one.cancelRest();
    one.cancelRest = clock.after(ms, () => atRest(key, one));
  }

  function atRest(key: TargetKey, one: Followed): void {
    const target = targetOf(key);
    if (!isSynced() || target === undefined) {
      restAfter(key, one, REST_MS);
      return;
    }
    const due = would(key, one, podsOf(target));
    if (due === undefined) return;
    const { generation = 0 } = target.metadata;
    const status = (target['status'] ?? {}) as DryRunDecision['status'];
    const texts =
      Number(status['observedGeneration'] ?? 0) < generation
        ? [`OpenKruise has not looked at generation ${generation}`]
        : [
            ...due.actions.map(
              (action) =>
                `OpenKruise has not done: ${action.verb} ${action.do === 'create' ? '' : action.name}, which is due because ${action.reason}`,
            ),
            ...statusDifferences(status, due.status),
          ];
    for (const text of texts) {
      const id = `${generation}: ${text}`;
      if (one.told.has(id)) continue;
      one.told.add(id);
      options.onFinding(key, { verdict: 'difference', text });
    }
    if (due.requeueAt !== undefined) restAfter(key, one, Math.max(due.requeueAt - clock.now(), 0) + REST_MS);
  }

  return {
    get synced() {
      return isSynced();
    },
    counts: () => ({
      targets: followed.size,
      refused: [...followed.values()].filter(({ refused }) => refused !== '').length,
      forbidden: [...followed.values()].filter(({ forbidden }) => forbidden).length,
    }),
    start: () => all.forEach((reflector) => reflector.start()),
    stop() {
      for (const reflector of all) reflector.stop();
      beside.stop();
      for (const { cancelRest } of followed.values()) cancelRest();
    },
  };
}

function byName(a: KubeObject, b: KubeObject): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
