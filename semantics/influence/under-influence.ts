import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Action, Decision, Explanation, ReserveAction } from '../decision.ts';
import { type WaitingUnit, withinLimits } from '../limits/disruption.ts';
import { type LastRefused, writeBatch } from '../limits/write-batch.ts';
import type { NodeLabels } from '../pod/nodes.ts';
import type { Pod } from '../pod/types.ts';
import { objectOf } from '../values/read.ts';
import { type Candidate, candidatesOf, type Disrupted, disruptedBy, influencesOn } from './candidates.ts';
import { patchedCreates } from './created.ts';
import { disruptingOf } from './disrupting.ts';
import type { ActiveInfluence, GuardPatch, Influences, ToRecord } from './influence.ts';

/** What acts on the decisions about a target, and on what. */
export interface InfluenceInput {
  influences: Influences;
  target: KubeObject;
  /** The pods that the target controls or selects. */
  pods: readonly Pod[];
  /** Undefined: nobody may read them. */
  nodes: NodeLabels | undefined;
  /** Milliseconds since 1970. */
  now: number;
  /** Which writes come last where one reconcile does not execute all. Default: none was refused. */
  lastRefused?: LastRefused;
  /** Since when pods of the target have waited for a slot, milliseconds since 1970; 0: its status says so already. Default: since now. */
  waitsSince?: number | undefined;
}

/** Why the target is not as its manifest wants it, and what to do. */
interface Held {
  reason: string;
  message: string;
}

/** A decision under all influences. */
export interface Influenced<Status> {
  decision: Decision<Status>;
  held: Held | undefined;
  /** The objects without a free slot that pods wait for, and the PodDisruptionBudgets whose counts say so. */
  waitsFor: readonly KubeObject[];
  /** Why the first pod waits, as a clause, where none may become unavailable now; undefined: some may, or none is to. */
  limitedBy: string | undefined;
  /** Actions are left out that have free slots: one reconcile does not write so many, and takes no slots for them. */
  isPart: boolean;
}

/**
 * The decision about a target as the objects let it be that influence its pods: actions that may make pods unavailable only as far
 * as there are slots, and new pods as these objects want them. What is reserved for that comes first, in one write of each object.
 * Without influences it is the decision itself.
 *
 * @param held why the target is held, without influences
 * @param decide the decision with this reason in its status; pure, and of the same actions with any reason
 */
export function underInfluence<Status>(
  input: InfluenceInput | undefined,
  held: Held | undefined,
  decide: (held: Held | undefined) => Decision<Status>,
): Influenced<Status> {
  const decided = decide(held);
  const free = { held, waitsFor: [], limitedBy: undefined, isPart: false };
  if (input === undefined) return { ...free, decision: decided };
  const disrupted = disruptedBy(decided.actions, input.pods);
  const influences = influencesOn(input.influences, disrupted, decided.actions);
  if (influences.length === 0) return { ...free, decision: decided };
  const { actions, later, waiting, isStopped, isPart } = influenced(
    { ...input, influences, disrupted },
    decided.actions,
  );
  const decision = later.length === 0 ? decided : withLater(decided, later, input.now);
  const [first] = waiting;
  if (first === undefined) return { ...free, decision: { ...decision, actions }, isPart };
  const { now, waitsSince = now } = input;
  const shownAt = waitsSince + SHOWN_AFTER_MS;
  const waits = {
    actions,
    explanations: [...decision.explanations, ...waiting.map(({ explanation }) => explanation)],
    requeueAt: Math.min(decision.requeueAt ?? Infinity, shownAt > now ? shownAt : now + AGAIN_MS),
  };
  const waitsFor = [...new Set(waiting.flatMap(({ objects }) => objects))];
  // As long as some pod may be changed, the target is on its way.
  const limitedBy = isStopped ? first.reason : undefined;
  if (held !== undefined || !isStopped || shownAt > now)
    return { decision: { ...decision, ...waits }, held, waitsFor, limitedBy, isPart };
  const shown = notAllowed(waiting.length, first.reason);
  return { decision: { ...decide(shown), ...waits }, held: shown, waitsFor, limitedBy, isPart };
}

