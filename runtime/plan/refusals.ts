import type { Clock } from '../../schemas/wire/clock.ts';
import type { ApiError, Status } from '../../schemas/wire/cluster.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { Action, CreateAction } from '../../semantics/decision.ts';
import { HELD_CONDITION, refusedText } from '../../semantics/plan/held.ts';
import type { RefusedPod } from '../../semantics/plan/rollout-view.ts';
import { REVISION_LABEL } from '../../semantics/pod/types.ts';

/** What is refused is tried again at least every half minute; a refusal that was not repeated this long is over. */
const REFUSED_MS = 120_000;

/** A pod that was refused has no place in the cluster: the next one has another name, and takes the place of this one. */
const TO_BE_MADE = '';
/** Behind every name. */
const TOLD_BEFORE = '~';

/** What the server refuses for good of the pods of a target, as long as it is wanted. */
export interface Refusals {
  /**
   * What an earlier process has told in the status of a target is so until a look has come to its end without a refusal, or
   * the server has said something else: nothing was asked again yet.
   */
  recall(target: KubeObject): void;
  /** One of them: a pod that is not made before those that are there, and of these the first by name, so that it stays the same one. */
  first(): RefusedPod | undefined;
  note(action: Action, error: ApiError): void;
  /** The server did it. */
  over(action: Action): void;
  /** Nothing is refused any more. True: that is new. */
  forget(): boolean;
}

export function createRefusals(clock: Clock): Refusals {
  const refusals = new Map<string, RefusedPod & { at: number }>();
  /** Nothing was refused since it was last found that nothing is. */
  let isQuiet = true;

  return {
    recall(target) {
      const told = toldIn(target);
      if (told === undefined) return;
      refusals.set(TOLD_BEFORE, { ...told, at: clock.now() });
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
      if (reason === undefined || action.kind === 'ControllerRevision') return;
      const revision = action.do === 'create' ? revisionOf(action) : undefined;
      refusals.delete(TOLD_BEFORE);
      isQuiet = false;
      const refused = { reason, message: status.message, revision, at: clock.now() };
      refusals.set(nameOf(action), action.kind === 'Pod' ? refused : { ...refused, claim: true });
    },
    over(action) {
      // A pod that was made does not say that the others are.
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

/** The refusal that a status tells of: the reason is that of the condition `Held`, the server's sentence stands beside it. */
function toldIn(target: KubeObject): RefusedPod | undefined {
  const { conditions = [], updateRevision } = (target['status'] ?? {}) as {
    conditions?: Condition[];
    updateRevision?: string;
  };
  const standing = (type: string): Condition | undefined =>
    conditions.find((each) => each.type === type && each.status === 'True');
  const held = standing(HELD_CONDITION);
  const reason = REFUSALS.find((each) => each === held?.reason);
  if (reason === undefined) return undefined;
  const message = standing(reason === 'FailedUpdate' ? 'FailedUpdate' : 'FailedScale')?.message;
  if (message === undefined) return undefined;
  const isToBeMade = reason === 'NoCapacity' || reason === 'FailedCreate';
  const refused: RefusedPod = { reason, message, revision: isToBeMade ? updateRevision : undefined };
  // A target is held for other things in the same word.
  return [refused, { ...refused, claim: true } as const].find((each) => refusedText(each) === held?.message);
}

const REFUSALS = ['NoCapacity', 'FailedCreate', 'FailedUpdate', 'FailedDelete'] as const;

/** A claim that is not made keeps its pod from being made. */
function nameOf(action: Action): string {
  if (action.do === 'create') return TO_BE_MADE;
  return action.kind === 'Pod' ? action.name : `${action.kind}/${action.name}`;
}

/** The revision label of the pod that is not made, be it for want of a claim. */
function revisionOf(action: CreateAction): string {
  const { kind, object, next } = action;
  if (kind !== 'Pod' && next !== undefined) return revisionOf(next);
  return object.metadata.labels?.[REVISION_LABEL] ?? '';
}

/** Answers that say nothing of the pod: who asks, how often, and what changed meanwhile. */
const NOT_ABOUT_THE_POD = new Set([401, 404, 408, 409, 410, 429]);

const reasons = {
  create: 'FailedCreate',
  patch: 'FailedUpdate',
  delete: 'FailedDelete',
} as const satisfies Record<Action['do'], RefusedPod['reason']>;

/** Why the server will not do it; undefined: it may well do it when it is asked again. */
function refusalReason(action: Action, { code, message }: Status): RefusedPod['reason'] | undefined {
  if (code < 400 || code >= 500 || NOT_ABOUT_THE_POD.has(code)) return undefined;
  const isFull = action.do === 'create' && code === 403 && message.includes('exceeded quota');
  return isFull ? 'NoCapacity' : reasons[action.do];
}
