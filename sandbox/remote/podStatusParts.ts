import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { PodCondition, PodStatus } from '../kinds/pod.ts';
import { kubeletConditionTypes } from '../kubelet/podStatus.ts';
import { sameValue } from '../store/value.ts';

/** Who on this side speaks of a pod: a scheduler before it has a node, a kubelet from then on. */
export type StatusWriter = 'scheduler' | 'kubelet';

/** The fields of a pod's status that are a kubelet's; a scheduler has none. Of the conditions each has its own types. */
const kubeletFields = [
  'observedGeneration',
  'phase',
  'reason',
  'message',
  'hostIP',
  'hostIPs',
  'podIP',
  'podIPs',
  'startTime',
  'initContainerStatuses',
  'containerStatuses',
] as const;

const schedulerTypes: ReadonlySet<string> = new Set(['PodScheduled']);

function fieldsOf(speaker: StatusWriter): readonly string[] {
  return speaker === 'kubelet' ? kubeletFields : [];
}

function typesOf(speaker: StatusWriter): ReadonlySet<string> {
  return speaker === 'kubelet' ? kubeletConditionTypes : schedulerTypes;
}

function conditionsOf(status: PodStatus, types: ReadonlySet<string>, own: boolean): PodCondition[] {
  return (status.conditions ?? []).filter(({ type }) => types.has(type) === own);
}

/** A status as the other server has it (`outside`), but for what the speaker says: that is as in `said`. */
export function combined(outside: PodStatus, said: PodStatus, speaker: StatusWriter): PodStatus {
  const status: PodStatus = { ...outside };
  for (const field of fieldsOf(speaker)) {
    if (said[field] === undefined) delete status[field];
    else status[field] = said[field];
  }
  const types = typesOf(speaker);
  status.conditions = [...conditionsOf(outside, types, false), ...conditionsOf(said, types, true)];
  return status;
}

/** Whether two statuses say the same, as far as the speaker goes. */
export function isSameStatus(one: PodStatus, other: PodStatus, speaker: StatusWriter): boolean {
  const types = typesOf(speaker);
  return (
    fieldsOf(speaker).every((field) => sameValue(one[field], other[field])) &&
    changedConditions(one, other, types).length === 0
  );
}

function readyOf(status: PodStatus): PodCondition | undefined {
  return status.conditions?.find(({ type }) => type === 'Ready');
}

/** Whether both say that the pod is ready, or that it is not; in what words does not matter. */
export function isSameReady(one: PodStatus, other: PodStatus): boolean {
  return readyOf(one)?.status === readyOf(other)?.status;
}

/** `said`, but for `Ready`, which is as `outside` has it. */
export function withReadyOf(outside: PodStatus, said: PodStatus): PodStatus {
  const ready = readyOf(outside);
  if (ready === undefined) return said;
  return {
    ...said,
    conditions: (said.conditions ?? []).map((each) => (each.type === 'Ready' ? ready : each)),
  };
}

/** Equal, where null is as good as nothing: some servers keep it, some do not. */
function sameCondition(one: PodCondition, other: PodCondition): boolean {
  return sameValue(withoutNulls(one), withoutNulls(other));
}

function withoutNulls(condition: PodCondition): JsonObject {
  const said: JsonObject = {};
  for (const [key, value] of Object.entries(condition) as [string, Json][])
    if (value !== null && value !== undefined) said[key] = value;
  return said;
}

/** Conditions as a strategic merge patch has them, which knows them by their type: those of others are left alone. */
function changedConditions(outside: PodStatus, said: PodStatus, types: ReadonlySet<string>): JsonObject[] {
  const before = new Map(conditionsOf(outside, types, true).map((each) => [each.type, each]));
  const changed: JsonObject[] = [];
  for (const condition of conditionsOf(said, types, true)) {
    const old = before.get(condition.type);
    before.delete(condition.type);
    if (old !== undefined && sameCondition(old, condition)) continue;
    const next = withoutNulls(condition);
    // What is not said any more would stay otherwise.
    for (const key of Object.keys(old === undefined ? {} : withoutNulls(old)))
      if (!Object.hasOwn(next, key)) next[key] = null;
    changed.push(next);
  }
  for (const type of before.keys()) changed.push({ $patch: 'delete', type });
  return changed;
}

/**
 * Whether two statuses differ in nothing but the generation that a kubelet has seen: what it does about it comes later,
 * and is worth more to know.
 */
export function differsInGeneration(outside: PodStatus, said: PodStatus): boolean {
  const timeless = ({ observedGeneration: _seen, conditions = [], ...status }: PodStatus): PodStatus => ({
    ...status,
    conditions: conditions.map(({ observedGeneration: _then, ...condition }) => condition),
  });
  return isSameStatus(timeless(outside), timeless(said), 'kubelet');
}

/** Whether a container that runs, as the other server has it, has ended in a pod that goes on. */
export function differsInExit(outside: PodStatus, said: PodStatus): boolean {
  if (said.phase === 'Succeeded' || said.phase === 'Failed') return false;
  const ran = (outside.containerStatuses ?? []).filter(({ state }) => state.running !== undefined);
  const running = new Set(ran.map(({ name }) => name));
  return (said.containerStatuses ?? []).some(
    ({ name, state }) => state.terminated !== undefined && running.has(name),
  );
}

/** The strategic merge patch of `status` that makes the other server's say what is `said`; undefined: it does. */
export function statusPatch(
  outside: PodStatus,
  said: PodStatus,
  speaker: StatusWriter,
): JsonObject | undefined {
  const patch: JsonObject = {};
  for (const field of fieldsOf(speaker)) {
    if (sameValue(outside[field], said[field])) continue;
    patch[field] = (said[field] ?? null) as Json;
  }
  const conditions = changedConditions(outside, said, typesOf(speaker));
  if (conditions.length > 0) patch['conditions'] = conditions;
  return Object.keys(patch).length === 0 ? undefined : patch;
}
