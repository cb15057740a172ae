import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { ApiError, type Resource } from '../../schemas/wire/cluster.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { HELD_CONDITION } from '../../semantics/plan/held.ts';
import { groupKindOf, isOwnedBy, tupleId } from '../../semantics/owner.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { byText } from '../../compiler/text/order.ts';
import { writtenKind } from '../../compiler/plan/kinds.ts';
import { blockedStateOf } from './blocked-state.ts';
import { manifestOf, type TargetObject } from './target-object.ts';

/** Reasons for which a target is held because the server refuses a write to its pods for good. */
const REFUSED = new Set(['FailedCreate', 'FailedUpdate', 'FailedDelete']);

/** Holds that end only when somebody commits something. */
const HELD_FOR_GIT = new Set(['NoPlan', 'Verdict']);

/** Phases in which a plan has nothing left to do: what the target waits for is about a later change. */
const ENDED = new Set(['Succeeded', 'Reverted', 'Aborted']);

/** What a status is read from, as the API shows it. */
export interface StatusObjects {
  targets: readonly KubeObject[];
  plans: readonly KubeObject[];
  pods: readonly KubeObject[];
  events: readonly KubeObject[];
}

/** Whether a rollout has ended, and how; `held`: none can begin until somebody commits a plan, or another change. */
export type Verdict = 'done' | 'underway' | 'failed' | 'held';

/** A target and its plan, for a person. Counts and words are the ones in the API; nothing is judged anew. */
export interface TargetStatus {
  namespace: string;
  kind: string;
  name: string;
  /** Undefined: a plan is there, and its target is not. */
  object: TargetObject | undefined;
  /** Of several the one in force, else the newest. */
  plan: RolloutPlan | undefined;
  verdict: Verdict;
  /** The phase of the plan; `Held` where that has ended and a later change is held. */
  phase: string;
  /** Number of the step and of all. */
  step: string;
  /** Pods on the template of the manifest, of the wanted ones. */
  updated: string;
  ready: string;
  waitingOn: string;
  message: string;
  /** When the step is done, and when it fails, if nothing happens meanwhile; '' while its clocks stand. */
  until: string;
  deadline: string;
}

/** A resource that is listed, and what of a status it is. */
export interface Source {
  part: keyof StatusObjects;
  resource: Resource;
  /** What may not be seen, or is not served, is left out. */
  isOptional: boolean;
}

