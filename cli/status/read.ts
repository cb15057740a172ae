import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { ApiError, type Resource } from '../../schemas/wire/cluster.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { HELD_CONDITION } from '../../semantics/plan/held-condition.ts';
import { groupKindOf, isOwnedBy, tupleId } from '../../semantics/owner.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { byText } from '../../compiler/text/order.ts';
import { writtenKind } from '../../compiler/plan/kinds.ts';
import { blockedStateOf } from './blocked-state.ts';
import { trueCondition } from '../../semantics/status/conditions.ts';
import { isObserved } from '../../semantics/status/observed.ts';
import { kindOfTarget } from './target-kind.ts';

/** Reasons of a hold that the server caused by refusing writes to pods. */
const REFUSED = new Set(['FailedCreate', 'FailedUpdate', 'FailedDelete']);

/** Holds that end only with a change in git. */
const HELD_FOR_GIT = new Set(['NoPlan', 'Verdict']);

/** Phases of a finished plan: a hold of its target is about a later change. */
const ENDED = new Set(['Succeeded', 'Reverted', 'Aborted']);

/** The objects from which a status is read. */
export interface StatusObjects {
  targets: readonly KubeObject[];
  plans: readonly KubeObject[];
  pods: readonly KubeObject[];
  events: readonly KubeObject[];
}

/** Whether a rollout has ended, and how. `held`: none can start before a plan or another change is committed. */
export type Verdict = 'done' | 'underway' | 'failed' | 'held';

/** The status of a target and its plan. Counts and texts are those of the API; nothing is computed anew. */
export interface TargetStatus {
  namespace: string;
  kind: string;
  name: string;
  /** Undefined: there is a plan, but not its target. */
  object: KubeObject | undefined;
  /** The active plan, else the newest. */
  plan: RolloutPlan | undefined;
  verdict: Verdict;
  /** The phase of the plan; `Paused` while it is, `Held` if it has ended and a later change is held. */
  phase: string;
  /** The number of the step and of all steps. */
  step: string;
  /** Units on the template of the manifest, of the wanted number; of a run: those on which it has succeeded; of a schedule: ''. */
  updated: string;
  ready: string;
  /** All counts, as a phrase; '': none is known. */
  counts: string;
  waitingOn: string;
  message: string;
  /** When the step is done and when it fails if nothing else happens; '' while its timers are stopped. */
  until: string;
  deadline: string;
}

/** A resource to list, and its part in a status. */
export interface Source {
  part: keyof StatusObjects;
  resource: Resource;
  /** Omit it if it may not be listed or is not served. */
  isOptional: boolean;
}

/** The status of every target, and of every plan without one, sorted by namespace, kind and name. */
export function statusesOf(objects: StatusObjects, digest?: string): TargetStatus[] {
  const plansOf = new Map<string, RolloutPlan[]>();
  for (const object of objects.plans) {
    const plan = object as unknown as RolloutPlan;
    const { target } = plan.spec;
    const key = tupleId(groupKindOf(target), plan.metadata.namespace, target.name);
    plansOf.set(key, [...(plansOf.get(key) ?? []), plan]);
  }
  const found: TargetStatus[] = [];
  for (const object of objects.targets) {
    const { namespace = '', name } = object.metadata;
    const key = tupleId(groupKindOf(object), namespace, name);
    const at = { namespace, kind: writtenKind(groupKindOf(object)), name };
    const status = statusOf(at, object, planToShow(plansOf.get(key) ?? []), digest);
    found.push({ ...status, ...blockedState(status, objects.pods) });
    plansOf.delete(key);
  }
  for (const plans of plansOf.values()) {
    const plan = planToShow(plans);
    if (plan === undefined) continue;
    const { name } = plan.spec.target;
    const kind = writtenKind(groupKindOf(plan.spec.target));
    found.push(statusOf({ namespace: plan.metadata.namespace ?? '', kind, name }, undefined, plan, digest));
  }
  return found.sort(
    (a, b) => byText(a.namespace, b.namespace) || byText(a.kind, b.kind) || byText(a.name, b.name),
  );
}

