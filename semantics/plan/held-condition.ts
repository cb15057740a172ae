import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { EventDraft } from '../decision.ts';
import { SYNC_MS } from './sync-order.ts';

/** The condition on the target that reports why it waits. */
export const HELD_CONDITION = 'plan.kruise.io/Held';
/** Reasons for which nothing of a spec is counted until git changes it: there is nothing to wait for. */
export const UNCOUNTED_REASONS: ReadonlySet<string> = new Set(['InvalidTarget', 'UnsupportedSemantics']);
/** The reason of a child of which a pod fails on the revision that its root takes it to. */
export const PODS_FAILING = 'PodsFailing';
/** The condition of a target that selects pods which have nothing of it. */
export const MISSED_CONDITION = 'plan.kruise.io/PodsMissed';

/** The condition of a target with pods that no rollout can take. */
export const LEFT_OUT_CONDITION = 'plan.kruise.io/PodsBehind';

/** The condition of a target that gives new pods something else than its manifest asks for. */
export const NEW_PODS_CONDITION = 'plan.kruise.io/NewPods';

/** Reasons that are intended waits: their Event is Normal. */
const INTENDED = new Set([
  'AwaitingApproval',
  'Paused',
  'TargetPaused',
  'Predecessor',
  'Queued',
  'Bound',
  'OnDelete',
  'EarlierRun',
  'DisruptionNotAllowed',
]);

/**
 * The Event that a target is held; undefined while its status has the same reason already, even if the message differs. The
 * status is compared, and not memory, so that a restarted runtime does not repeat the Event.
 */
export function heldEvent(
  target: KubeObject,
  held: { reason: string; message: string } | undefined,
): EventDraft | undefined {
  const { conditions } = (target['status'] ?? {}) as { conditions?: Condition[] };
  const reported = conditions?.find(({ type, status }) => type === HELD_CONDITION && status === 'True');
  return held === undefined || reported?.reason === held.reason ? undefined : heldEventDraft(held);
}

/** The Event that a target is held for this reason. */
export function heldEventDraft({ reason, message }: { reason: string; message: string }): EventDraft {
  const type = INTENDED.has(reason) ? 'Normal' : 'Warning';
  return { type, reason: 'Held', message: `${reason}: ${message}` };
}

/**
 * Reasons that pass by themselves: where two objects are seen in another order than they were written, and between one pod and the
 * next where another object lets few be unavailable.
 */
const TRANSIENT = new Set(['NoPlan', 'Unproven', 'DisruptionNotAllowed']);

/** Milliseconds before a reason is reported by Events, metrics and the log. The status shows it at once. */
export function reportDelayMs(reason: string): number {
  return TRANSIENT.has(reason) ? SYNC_MS : 0;
}
