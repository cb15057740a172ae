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

/** Whether a mark is of an earlier phase or step: the same event may happen again, and is reported again. */
export function isMarkOver(mark: string | undefined, progress: Progress): boolean {
  return mark !== undefined && mark !== markOf(progress);
}

function markOf({ phase, step }: Progress): string {
  return `${phase} ${step}`;
}
