import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { heldCondition, timed } from '../conditions/times.ts';
import type { Action, Decision, EventDraft } from '../decision.ts';
import type { ObservedObjects, WhileHeld } from '../kinds/kind.ts';
import { groupKindOf } from '../owner.ts';
import { UNCLAIMED_MS } from '../pod/gated.ts';
import type { Pod } from '../pod/types.ts';
import { listOf, objectOf } from '../values/read.ts';
import { cutForeign } from '../values/text.ts';
import { timeOf } from '../values/timestamp.ts';
import { membersOf } from './members.ts';
import { type NormalSpread, normalizeSpread } from './normalize.ts';
import { isOfOther, olderPods, recordOlder } from './older.ts';
import { costIn, costWrites, readsCosts } from './costs.ts';
import { isGated, lift } from './gated.ts';
import { missedCondition } from './missed.ts';
import type { Overdue } from './on-record.ts';
import { placements } from './placements.ts';
import { isCustomKind, spreadResource } from './resource.ts';
import { judgeSubset, type Schedulable } from './schedulable.ts';
import { workloadSize } from './size.ts';
import { statusOf, type SubsetStatus, versionedStatuses } from './statuses.ts';
import { olderVersions, versionOf } from './versions.ts';

/** The status of a WorkloadSpread. */
export interface SpreadStatus {
  observedGeneration: number;
  subsetStatuses: SubsetStatus[];
  versionedSubsetStatuses: Record<string, SubsetStatus[]>;
  conditions?: Condition[];
}

type Observed = Pick<
  ObservedObjects,
  'target' | 'pods' | 'configs' | 'isLatest' | 'nodes' | 'refusedPods' | 'now'
>;

/**
 * Counts the pods of each subset, puts those on record that are older, and deletes those that get no node in theirs (OpenKruise
 * workloadspread, rules 6.4 to 6.7). New pods have their subset from the decision that creates them.
 *
 * @param held why the target is held, for its condition
 */
export function decideSpread(
  { target, pods, configs = [], isLatest = true, nodes, refusedPods, now }: Observed,
  held: { reason: string; message: string } | undefined,
): Decision<SpreadStatus> {
  const spread = normalizeSpread(target);
  const owner = ownerIn(configs, spread);
  const others = configs.filter(
    (each) => groupKindOf(each).kind === spreadResource.kind && each.metadata.name !== target.metadata.name,
  );
  const size = workloadSize(owner, spread);
  const assigned = olderPods(target, pods, { nodes, others, size });
  const { bySubset } = membersOf(target, pods, assigned);
  const last = spread.subsets.length - 1;
  const judged = spread.subsets.map((subset, index) =>
    judge(
      target,
      spread,
      { name: subset.name, isLast: index === last, pods: bySubset.get(subset.name) },
      now,
    ),
  );
  const statuses = spread.subsets.map((subset, index) =>
    statusOf(subset, bySubset.get(subset.name)?.length ?? 0, size, judged[index]),
  );
  const isOwnerKnown = owner !== undefined && isLatest;
  const placed = placements(target, { pods, size, isOwnerKnown, refused: refusedPods, assigned, now });
  const older = olderVersions(owner, configs);
  const unclaimed = others.length === 0 ? pods : pods.filter((pod) => !isOfOther(pod, others));
  const again = [
    ...judged.flatMap((each) => each?.again ?? []),
    ...(placed.again === undefined ? [] : [placed.again]),
  ];
  return {
    actions: [
      ...placed.ready.map(({ pod, subset, without }) => {
        const isOlder = older.has(versionOf(spread, pod));
        const cost =
          subset !== undefined && readsCosts(spread) ? costIn(spread, subset.name, isOlder) : undefined;
        const at = spread.rescheduleSeconds === undefined ? undefined : now;
        return lift(target, owner, { pod, subset, cost, without, at });
      }),
      ...(owner === undefined && !isCustomKind(spread.target)
        ? []
        : recordOlder(target, owner, pods, assigned)),
      ...(owner === undefined ? [] : costWrites(target, owner, unclaimed, { older, assigned })),
      ...judged.flatMap((each) => (each?.failed ?? []).map((pod) => moved(target, pod))),
    ],
    explanations: [],
    events: [
      ...spread.subsets.flatMap(({ name }, index) => recovered(name, judged[index])),
      ...overdueEvents(placed.overdue),
    ],
    status: {
      observedGeneration: target.metadata.generation ?? 0,
      subsetStatuses: statuses,
      versionedSubsetStatuses: versionedStatuses(
        spread,
        statuses,
        { placed, size, bySubset },
        (own) => membersOf(target, own, assigned).bySubset,
      ),
      ...conditionsOf(target, [heldCondition(held), missedCondition(target, unclaimed)], now),
    },
    ...(again.length > 0 && { requeueAt: Math.min(...again) }),
  };
}

