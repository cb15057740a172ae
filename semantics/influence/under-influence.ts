import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action, Decision, Explanation, ReserveAction } from '../decision.ts';
import { withinLimits } from '../limits/disruption.ts';
import type { Pod } from '../pod/types.ts';
import { patchedCreates } from './created.ts';
import { type Disrupting, disruptingOf } from './disrupting.ts';
import type { ActiveInfluence, ToRecord } from './influence.ts';

/** What acts on the decisions about a target, and on what. */
export interface InfluenceInput {
  influences: readonly ActiveInfluence[];
  target: KubeObject;
  /** The pods that the target controls or selects. */
  pods: readonly Pod[];
  /** Milliseconds since 1970. */
  now: number;
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
  /** The objects without a free slot that pods wait for. */
  waitsFor: readonly KubeObject[];
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
  const decision = decide(held);
  if (input === undefined || input.influences.length === 0) return { decision, held, waitsFor: [] };
  const { actions, waiting, isStopped } = influenced(input, decision.actions);
  const [first] = waiting;
  if (first === undefined) return { decision: { ...decision, actions }, held, waitsFor: [] };
  const waits = {
    actions,
    explanations: [...decision.explanations, ...waiting.map(({ explanation }) => explanation)],
    requeueAt: Math.min(decision.requeueAt ?? Infinity, input.now + AGAIN_MS),
  };
  const waitsFor = [...new Set(waiting.flatMap(({ objects }) => objects))];
  // As long as some pod may be changed, the target is on its way.
  if (held !== undefined || !isStopped) return { decision: { ...decision, ...waits }, held, waitsFor };
  const shown = notAllowed(waiting.length, first.reason);
  return { decision: { ...decide(shown), ...waits }, held: shown, waitsFor };
}

/** Milliseconds after which pods that wait for a slot are decided on again: of what frees one, not every change is observed. */
const AGAIN_MS = 10_000;

function notAllowed(pods: number, reason: string): Held {
  const which = pods === 1 ? '1 pod' : `${pods} pods`;
  return {
    reason: 'DisruptionNotAllowed',
    message: `${which} may not become unavailable now: ${reason}`,
  };
}

/** A pod that waits for a slot. */
interface WaitingPod {
  explanation: Explanation;
  /** As a clause. */
  reason: string;
  /** The objects that act on it. */
  objects: readonly KubeObject[];
}

/** An action with the objects of which it takes a slot. */
interface Candidate extends Disrupting {
  action: Action;
  pod: Pod;
  takes: readonly ActiveInfluence[];
}

function influenced(
  input: InfluenceInput,
  decided: readonly Action[],
): { actions: Action[]; waiting: WaitingPod[]; isStopped: boolean } {
  const candidates = new Map(candidatesOf(input, decided).map((each) => [each.action, each]));
  const { free, waiting } = withinLimits([...candidates.values()], {
    isReserved: () => false,
    limitsOf: ({ takes }) => takes.flatMap(({ slots }) => slots?.limit ?? []),
  });
  const stays = new Set(waiting.map(({ unit }) => unit.action));
  const creates = patchedCreates(input, decided);
  const reserves = new Map<ActiveInfluence, ReserveAction>();
  for (const influence of input.influences) {
    const done: ToRecord = {
      disrupted: free.flatMap(({ takes, pod }) => (takes.includes(influence) ? [pod] : [])),
      created: creates.recorded.get(influence) ?? [],
    };
    if (done.disrupted.length + done.created.length > 0)
      reserves.set(influence, reserve(influence, done, input.now));
  }
  const requiring = (action: Action, of: readonly ActiveInfluence[]): Action => {
    const requires = of.flatMap((influence) => reserves.get(influence) ?? []);
    return requires.length === 0 ? action : { ...action, requires };
  };
  const actions = decided
    .filter((action) => !stays.has(action))
    .map((action) => {
      const created = creates.byAction.get(action);
      return created === undefined
        ? requiring(action, candidates.get(action)?.takes ?? [])
        : requiring(created.action, created.recordedBy);
    });
  return {
    actions: [...reserves.values(), ...actions],
    waiting: waiting.map(({ unit: { pod, takes }, reason }) => ({
      explanation: { about: pod.metadata.name, reason: `waits: ${reason}` },
      reason,
      objects: takes.map(({ object }) => object),
    })),
    isStopped: !actions.some((action) => disruptingOf(action) !== undefined),
  };
}

/** The actions that may make a pod unavailable for which an object has a slot to give. */
function candidatesOf({ influences, pods }: InfluenceInput, actions: readonly Action[]): Candidate[] {
  let byUid: ReadonlyMap<string, Pod> | undefined;
  const limiting = influences.filter(({ slots }) => slots !== undefined);
  if (limiting.length === 0) return [];
  return actions.flatMap((action) => {
    const disrupting = disruptingOf(action);
    if (disrupting === undefined) return [];
    byUid ??= new Map(pods.map((pod) => [pod.metadata.uid ?? '', pod]));
    const pod = byUid.get(disrupting.uid);
    if (pod === undefined) return [];
    const takes = limiting.filter(({ slots }) => slots?.takesSlot(pod, disrupting.how));
    return takes.length === 0 ? [] : [{ ...disrupting, action, pod, takes }];
  });
}

/** One write for all that a decision is about to do to the pods of an object, on the version that it was decided on. */
function reserve({ rules, resource, object }: ActiveInfluence, done: ToRecord, now: number): ReserveAction {
  const { name, namespace, uid = '', resourceVersion = '' } = object.metadata;
  const metadata: JsonObject = { uid, resourceVersion };
  const names = [...done.disrupted, ...done.created].map((pod) => pod.metadata.name);
  return {
    do: 'reserve',
    kind: 'Influence',
    resource,
    verb: 'reserve',
    name,
    ...(namespace !== undefined && { namespace }),
    body: { ...rules.record(object, done, now), metadata },
    reason: `for ${names.join(', ')}`,
  };
}
