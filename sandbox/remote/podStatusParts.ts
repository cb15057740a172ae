import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { PodCondition, PodStatus } from '../../schemas/pods/pod.ts';
import { kubeletConditionTypes } from '../kubelet/podStatus.ts';
import { sameValue } from '../../schemas/pods/fields.ts';

/** The local component that writes a pod's status: the scheduler before binding, the kubelet afterwards. */
export type StatusWriter = 'scheduler' | 'kubelet';

/** The status fields of a kubelet; a scheduler has none. Each writer has its own condition types. */
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

const addressLists: ReadonlySet<string> = new Set(['hostIPs', 'podIPs']);

const schedulerTypes: ReadonlySet<string> = new Set(['PodScheduled']);

function fieldsOf(writer: StatusWriter): readonly string[] {
  return writer === 'kubelet' ? kubeletFields : [];
}

function typesOf(writer: StatusWriter): ReadonlySet<string> {
  return writer === 'kubelet' ? kubeletConditionTypes : schedulerTypes;
}

function conditionsOf(status: PodStatus, types: ReadonlySet<string>, own: boolean): PodCondition[] {
  return (status.conditions ?? []).filter(({ type }) => types.has(type) === own);
}

/** The remote status (`remote`) with the writer's fields from `local`. */
export function combined(remote: PodStatus, local: PodStatus, writer: StatusWriter): PodStatus {
  const status: PodStatus = { ...remote };
  for (const field of fieldsOf(writer)) {
    if (local[field] === undefined) delete status[field];
    else status[field] = local[field];
  }
  const types = typesOf(writer);
  status.conditions = [...conditionsOf(remote, types, false), ...conditionsOf(local, types, true)];
  return status;
}

/** Whether the writer's fields are equal in both statuses. */
export function isSameStatus(one: PodStatus, other: PodStatus, writer: StatusWriter): boolean {
  const types = typesOf(writer);
  return (
    fieldsOf(writer).every((field) => sameValue(one[field], other[field])) &&
    changedConditions(one, other, types).length === 0
  );
}

function readyOf(status: PodStatus): PodCondition | undefined {
  return status.conditions?.find(({ type }) => type === 'Ready');
}

/** Whether both statuses have the same Ready status, regardless of reason and message. */
export function isSameReady(one: PodStatus, other: PodStatus): boolean {
  return readyOf(one)?.status === readyOf(other)?.status;
}

/** `local`, with the `Ready` condition of `remote`. */
export function withReadyOf(remote: PodStatus, local: PodStatus): PodStatus {
  const ready = readyOf(remote);
  if (ready === undefined) return local;
  return {
    ...local,
    conditions: (local.conditions ?? []).map((each) => (each.type === 'Ready' ? ready : each)),
  };
}

/** Equality in which null equals absent, because servers differ in keeping nulls. */
function sameCondition(one: PodCondition, other: PodCondition): boolean {
  return sameValue(withoutNulls(one), withoutNulls(other));
}

function withoutNulls(condition: PodCondition): JsonObject {
  const local: JsonObject = {};
  for (const [key, value] of Object.entries(condition) as [string, Json][])
    if (value !== null && value !== undefined) local[key] = value;
  return local;
}

/** Conditions for a strategic merge patch, which merges by type: other writers' conditions are not touched. */
function changedConditions(remote: PodStatus, local: PodStatus, types: ReadonlySet<string>): JsonObject[] {
  const before = new Map(conditionsOf(remote, types, true).map((each) => [each.type, each]));
  const changed: JsonObject[] = [];
  for (const condition of conditionsOf(local, types, true)) {
    const old = before.get(condition.type);
    before.delete(condition.type);
    if (old !== undefined && sameCondition(old, condition)) continue;
    const next = withoutNulls(condition);
    // Removed conditions need a delete directive.
    for (const key of Object.keys(old === undefined ? {} : withoutNulls(old)))
      if (!Object.hasOwn(next, key)) next[key] = null;
    changed.push(next);
  }
  for (const type of before.keys()) changed.push({ $patch: 'delete', type });
  return changed;
}

/** Whether two statuses differ only in the observed generation: the report can wait for its effects. */
export function differsInGeneration(remote: PodStatus, local: PodStatus): boolean {
  const timeless = ({ observedGeneration: _seen, conditions = [], ...status }: PodStatus): PodStatus => ({
    ...status,
    conditions: conditions.map(({ observedGeneration: _then, ...condition }) => condition),
  });
  return isSameStatus(timeless(remote), timeless(local), 'kubelet');
}

/** Whether a container that the remote status shows as running has exited in a pod that continues. */
export function differsInExit(remote: PodStatus, local: PodStatus): boolean {
  if (local.phase === 'Succeeded' || local.phase === 'Failed') return false;
  const ran = (remote.containerStatuses ?? []).filter(({ state }) => state.running !== undefined);
  const running = new Set(ran.map(({ name }) => name));
  return (local.containerStatuses ?? []).some(
    ({ name, state }) => state.terminated !== undefined && running.has(name),
  );
}

/** The strategic merge patch from the remote status to `local`; undefined if they are equal. */
export function statusPatch(
  remote: PodStatus,
  local: PodStatus,
  writer: StatusWriter,
): JsonObject | undefined {
  const patch: JsonObject = {};
  for (const field of fieldsOf(writer)) {
    if (sameValue(remote[field], local[field])) continue;
    const value = (local[field] ?? null) as Json;
    // Addresses merge by IP: those of a kubelet that had the pod before would stay, and two of one family are refused.
    patch[field] =
      addressLists.has(field) && Array.isArray(value) ? [{ $patch: 'replace' }, ...value] : value;
  }
  const conditions = changedConditions(remote, local, typesOf(writer));
  if (conditions.length > 0) patch['conditions'] = conditions;
  return Object.keys(patch).length === 0 ? undefined : patch;
}
