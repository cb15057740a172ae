import type { Clock } from '../../schemas/wire/clock.ts';
import type { ApiError, Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { controllerName } from '../../semantics/kinds/openkruise.ts';
import { kindOf, rulesFor } from '../../semantics/registry/registry.ts';
import { type Policy, policyOf } from '../../semantics/policy.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { isObserved } from '../../semantics/status/observed.ts';
import { objectOf } from '../../semantics/values/read.ts';
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
  /** The only namespace that the cluster shows. Default: it shows all. */
  namespace?: string | undefined;
  /** The policy if neither object nor namespace sets one. */
  policy: Policy;
  /** The compared kinds, each at a served version: an older OpenKruise serves older ones. */
  targets: readonly ServedKind[];
  onFinding(key: TargetKey, finding: Finding): void;
  /** A target that would not be taken over, and the fields for it; called once for each of its generations. */
  onRefused(key: TargetKey, fields: readonly string[]): void;
  onWatchLost(plural: string, error: unknown): void;
  /** A resource that some target needs besides pods and revisions may not be listed. Called once, until it is watched. */
  onForbidden(plural: string, error: ApiError): void;
  /** A resource (its plural) is watched, for the first time or again. */
  onWatched?(plural: string): void;
}

export interface Shadow {
  readonly synced: boolean;
  /** The targets; those of them that would not be taken over; those that need a resource that may not be listed. */
  counts(): { targets: number; refused: number; forbidden: number };
  start(): void;
  stop(): void;
}

/** The plurals of the resources that every comparison requires. */
export function watchedPlurals(targets: readonly ServedKind[]): string[] {
  const common = [resources.Pod, resources.ControllerRevision, resources.Namespace];
  return [...targets.map(({ resource }) => resource), ...common].map(({ plural }) => plural);
}

/** A target without changes for this time is at rest, milliseconds: longer than a controller's reaction or a pod's start takes. */
const REST_MS = 30_000;

interface Tracked {
  record: ShadowRecord;
  comparison: Comparison;
  /** Changes that nothing explains yet, with the pods before each. */
  open: { change: PodChange; pods: readonly Pod[] }[];
  /** The reported findings about the target at rest. */
  reported: Set<string>;
  cancelRest: () => void;
  refused: string;
  /** A resource that it needs may not be listed: it is not compared. */
  forbidden: boolean;
}

/**
 * Compares another controller with these rules: each of its changes with the dry-run decision about the same state, and each
 * target at rest with its expected status. It never writes.
 */