/** Every target, and every plan without one, by namespace, kind and name. */
export function statusesOf(seen: StatusObjects, digest?: string): TargetStatus[] {
  const plansOf = new Map<string, RolloutPlan[]>();
  for (const object of seen.plans) {
    const plan = object as unknown as RolloutPlan;
    const { target } = plan.spec;
    const key = tupleId(groupKindOf(target), plan.metadata.namespace, target.name);
    plansOf.set(key, [...(plansOf.get(key) ?? []), plan]);
  }
  const found: TargetStatus[] = [];
  for (const object of seen.targets) {
    const { namespace = '', name } = object.metadata;
    const key = tupleId(groupKindOf(object), namespace, name);
    const at = { namespace, kind: writtenKind(groupKindOf(object)), name };
    const status = statusOf(at, object, planToShow(plansOf.get(key) ?? []), digest);
    found.push({ ...status, ...standing(status, seen.pods) });
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

/** What is said of a target that nothing holds back and no plan leads, where it does not get on. */
function standing(status: TargetStatus, pods: readonly KubeObject[]): Partial<TargetStatus> {
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
  object: TargetObject | undefined,
  plan: RolloutPlan | undefined,
  digest: string | undefined,
): TargetStatus {
  const held = heldOf(object);
  const { status } = plan ?? {};
  const wanted = object === undefined ? undefined : (manifestOf(object)?.replicas ?? 0);
  const counts = object?.status;
  const of = (count: number | undefined): string =>
    counts === undefined || wanted === undefined ? '' : `${count ?? 0}/${wanted}`;
  const verdict = verdictOf(object, plan, held, digest);
  const later = laterHold(plan, held);
  // What the server will not do stays undone, whatever a plan waits for; a rollout that failed says itself why.
  const refused = REFUSED.has(held?.reason ?? '') && verdict !== 'failed' ? held : undefined;
  const why = later ?? refused;
  // Of a plan that has ended, while a later change is held, nothing is under way.
  const running = later === undefined ? status : undefined;
  return {
    ...at,
    object,
    plan,
    verdict,
    phase: later === undefined ? (status?.phase ?? (plan === undefined ? '' : 'Pending')) : 'Held',
    step: running?.steps ?? '',
    updated: of(counts?.updatedReplicas),
    ready: of(counts?.readyReplicas),
    waitingOn: why?.reason ?? running?.waitingOn ?? held?.reason ?? '',
    message: why?.message ?? running?.message ?? held?.message ?? '',
    until: running?.until ?? '',
    deadline: running?.deadline ?? '',
  };
}

/** The condition that tells why a target waits. */
function heldOf(object: TargetObject | undefined): Condition | undefined {
  return object?.status?.conditions?.find(({ type, status }) => type === HELD_CONDITION && status === 'True');
}

/** The hold of a change that came after the plan has ended; undefined: the hold is about what the plan did, or none is. */
function laterHold(plan: RolloutPlan | undefined, held: Condition | undefined): Condition | undefined {
  const phase = plan?.status?.phase ?? '';
  return ENDED.has(phase) && held?.reason !== phase && held?.reason !== 'Bound' ? held : undefined;
}

/**
 * How it ended, by the conditions that the runtime wrote about the present generation of both objects.
 *
 * @param digest the plan that is meant; what others came to does not count then
 */
function verdictOf(
  object: TargetObject | undefined,
  plan: RolloutPlan | undefined,
  held: Condition | undefined,
  digest: string | undefined,
): Verdict {
  if (digest !== undefined && (plan?.spec.digest !== digest || plan.status?.digest !== digest))
    return 'underway';
  if (plan !== undefined) {
    const { metadata, status } = plan;
    if (status?.observedGeneration !== metadata.generation) return 'underway';
    const is = (type: string, reason?: string): boolean =>
      status?.conditions?.some(
        (each) =>
          each.type === type && each.status === 'True' && (reason === undefined || each.reason === reason),
      ) === true;
    const isLater = laterHold(plan, held) !== undefined;
    if (is('Stalled') && !isLater) return 'failed';
    if ((!is('Ready') && !isLater) || is('Ready', 'AwaitingApproval')) return 'underway';
  }
  if (object === undefined) return 'underway';
  const { metadata, status } = object;
  if (status?.observedGeneration !== metadata.generation) return 'underway';
  if (held !== undefined && HELD_FOR_GIT.has(held.reason ?? '')) return 'held';
  if (held !== undefined && held.reason !== 'Bound') return 'underway';
  if (plan !== undefined) return 'done';
  const wanted = manifestOf(object)?.replicas ?? 0;
  const updated = status?.updatedAvailableReplicas ?? 0;
  const isComplete = updated >= (status?.expectedUpdatedReplicas ?? wanted);
  return isComplete && (status?.availableReplicas ?? 0) >= wanted ? 'done' : 'underway';
}

/** The targets whose pods may tell why they do not get on, where that was not listed. */
export function withoutLease(statuses: readonly TargetStatus[]): TargetStatus[] {
  return statuses.filter(
    ({ plan, object, verdict }) =>
      plan === undefined && verdict === 'underway' && object?.status?.labelSelector !== undefined,
  );
}

/** The pods that the target controls. */
export function podsOf({ object }: TargetStatus, pods: readonly KubeObject[]): Pod[] {
  return object === undefined ? [] : (pods.filter((pod) => isOwnedBy(pod, object)) as Pod[]);
}

/** What happened to the target and its plan, newest first. */
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

/** Whether an Event may not be seen: the rest of a status is worth showing without. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status.code === 403;
}