/** Adds the blocked state of a target without a plan or hold. */
function blockedState(status: TargetStatus, pods: readonly KubeObject[]): Partial<TargetStatus> {
  if (status.plan !== undefined || status.object === undefined || status.message !== '') return {};
  return blockedStateOf(status.object, podsOf(status, pods)) ?? {};
}

function planToShow(plans: readonly RolloutPlan[]): RolloutPlan | undefined {
  const newest = [...plans].sort(
    (a, b) =>
      byText(b.metadata.creationTimestamp ?? '', a.metadata.creationTimestamp ?? '') ||
      byText(a.metadata.name, b.metadata.name),
  );
  return newest.find(({ spec, status }) => status?.digest === spec.digest) ?? newest[0];
}

function statusOf(
  at: { namespace: string; kind: string; name: string },
  object: KubeObject | undefined,
  plan: RolloutPlan | undefined,
  digest: string | undefined,
): TargetStatus {
  const held = heldOf(object);
  const { status } = plan ?? {};
  const verdict = verdictOf(object, plan, held, digest);
  const later = laterHold(plan, held);
  // A refused write matters more than what the plan waits for. A failed rollout explains itself.
  const refused = REFUSED.has(held?.reason ?? '') && verdict !== 'failed' ? held : undefined;
  const why = later ?? refused;
  // If the plan has ended and a later change is held, no step is in progress.
  const running = later === undefined ? status : undefined;
  return {
    ...at,
    object,
    plan,
    verdict,
    phase: later === undefined ? phaseOf(plan) : 'Held',
    step: running?.steps ?? '',
    ...countsOf(object),
    waitingOn: why?.reason ?? running?.waitingOn ?? held?.reason ?? '',
    message: why?.message ?? running?.message ?? held?.message ?? '',
    until: running?.until ?? '',
    deadline: running?.deadline ?? '',
  };
}

/** The phase of a plan, or that it is paused, which is no phase: it is where it was then. */
function phaseOf(plan: RolloutPlan | undefined): string {
  if (plan === undefined) return '';
  return plan.status?.pausedBy === undefined ? (plan.status?.phase ?? 'Pending') : 'Paused';
}

function countsOf(object: KubeObject | undefined): Pick<TargetStatus, 'updated' | 'ready' | 'counts'> {
  if (object?.['status'] === undefined) return { updated: '', ready: '', counts: '' };
  const kind = kindOfTarget(object);
  if (kind.shape === 'Standing') return { updated: '', ready: '', counts: kind.facts.status.summary(object) };
  const counts = kind.facts.status.counts(object);
  switch (counts.of) {
    case 'units': {
      const of = (count: number): string => `${count}/${counts.wanted}`;
      const [updated, ready] = [of(counts.updated), of(counts.ready)];
      return { updated, ready, counts: `${updated} updated, ${ready} ready` };
    }
    case 'run': {
      const { wanted = 0, active, succeeded, failed } = counts;
      const updated = `${succeeded}/${wanted}`;
      return { updated, ready: '', counts: `${updated} succeeded, ${active} active, ${failed} failed` };
    }
    case 'ticks': {
      const last = counts.last === undefined ? 'never scheduled' : `last scheduled at ${counts.last}`;
      return { updated: '', ready: '', counts: `${counts.active} active, ${last}` };
    }
  }
}

/** The phase of a target, or what stands in its place where there is no plan. */
export function shownPhase({ phase, object }: TargetStatus): string {
  if (phase !== '') return phase;
  return object !== undefined && kindOfTarget(object).shape === 'Standing' ? 'reconciled at once' : 'no plan';
}

/** The condition with the reason why a target waits. */
export function heldOf(object: KubeObject | undefined): Condition | undefined {
  return object && trueCondition(object, HELD_CONDITION);
}