export function createShadow(options: ShadowOptions): Shadow {
  const { clock, policy } = options;
  const tracked = new Map<TargetKey, Tracked>();
  const caches = createShadowCaches({
    ...options,
    onWatched: (plural) => options.onWatched?.(plural),
    onChange: changed,
    onTarget,
    onPod,
    onChangeOfAll() {
      for (const key of tracked.keys()) changed(key);
    },
  });

  /** The decision about a target, with `pods` instead of its own if given; undefined: it is not compared. */
  function decisionAbout(key: TargetKey, one: Tracked, pods?: readonly Pod[]): DryRunDecision | undefined {
    const target = caches.target(key);
    const known = kindOf(key);
    if (target === undefined || known === undefined || target.metadata.deletionTimestamp !== undefined)
      return undefined;
    const kind = rulesFor(known, target);
    // An oversized object is cached only in part, so its target cannot be compared.
    if (caches.isOversized(target, pods)) return undefined;
    const found = caches.objectsOf({ key, kind, target });
    one.forbidden = found !== undefined && 'forbidden' in found;
    if (found === undefined || 'forbidden' in found) return undefined;
    const revisions = caches.revisionsOf(target);
    const observed = { ...found.objects, ...(pods !== undefined && { pods }), target, revisions };
    const which = policyOf(target, caches.namespacesOf(key), policy);
    const result = dryRunDecision(kind, observed, one.record, which, clock.now());
    const refused = result?.refused.join(', ') ?? '';
    if (result !== undefined && refused !== '' && refused !== one.refused)
      options.onRefused(key, result.refused);
    one.refused = refused;
    return refused === '' ? result : undefined;
  }

  function track(key: TargetKey): Tracked {
    const known = tracked.get(key) ?? {
      record: createShadowRecord(),
      comparison: createComparison(controllerName(key)),
      open: [],
      reported: new Set<string>(),
      cancelRest: () => undefined,
      refused: '',
      forbidden: false,
    };
    tracked.set(key, known);
    return known;
  }

  function onTarget({ key, kind, target }: TargetOfKind, gone: boolean): void {
    if (gone) {
      tracked.get(key)?.cancelRest();
      tracked.delete(key);
      return;
    }
    // Starts the watches on demand now: objects that are listed only after a change would be missing in its comparison.
    caches.objectsOf({ key, kind, target });
    changed(key);
  }

  function onPod(key: TargetKey, before: Pod | undefined, after: Pod | undefined): void {
    const target = caches.target(key);
    // Without a watch the order of the changes is unknown.
    if (!caches.synced || target === undefined) return;
    const changes = podChangesBetween(before, after);
    if (changes.length === 0) return;
    const one = before ?? after;
    const rest = caches.podsOf(target).filter((pod) => pod.metadata.name !== one?.metadata.name);
    const pods = before === undefined ? rest : [...rest, before].sort(byName);
    for (const change of changes) judge(key, change, pods);
  }

  function judge(key: TargetKey, change: PodChange, before: readonly Pod[]): void {
    const one = track(key);
    if (!explained(key, one, change, before)) {
      const open = { change, pods: before };
      one.open.push(open);
      clock.after(WINDOW_MS, () => {
        if (!one.open.includes(open)) return;
        one.open = one.open.filter((each) => each !== open);
        const decision = decisionAbout(key, one, before);
        if (decision !== undefined) options.onFinding(key, one.comparison.settle(change, decision));
      });
    }
  }

  function explained(key: TargetKey, one: Tracked, change: PodChange, before: readonly Pod[]): boolean {
    const decision = decisionAbout(key, one, before);
    if (decision === undefined) return true;
    const finding = one.comparison.judge(change, decision, before, clock.now());
    if (finding !== undefined) options.onFinding(key, finding);
    return finding !== undefined;
  }

  /** An object of a target has changed: it may explain an earlier change, and the target is not at rest. */
  function changed(key: TargetKey): void {
    const one = track(key);
    one.open = one.open.filter(({ change, pods }) => !explained(key, one, change, pods));
    restAfter(key, one, REST_MS);
  }

  function restAfter(key: TargetKey, one: Tracked, ms: number): void {
    one.cancelRest();
    one.cancelRest = clock.after(ms, () => atRest(key, one));
  }

  function atRest(key: TargetKey, one: Tracked): void {
    const subject = sentence(controllerName(key));
    const target = caches.target(key);
    if (!caches.synced || target === undefined) {
      restAfter(key, one, REST_MS);
      return;
    }
    const decision = decisionAbout(key, one);
    if (decision === undefined) return;
    const { generation = 0 } = target.metadata;
    const kind = kindOf(key);
    if (kind === undefined) return;
    const texts = !isObserved(kind.facts.status, target)
      ? [`${subject} has not observed generation ${generation}`]
      : [
          ...decision.actions.map(
            (action) =>
              `${subject} has not done: ${action.verb}${action.do === 'create' ? '' : ` ${action.name}`}; it is due because ${action.reason}`,
          ),
          ...statusDifferences(objectOf(target['status']), decision.status, kind),
        ];
    for (const text of texts) {
      const id = `${generation}: ${text}`;
      if (one.reported.has(id)) continue;
      one.reported.add(id);
      options.onFinding(key, { verdict: 'difference', text });
    }
    const { requeueAt } = decision;
    if (requeueAt !== undefined) restAfter(key, one, Math.max(requeueAt - clock.now(), 0) + REST_MS);
  }

  return {
    get synced() {
      return caches.synced;
    },
    counts: () => ({
      targets: tracked.size,
      refused: [...tracked.values()].filter(({ refused }) => refused !== '').length,
      forbidden: [...tracked.values()].filter(({ forbidden }) => forbidden).length,
    }),
    start: caches.start,
    stop() {
      caches.stop();
      for (const { cancelRest } of tracked.values()) cancelRest();
    },
  };
}

function byName(a: KubeObject, b: KubeObject): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
