import { podNameOf } from '../claims/unit.ts';
import type { Action, Explanation } from '../decision.ts';
import { deleteThroughHook } from '../lifecycle/transitions.ts';
import { backoffText, type CreationBackoff } from '../plan/creation-backoff.ts';
import type { RolloutContext } from '../plan/rollout-context.ts';
import { deletePod } from '../pod/writes.ts';
import { countText } from '../values/text.ts';
import { mostCreated } from '../workload/creation-batch.ts';
import type { Removal } from './manage.ts';
import { createOn, idOn, type NewPod, podEvent } from './new-pod.ts';
import type { DaemonSetView } from './view.ts';

/** The writes of one decision, and what has to wait. */
export interface Writes {
  readonly actions: Action[];
  readonly explanations: Explanation[];
  /** When time alone lets more be written, milliseconds since 1970; undefined: it does not. */
  readonly requeueAt?: number | undefined;
}

/**
 * Deletes pods (OpenKruise advanced-daemonset, rule 6.8): each goes through the hook preDelete, and as many are deleted at once as
 * `burstReplicas` says. Those that the hook holds do not count.
 */
export function deletions(
  { spec }: DaemonSetView,
  removals: readonly Removal[],
  { burst, now }: { burst: number; now: number },
): Writes {
  const actions: Action[] = [];
  const explanations: Explanation[] = [];
  let deleted = 0;
  for (const { pod, reason, event } of removals) {
    const about = pod.metadata.name;
    const deletion = deletePod(pod, reason, event ?? podEvent('delete', about));
    const change = deleteThroughHook(spec.lifecycle, pod, deletion, now);
    if (!('do' in change)) explanations.push({ about, ...change });
    else if (change.do === 'patch') actions.push(change);
    else if (deleted < burst) {
      deleted += 1;
      actions.push(change);
    } else explanations.push({ about, reason: `is deleted later: burstReplicas allows ${burst} at once` });
  }
  return { actions, explanations };
}

/**
 * Creates pods in the order of their nodes, as many at once as `burstReplicas` says, without those on nodes where pods were
 * repeatedly lost or have failed. What was refused comes after the others, so that nodes whose pods are always refused keep no other
 * node waiting.
 */
export function creations(
  view: DaemonSetView,
  wanted: readonly NewPod[],
  {
    burst,
    backoff,
    lastRefused = () => 0,
  }: {
    burst: number;
    backoff: CreationBackoff | undefined;
    lastRefused?: RolloutContext['lastRefused'] | undefined;
  },
): Writes {
  const about = view.target.metadata.name;
  const explanations: Explanation[] = [];
  const deferred = backoff?.kind === 'Pod' ? backoff.deferred : new Map<string, number>();
  const due = wanted.filter(({ node }) => !deferred.has(node));
  const isDelayed = backoff !== undefined && due.length < wanted.length;
  if (isDelayed) {
    const delay = backoffText(backoff, view.target.metadata.namespace ?? '');
    const reason = `creates ${due.length} of ${countText(wanted.length, 'missing pod')} now: ${delay}`;
    explanations.push({ about, reason, delay });
  }
  const most = Math.min(
    burst,
    mostCreated(
      view,
      due.map(({ hash }) => hash),
    ),
  );
  if (due.length > most) {
    const reason = `creates ${most} of ${countText(due.length, 'missing pod')} now: burstReplicas allows no more at once`;
    explanations.push({ about, reason });
  }
  const actions: Action[] = [];
  const taken = due.length === 0 ? new Set<string>() : new Set([...view.takenNames, ...view.podNames]);
  const turnOf = (each: NewPod): number => lastRefused(podNameOf(view.target, idOn(view, each.node, taken)));
  const inOrder =
    due.length <= most
      ? due
      : due
          .map((each) => ({ each, turn: turnOf(each) }))
          .sort((a, b) => a.turn - b.turn)
          .map(({ each }) => each);
  for (const each of inOrder.slice(0, most)) {
    const made = createOn(view, each, taken);
    if ('do' in made) actions.push(made);
    else explanations.push(made);
  }
  return { actions, explanations, requeueAt: isDelayed ? backoff.nextAt : undefined };
}