/** The hold of a change after the plan has ended; undefined if there is no hold, or it is about the plan itself. */
function laterHold(plan: RolloutPlan | undefined, held: Condition | undefined): Condition | undefined {
  const phase = plan?.status?.phase ?? '';
  return ENDED.has(phase) && held?.reason !== phase && held?.reason !== 'Bound' ? held : undefined;
}

/**
 * How a rollout has ended, by the conditions that the runtime wrote for the current generations of target and plan.
 *
 * @param digest the requested plan; the outcome of other plans does not count
 */
function verdictOf(
  object: KubeObject | undefined,
  plan: RolloutPlan | undefined,
  held: Condition | undefined,
  digest: string | undefined,
): Verdict {
  if (digest !== undefined && (plan?.spec.digest !== digest || plan.status?.digest !== digest))
    return 'underway';
  if (plan !== undefined) {
    const { metadata, status } = plan;
    if (status?.observedGeneration !== metadata.generation) return 'underway';
    const is = (type: string): boolean =>
      status?.conditions?.some((each) => each.type === type && each.status === 'True') === true;
    const isLater = laterHold(plan, held) !== undefined;
    if (is('Stalled') && !isLater) return 'failed';
    // A plan that waits for somebody else, or for a time, is Ready for those who sync it.
    const isOver = is('Ready') && ENDED.has(status?.phase ?? '');
    if (!isOver && !isLater) return 'underway';
  }
  if (object === undefined) return 'underway';
  const facts = kindOfTarget(object).facts.status;
  if (!isObserved(facts, object)) return 'underway';
  if (held !== undefined && HELD_FOR_GIT.has(held.reason ?? '')) return 'held';
  if (held !== undefined && held.reason !== 'Bound') return 'underway';
  return plan === undefined ? facts.outcome(object) : 'done';
}

/** The selectors of the pods of targets without a plan that are in progress: these may show why. */
export function selectorsWithoutPlan(
  statuses: readonly TargetStatus[],
): { namespace: string; labelSelector: string }[] {
  return statuses.flatMap(({ plan, object, verdict, namespace }) => {
    if (plan !== undefined || object === undefined || verdict !== 'underway') return [];
    const kind = kindOfTarget(object);
    if (kind.shape === 'Standing') return [];
    const labelSelector = kind.facts.status.podSelector(object);
    return labelSelector === undefined ? [] : [{ namespace, labelSelector }];
  });
}

/** The pods that the target controls. */
export function podsOf({ object }: TargetStatus, pods: readonly KubeObject[]): Pod[] {
  return object === undefined ? [] : (pods.filter((pod) => isOwnedBy(pod, object)) as Pod[]);
}

/** An Event about the target or its plan. */
export interface EventSummary {
  at: string;
  reason: string;
  message: string;
  count: number;
}

/** The Events about a target and its plan, newest first. */
export function eventsOf(
  { namespace, kind, name, plan }: TargetStatus,
  events: readonly KubeObject[],
): EventSummary[] {
  const about = new Set([`${kind}/${name}`, `${plan?.kind ?? ''}/${plan?.metadata.name ?? ''}`]);
  return events
    .filter((event) => {
      const on = (event['involvedObject'] ?? {}) as {
        apiVersion?: string;
        kind?: string;
        name?: string;
        namespace?: string;
      };
      const of = writtenKind(groupKindOf({ apiVersion: on.apiVersion ?? '', kind: on.kind ?? '' }));
      return (on.namespace ?? '') === namespace && about.has(`${of}/${on.name}`);
    })
    .map((event) => ({
      at:
        textIn(event, 'lastTimestamp') ||
        textIn(event, 'eventTime') ||
        event.metadata.creationTimestamp ||
        '',
      reason: textIn(event, 'reason'),
      message: textIn(event, 'message'),
      count: typeof event['count'] === 'number' ? event['count'] : 1,
    }))
    .sort((a, b) => byText(b.at, a.at) || byText(a.reason, b.reason) || byText(a.message, b.message));
}

function textIn(object: KubeObject, field: string): string {
  const value = object[field];
  return typeof value === 'string' ? value : '';
}

/** Whether an error means that listing is forbidden. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status.code === 403;
}
