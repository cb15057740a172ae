import type { Clock } from '../../schemas/wire/clock.ts';
import type { ApiError, Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { controllerName } from '../../semantics/kinds/openkruise.ts';
import { kindOf } from '../../semantics/kinds/registry.ts';
import { type Policy, policyOf } from '../../semantics/plan/policy.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import type { TargetOfKind } from '../observe/objects.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { createShadowCaches, type ServedKind } from './caches.ts';
import {
  type Comparison,
  createComparison,
  type Finding,
  sentence,
  statusDifferences,
  WINDOW_MS,
} from './compare.ts';
import { type DryRunDecision, dryRunDecision } from './dry-run-decision.ts';
import { type PodChange, podChangesBetween } from './pod-changes.ts';
import { createShadowRecord, type ShadowRecord } from './record.ts';

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
  /** What some target needs beside its pods and revisions may not be seen. Called once, until it is seen. */
  onForbidden(plural: string, error: ApiError): void;
  /** A resource (its plural) is seen: for the first time, or again. */
  onWatched?(plural: string): void;
}

export interface Shadow {
  readonly synced: boolean;
  /** Targets that are followed; those of them that would not be taken over; those of which something may not be seen. */
  counts(): { targets: number; refused: number; forbidden: number };
  start(): void;
  stop(): void;
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
  /** Something that it needs may not be seen: it is not compared. */
  forbidden: boolean;
}

/**
 * Looks on while another manager looks after the targets, and compares: each of its moves with what would have been done
 * on the same state, and every target at rest with what it would be. It holds no way to write.
 */
export function createShadow(options: ShadowOptions): Shadow {
  const { clock, policy } = options;
  const followed = new Map<TargetKey, Followed>();
  const caches = createShadowCaches({
    ...options,
    onWatched: (plural) => options.onWatched?.(plural),
    onChange: changed,
    onTarget,
    onPod,
    onChangeOfAll() {
      for (const key of followed.keys()) changed(key);
    },
  });

  /** What would be done about a target, with these pods in place of those that it has; undefined: there is nothing to compare. */
  function would(key: TargetKey, followedOne: Followed, pods?: readonly Pod[]): DryRunDecision | undefined {
    const target = caches.target(key);
    const kind = kindOf(key);
    if (target === undefined || kind === undefined || target.metadata.deletionTimestamp !== undefined)
      return undefined;
    const { namespace = '' } = target.metadata;
    // What is too large to be kept cannot be compared.
    if (caches.isOversized(target, pods)) return undefined;
    const found = caches.objectsOf({ key, kind, target });
    followedOne.forbidden = found !== undefined && 'forbidden' in found;
    if (found === undefined || 'forbidden' in found) return undefined;
    const revisions = caches.revisionsOf(target);
    const seen = { ...found.objects, ...(pods !== undefined && { pods }), target, revisions };
    const which = policyOf(target, caches.namespace(namespace), policy);
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
      comparison: createComparison(controllerName(key)),
      open: [],
      told: new Set<string>(),
      cancelRest: () => undefined,
      refused: '',
      forbidden: false,
    };
    followed.set(key, known);
    return known;
  }

  function onTarget({ key, kind, target }: TargetOfKind, gone: boolean): void {
    if (gone) {
      followed.get(key)?.cancelRest();
      followed.delete(key);
      return;
    }
    // What is not sent for until something happens is not known then.
    caches.objectsOf({ key, kind, target });
    changed(key);
  }

  function onPod(key: TargetKey, before: Pod | undefined, after: Pod | undefined): void {
    const target = caches.target(key);
    // Where it was not watched, nobody knows what happened in which order.
    if (!caches.synced || target === undefined) return;
    const moves = podChangesBetween(before, after);
    if (moves.length === 0) return;
    const one = before ?? after;
    const others = caches.podsOf(target).filter((pod) => pod.metadata.name !== one?.metadata.name);
    const pods = before === undefined ? others : [...others, before].sort(byName);
    for (const move of moves) judge(key, move, pods);
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
    const subject = sentence(controllerName(key));
    const target = caches.target(key);
    if (!caches.synced || target === undefined) {
      restAfter(key, one, REST_MS);
      return;
    }
    const due = would(key, one);
    if (due === undefined) return;
    const { generation = 0 } = target.metadata;
    const status = (target['status'] ?? {}) as DryRunDecision['status'];
    const texts =
      Number(status['observedGeneration'] ?? 0) < generation
        ? [`${subject} has not looked at generation ${generation}`]
        : [
            ...due.actions.map(
              (action) =>
                `${subject} has not done: ${action.verb}${action.do === 'create' ? '' : ` ${action.name}`}, which is due because ${action.reason}`,
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
      return caches.synced;
    },
    counts: () => ({
      targets: followed.size,
      refused: [...followed.values()].filter(({ refused }) => refused !== '').length,
      forbidden: [...followed.values()].filter(({ forbidden }) => forbidden).length,
    }),
    start: caches.start,
    stop() {
      caches.stop();
      for (const { cancelRest } of followed.values()) cancelRest();
    },
  };
}

function byName(a: KubeObject, b: KubeObject): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