/** The decision with why some pods are not created yet. */
function withLater<Status>(
  decision: Decision<Status>,
  later: readonly Explanation[],
  now: number,
): Decision<Status> {
  return {
    ...decision,
    explanations: [...decision.explanations, ...later],
    requeueAt: Math.min(decision.requeueAt ?? Infinity, now + LATER_MS),
  };
}

/** Milliseconds after which pods are decided on again that are created later. */
const LATER_MS = 1_000;

/** Milliseconds after which pods that wait for a slot are decided on again: of what frees one, not every change is observed. */
const AGAIN_MS = 10_000;

/**
 * How long pods wait before the target says that it is held, milliseconds. Between two parts of an update the slots are counted again:
 * whoever said so each time would write its status twice more, and be reconciled for each.
 */
const SHOWN_AFTER_MS = 1_000;
/** Why a target is held of which no pod may become unavailable. */
export const NOT_ALLOWED = 'DisruptionNotAllowed';

function notAllowed(pods: number, reason: string): Held {
  const which = pods === 1 ? '1 pod' : `${pods} pods`;
  return {
    reason: NOT_ALLOWED,
    message: `${which} may not become unavailable now: ${reason}`,
  };
}

/** A pod that waits for a slot. */
interface WaitingPod {
  explanation: Explanation;
  /** As a clause. */
  reason: string;
  /** The objects that act on it, and what their limits go by. */
  objects: readonly KubeObject[];
}

/** What a decision is limited by. */
interface Limiting extends Omit<InfluenceInput, 'influences'> {
  influences: readonly ActiveInfluence[];
  disrupted: readonly Disrupted[];
}

/** An object whose rules end in an error is asked no further: the decision is made anew with what stands for it. */
function influenced(
  input: Limiting,
  decided: readonly Action[],
): { actions: Action[]; later: Explanation[]; waiting: WaitingPod[]; isStopped: boolean; isPart: boolean } {
  const candidates = new Map(candidatesOf(input).map((each) => [each.action, each]));
  const { free, waiting } = withinLimits([...candidates.values()], {
    nameOf: ({ pod }) => pod.metadata.name,
    isReserved: () => false,
    limitsOf: ({ takes }) => [...takes.values()],
  });
  const stays = new Set<Action>(waiting.map(({ unit }) => unit.action));
  const batch = new Set(
    writeBatch(
      decided.filter((action) => !stays.has(action)),
      input.pods.length,
      input.lastRefused,
    ),
  );
  const taking = free.filter(({ action }) => batch.has(action));
  const isPart = taking.length < free.length;
  for (const { action } of free) if (!batch.has(action)) stays.add(action);
  const { target, influences: all, pods, nodes } = input;
  const creates = patchedCreates({ target, influences: all, present: { pods, nodes } }, decided);
  for (const action of creates.later.keys()) stays.add(action);
  const failed = new Map(creates.failed);
  const firsts = firstWaiting(waiting);
  const raises: ReserveAction[] = [];
  const reserves = new Map<ActiveInfluence, ReserveAction>();
  for (const influence of input.influences) {
    const done: ToRecord = {
      disrupted: taking.flatMap(({ takes, pod, how }) => (takes.has(influence) ? [{ pod, how }] : [])),
      created: creates.recorded.get(influence) ?? [],
    };
    try {
      const claimed =
        done.disrupted.length === 0 ? claim(influence, firsts.get(influence), input.pods) : undefined;
      if (claimed !== undefined) raises.push(claimed);
      if (done.disrupted.length + done.created.length === 0) continue;
      const raised = raise(influence, done);
      if (raised !== undefined) raises.push(raised);
      reserves.set(influence, reserve(influence, done, raised));
    } catch (error) {
      failed.set(influence, error);
    }
  }
  if (failed.size > 0) {
    const influences = input.influences.map((each) =>
      failed.has(each) ? each.failed(failed.get(each)) : each,
    );
    return influenced({ ...input, influences }, decided);
  }
  const requiring = (action: Action, of: Iterable<ActiveInfluence>): Action => {
    const requires = [...of].flatMap((influence) => reserves.get(influence) ?? []);
    return requires.length === 0 ? action : { ...action, requires };
  };
  const actions = decided
    .filter((action) => !stays.has(action))
    .map((action) => {
      const created = creates.byAction.get(action);
      return created === undefined
        ? requiring(action, candidates.get(action)?.takes.keys() ?? [])
        : requiring(created.action, created.recordedBy);
    });
  return {
    actions: [...raises, ...reserves.values(), ...actions],
    later: [...creates.later.values()].map(({ name, reason }) => ({
      about: name,
      reason: `waits: ${reason}`,
    })),
    waiting: waiting.map(({ unit: { pod, takes }, reason }) => ({
      explanation: { about: pod.metadata.name, reason: `waits: ${reason}` },
      reason,
      objects: [...takes].flatMap(([{ object }, { guard }]) =>
        guard === undefined ? [object] : [object, guard],
      ),
    })),
    isStopped: !isPart && !actions.some((action) => disruptingOf(action) !== undefined),
    isPart,
  };
}

