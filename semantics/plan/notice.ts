import type { KubeObject } from '../../schemas/wire/object.ts';
import { timestamp } from '../values/timestamp.ts';
import type { Advance } from './advance.ts';
import type { Progress } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';

/** The phases in which a rollout needs a person. */
export const NOTICE_EVENTS = ['AwaitingApproval', 'Halted', 'Reverted'] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** What the webhook reports about a rollout that needs a person. */
export interface Notice {
  event: NoticeEvent;
  digest: string;
  /** The id of the step. */
  step: string;
  /** What the record of the plan has once it was delivered. */
  mark: string;
  /** Why a plan has halted or was reverted; undefined: it waits. */
  reason: string | undefined;
  message: string;
}

/** Why a target is held before anything is decided about it, where it stays so until a person has changed something of it. */
const NEED_A_PERSON = new Set([
  'InternalError',
  'InvalidTarget',
  'RecordRefused',
  'StatusRefused',
  'TooLarge',
  'UnsupportedSemantics',
]);

/** Whether a person is to be told that a target is held for this reason, whatever its rollout does. */
export function needsPerson(reason: string): boolean {
  return NEED_A_PERSON.has(reason);
}

/** The annotation of the record of a plan that says since when it waits for a person: two halts of one step are two events. */
const WAITS_SINCE_ANNOTATION = 'plan.kruise.io/waits-since';

/** The annotation of the record of a plan that says which phase and step the webhook has reported. */
export const NOTIFIED_ANNOTATION = 'plan.kruise.io/notified';

const eventOf = (phase: Progress['phase']): NoticeEvent | undefined =>
  NOTICE_EVENTS.find((event) => event === phase);

/**
 * What a person is to be told of a rollout; undefined: nobody is needed. A rollout that git has moved on from needs nobody, and one that
 * somebody has paused needs no approval before that ends.
 */
export function noticeOf(
  view: RolloutView,
  { accepted, blocked }: Pick<Advance, 'accepted' | 'blocked'>,
  held: { reason: string; message: string } | undefined,
): Notice | undefined {
  if (accepted === undefined || held === undefined || view.deleting) return undefined;
  const { spec, progress } = accepted;
  const event = eventOf(progress.phase);
  if (event === undefined || spec.to.hash !== view.liveHash) return undefined;
  if (event === 'AwaitingApproval' && blocked !== undefined) return undefined;
  return {
    event,
    digest: spec.digest,
    step: spec.steps[progress.step]?.id ?? '',
    mark: markOf(progress),
    reason: progress.reason,
    // Something else may be more urgent on the target; the plan has its own message.
    message: held.reason === event ? held.message : (progress.message ?? held.message),
  };
}

/**
 * What the annotations of a record become, beside its progress; null: the annotation goes. What was reported of an earlier phase or step
 * does not count any more: the same event may happen again, and is reported again.
 *
 * @param now milliseconds since 1970
 */
export function noticeAnnotations(
  annotations: Readonly<Record<string, string>>,
  before: Progress | undefined,
  progress: Progress,
  now: number,
): Record<string, string | null> {
  const mark = annotations[NOTIFIED_ANNOTATION];
  const isOver = mark !== undefined && mark !== markOf(progress);
  const waits = eventOf(progress.phase) !== undefined && progress.cause !== 'git';
  const isNew = before === undefined || markOf(before) !== markOf(progress);
  return {
    ...(isOver && { [NOTIFIED_ANNOTATION]: null }),
    ...(isNew && waits && { [WAITS_SINCE_ANNOTATION]: timestamp(now) }),
    ...(!waits && annotations[WAITS_SINCE_ANNOTATION] !== undefined && { [WAITS_SINCE_ANNOTATION]: null }),
  };
}

/** Since when a record says that it waits for a person, as RFC 3339; an older runtime has recorded only when the plan was accepted. */
export function waitsSince({ metadata }: KubeObject): string {
  return metadata.annotations?.[WAITS_SINCE_ANNOTATION] ?? metadata.creationTimestamp ?? '';
}

function markOf({ phase, step }: Progress): string {
  return `${phase} ${step}`;
}
