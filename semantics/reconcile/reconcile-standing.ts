import type { KubeObject } from '../../schemas/wire/object.ts';
import { type InfluenceInput, underInfluence } from '../influence/under-influence.ts';
import type { StandingSnapshot } from '../kinds/kind.ts';
import { invalidTarget, unsupportedTarget } from '../plan/held-undecided.ts';
import { refusedText } from '../plan/refused-text.ts';
import type { RefusedPod } from '../plan/rollout-context.ts';
import { objectOf } from '../values/read.ts';
import type { Acted, Untouched } from './decided.ts';

/**
 * Decides about one target of a kind without plans: there is no revision to record and no step to wait for, so that all it wants is
 * done at once. Pure and level-triggered, as `reconcile` is.
 *
 * @param refusals the writes that the server refuses, the first of which is shown
 * @param influence what acts on the decision. Default: nothing
 */
export function reconcileStanding(
  snapshot: StandingSnapshot,
  target: KubeObject,
  refusals: readonly RefusedPod[],
  influence?: InfluenceInput,
): Untouched | Acted {
  if (target.metadata.deletionTimestamp !== undefined) return released(snapshot, target);
  const [invalid, unsupported] = [snapshot.invalid, snapshot.unsupported];
  if (invalid.length > 0) return { do: 'hold', held: invalidTarget(invalid), besides: [] };
  if (unsupported.length > 0) return { do: 'hold', held: unsupportedTarget(unsupported), besides: [] };
  const [refused] = refusals;
  const reason = refused && { reason: refused.reason, message: refusedText(refused) };
  const { decision, held, waitsFor, ...limited } = underInfluence(influence, reason, snapshot.decide);
  const { actions, status, events = [], explanations, requeueAt } = decision;
  const isPart = limited.isPart || decision.isPart === true;
  return { do: 'act', actions, status, held, events, explanations, waitsFor, isPart, requeueAt };
}

/** A target that is being deleted: its finalizers hold it until all is undone. Its status stays. */
function released(snapshot: StandingSnapshot, { status }: KubeObject): Untouched | Acted {
  const actions = snapshot.release();
  if (actions.length === 0) return { do: 'nothing' };
  const nothing = { events: [], explanations: [], waitsFor: [], isPart: false, requeueAt: undefined };
  return { do: 'act', actions, status: objectOf(status), held: undefined, ...nothing };
}