/** The writes that let pods go which have waited too long for a WorkloadSpread that no rule executes: git may mend it until then. */
export function lettingGo({
  target,
  pods,
  now,
}: Pick<ObservedObjects, 'target' | 'pods' | 'now'>): WhileHeld {
  const dueAt = ({ metadata }: Pod): number => timeOf(metadata.creationTimestamp) + UNCLAIMED_MS;
  const waiting = pods.filter((pod) => isGated(pod) && dueAt(pod) > now).map(dueAt);
  return {
    actions: released({ target, pods: pods.filter((pod) => dueAt(pod) <= now) }),
    again: waiting.length === 0 ? undefined : Math.min(...waiting),
    status: {},
  };
}

/** The writes that let all waiting pods of a WorkloadSpread go that goes itself. */
export function released({ target, pods }: Pick<ObservedObjects, 'target' | 'pods'>): Action[] {
  return pods
    .filter(isGated)
    .map((pod) => lift(target, undefined, { pod, subset: undefined, cost: undefined }));
}

/** The target of a WorkloadSpread among objects of its namespace; undefined: it does not exist, or is being deleted. */
export function ownerIn(configs: readonly KubeObject[], { target }: NormalSpread): KubeObject | undefined {
  return configs.find((each) => {
    const { group, kind } = groupKindOf(each);
    const { name, deletionTimestamp } = each.metadata;
    return (
      group === target.group &&
      kind === target.kind &&
      name === target.name &&
      deletionTimestamp === undefined
    );
  });
}

function judge(
  object: KubeObject,
  { rescheduleSeconds }: NormalSpread,
  { name, isLast, pods = [] }: { name: string; isLast: boolean; pods: readonly Pod[] | undefined },
  now: number,
): Schedulable | undefined {
  if (rescheduleSeconds === undefined) return undefined;
  return judgeSubset(object, { name, isLast, pods, seconds: rescheduleSeconds }, now);
}

/** A pod that its target makes anew, in another subset. */
function moved({ metadata }: KubeObject, pod: Pod): Action {
  const { name, uid = '', resourceVersion = '' } = pod.metadata;
  const reason = `it has no node in its subset of WorkloadSpread ${metadata.name}`;
  return { do: 'delete', kind: 'Pod', verb: 'reschedule', name, uid, resourceVersion, reason };
}

function recovered(subset: string, judged: Schedulable | undefined): EventDraft[] {
  if (judged?.hasRecovered !== true) return [];
  const message = `subset ${subset} takes new pods again`;
  return [{ type: 'Normal', reason: 'RecoverSchedulable', message }];
}

/** Pods that have not come or gone in time, in one Event a subset: a webhook may have let many pass that others refused. */
function overdueEvents(overdue: readonly Overdue[]): EventDraft[] {
  const found = new Map<string, { each: Overdue; count: number }>();
  for (const each of overdue) {
    const key = `${each.what} ${each.subset}`;
    found.set(key, { each: found.get(key)?.each ?? each, count: (found.get(key)?.count ?? 0) + 1 });
  }
  return [...found.values()].map(({ each: { what, id, subset }, count }) => {
    const others = count === 1 ? '' : ` and ${count - 1} more`;
    return what === 'create'
      ? {
          type: 'Warning',
          reason: 'CreatePodFailed',
          message: `pod ${cutForeign(id)}${others} of subset ${subset} did not come in time: its place is free again`,
        }
      : {
          type: 'Warning',
          reason: 'DeletePodFailed',
          message: `pod ${cutForeign(id)}${others} of subset ${subset} did not go in time: it has its place again`,
        };
  });
}

function conditionsOf(
  { status }: KubeObject,
  own: readonly (Condition | undefined)[],
  now: number,
): Pick<SpreadStatus, 'conditions'> {
  const before = listOf(objectOf(status)['conditions']) as unknown as Condition[];
  const conditions = timed(own, before, now);
  return conditions.length === 0 ? {} : { conditions };
}
