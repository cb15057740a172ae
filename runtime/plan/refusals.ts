import type { Clock } from '../../schemas/wire/clock.ts';
import type { ApiError, Status } from '../../schemas/wire/cluster.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { Action, CreateAction } from '../../semantics/decision.ts';
import { HELD_CONDITION, refusedText } from '../../semantics/plan/held.ts';
import type { RefusedPod } from '../../semantics/plan/rollout-view.ts';
import { isPullPod } from '../../semantics/pull/pod.ts';
import { REVISION_LABEL } from '../../semantics/pod/types.ts';

/** A refused write is retried at least every half minute; a refusal that was not repeated within this time has ended. */
const REFUSED_MS = 120_000;

/** The key of refused creates: a refused pod gets another name at each attempt, so all share one entry. */
const TO_BE_CREATED = '';
/** The key of a restored refusal; it sorts after every name. */
const RESTORED = '~';

/** Permanent refusals of writes to the pods of a target, as long as the writes are wanted. */
export interface Refusals {
  /**
   * Restores the refusal that an earlier process reported in the status of a target. It is valid until a reconcile completes
   * without a refusal, or the server refuses something else.
   */
  restore(target: KubeObject): void;
  /** One of them: a refused create first, then the first pod by name, so that repeated calls return the same one. */
  first(): RefusedPod | undefined;
  note(action: Action, error: ApiError): void;
  /** The message of the server that refuses pods which only pull images; undefined: it refuses none. */
  pull(): string | undefined;
  /** The server accepted an action. */
  accepted(action: Action): void;
  /** Nothing is refused any more. True: that is a change. */
  forget(): boolean;
}

export function createRefusals(clock: Clock): Refusals {
  const refusals = new Map<string, RefusedPod & { at: number }>();
  /** No refusal was noted since the last `forget`. */
  let isQuiet = true;
  let pull: { message: string; at: number } | undefined;

  return {
    restore(target) {
      const reported = reportedIn(target);
      if (reported === undefined) return;
      refusals.set(RESTORED, { ...reported, at: clock.now() });
      isQuiet = false;
    },
    first() {
      const now = clock.now();
      const all = [...refusals].filter(([, { at }]) => now < at + REFUSED_MS);
      return all.reduce<(typeof all)[number] | undefined>(
        (first, each) => (first === undefined || each[0] < first[0] ? each : first),
        undefined,
      )?.[1];
    },
    note(action, { status }) {
      const reason = refusalReason(action, status);
      if (reason === undefined || action.kind === 'ControllerRevision' || isRelease(action)) return;
      if (createsPull(action)) {
        pull = { message: status.message, at: clock.now() };
        return;
      }
      const revision = action.do === 'create' ? revisionOf(action) : undefined;
      refusals.delete(RESTORED);
      isQuiet = false;
      const refused = { reason, message: status.message, revision, at: clock.now() };
      const part = partOf(action);
      refusals.set(nameOf(action), part === undefined ? refused : { ...refused, part });
    },
    pull: () => (pull !== undefined && clock.now() < pull.at + REFUSED_MS ? pull.message : undefined),
    accepted(action) {
      if (createsPull(action)) pull = undefined;
      // One created pod does not mean that the others are accepted.
      if (action.do !== 'create') refusals.delete(nameOf(action));
    },
    forget() {
      const isNew = !isQuiet;
      refusals.clear();
      isQuiet = true;
      return isNew;
    },
  };
}

function createsPull(action: Action): boolean {
  return action.do === 'create' && isPullPod(action.object);
}

/** The refusal that a status reports: its reason is that of the condition `Held`; another condition has the server's message. */
function reportedIn(target: KubeObject): RefusedPod | undefined {
  const { conditions = [], updateRevision } = (target['status'] ?? {}) as {
    conditions?: Condition[];
    updateRevision?: string;
  };
  const trueCondition = (type: string): Condition | undefined =>
    conditions.find((each) => each.type === type && each.status === 'True');
  const held = trueCondition(HELD_CONDITION);
  const reason = REFUSALS.find((each) => each === held?.reason);
  if (reason === undefined) return undefined;
  const message = trueCondition(reason === 'FailedUpdate' ? 'FailedUpdate' : 'FailedScale')?.message;
  if (message === undefined) return undefined;
  const isCreate = reason === 'NoCapacity' || reason === 'FailedCreate';
  const refused: RefusedPod = { reason, message, revision: isCreate ? updateRevision : undefined };
  // Other facts hold a target with the same reason: the message decides.
  const parts = (['claim', 'ConfigMap'] as const).map((part) => ({ ...refused, part }));
  return [refused, ...parts].find((each) => refusedText(each) === held?.message);
}

const REFUSALS = ['NoCapacity', 'FailedCreate', 'FailedUpdate', 'FailedDelete'] as const;

/** Whether an action lets further containers of a pod start: its refusal is no refusal of a pod. */
function isRelease(action: Action): boolean {
  return action.do === 'create' && action.kind === 'ConfigMap' && action.next?.do !== 'create';
}

function partOf({ kind }: Action): RefusedPod['part'] {
  if (kind === 'Pod') return undefined;
  return kind === 'ConfigMap' ? 'ConfigMap' : 'claim';
}

/** The entry of an action. Creates of claims count as creates of their pods. */
function nameOf(action: Action): string {
  if (action.do === 'create') return TO_BE_CREATED;
  return action.kind === 'Pod' ? action.name : `${action.kind}/${action.name}`;
}

/** The revision label of the pod that is not created, possibly because of its claim. */
function revisionOf(action: CreateAction): string {
  const { kind, object, next } = action;
  if (kind !== 'Pod' && next?.do === 'create') return revisionOf(next);
  return object.metadata.labels?.[REVISION_LABEL] ?? '';
}

/** Codes that are not about the pod: authentication, rate limits, and changes in the meantime. */
const NOT_ABOUT_THE_POD = new Set([401, 404, 408, 409, 410, 429]);

const reasons = {
  create: 'FailedCreate',
  patch: 'FailedUpdate',
  delete: 'FailedDelete',
} as const satisfies Record<Action['do'], RefusedPod['reason']>;

/** The reason of a permanent refusal; undefined: a retry may succeed. */
function refusalReason(action: Action, { code, message }: Status): RefusedPod['reason'] | undefined {
  if (code < 400 || code >= 500 || NOT_ABOUT_THE_POD.has(code)) return undefined;
  const isFull = action.do === 'create' && code === 403 && message.includes('exceeded quota');
  return isFull ? 'NoCapacity' : reasons[action.do];
}