/** The first pod that waits for each object alone: one that waits for another, too, would keep the slot from evictions without a use. */
function firstWaiting(waiting: readonly WaitingUnit<Candidate>[]): ReadonlyMap<ActiveInfluence, Pod> {
  const firsts = new Map<ActiveInfluence, Pod>();
  for (const { unit, full } of waiting)
    if (full.length === 1)
      for (const [influence, limit] of unit.takes)
        if (limit === full[0] && !firsts.has(influence)) firsts.set(influence, unit.pod);
  return firsts;
}

/** One write for all that a decision is about to do to the pods of an object, on the version that it was decided on. */
function reserve(
  influence: ActiveInfluence,
  done: ToRecord,
  raised: ReserveAction | undefined,
): ReserveAction {
  const { resource, object } = influence;
  const pods = [...done.disrupted.map(({ pod }) => pod), ...done.created];
  return {
    ...reservation(object, influence.record(done), pods),
    resource,
    verb: 'reserve',
    subresource: 'status',
    ...(raised !== undefined && { requires: [raised] }),
  };
}

/** Evictions are limited first: one in between would find a slot that is taken a moment later. */
function raise(influence: ActiveInfluence, done: ToRecord): ReserveAction | undefined {
  if (done.disrupted.length === 0) return undefined;
  const raised = influence.raise(done);
  if (raised === undefined) return undefined;
  return guarding(
    raised,
    done.disrupted.map(({ pod }) => pod),
  );
}

/** The next slot is kept for a pod that waits. It is not used in this reconcile, and nothing requires it. */
function claim(
  influence: ActiveInfluence,
  pod: Pod | undefined,
  pods: readonly Pod[],
): ReserveAction | undefined {
  const claimed = pod && influence.claim(pod, pods);
  return pod && claimed && guarding(claimed, [pod]);
}

function guarding({ guard, body }: GuardPatch, pods: readonly Pod[]): ReserveAction {
  return {
    ...reservation(guard, body, pods),
    resource: resources.PodDisruptionBudget,
    verb: 'limit evictions',
    subresource: undefined,
  };
}

/** A write of the version that was decided on. */
function reservation(
  object: KubeObject,
  body: JsonObject,
  pods: readonly KubeObject[],
): Pick<ReserveAction, 'do' | 'kind' | 'name' | 'namespace' | 'body' | 'reason'> {
  const { name, namespace, uid = '', resourceVersion = '' } = object.metadata;
  return {
    do: 'reserve',
    kind: 'Influence',
    name,
    ...(namespace !== undefined && { namespace }),
    body: { ...body, metadata: { ...objectOf(body['metadata']), uid, resourceVersion } },
    reason: `for ${shownNames(pods.map((pod) => pod.metadata.name))}`,
  };
}

/** One decision may reserve for hundreds of pods, and a log has a line for it. */
const MOST_SHOWN = 10;

function shownNames(names: readonly string[]): string {
  const others = names.length - MOST_SHOWN;
  if (others <= 0) return names.join(', ');
  return `${names.slice(0, MOST_SHOWN).join(', ')} and ${others} more`;
}
