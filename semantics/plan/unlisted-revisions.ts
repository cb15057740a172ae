import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { Accepted, Listed } from './memory.ts';
import type { PodRow } from './pod-row.ts';
import { PLAN_FROM_RUNNING } from './remediation-command.ts';
import type { RolloutView } from './rollout-view.ts';
import { movable } from './selector-bound.ts';
import { isNodeLost } from './units.ts';
import { verdictOn } from './verdict.ts';

/**
 * Why pods prevent a plan from starting or continuing: some are on a revision that is neither its `to` nor listed. A plan
 * that is not accepted yet waits; an active one halts (the row `unlistedPod` in table.ts).
 *
 * @param listed the revisions that the plan may start from: its own `from`, and those it inherits
 * @returns a sentence; undefined where there is no such pod
 */
export function unlistedPodsMessage(
  view: RolloutView,
  spec: RolloutPlanSpec,
  listed: readonly Listed[],
): string | undefined {
  // Pods stay on their revision until a user deletes them, so the plan need not know it.
  if (view.onDelete) return undefined;
  const known = new Set([spec.to.hash, ...listed.map((entry) => entry.hash)]);
  // Nothing can be done about the pod of a node that is not Ready. It is judged when the node is back.
  const unlisted = movable(view, spec).filter(
    (pod) => isUnlisted(view, pod, known) && !isNodeLost(view, pod),
  );
  const [pod] = unlisted;
  if (pod === undefined) return undefined;
  if (unlisted.some(({ hash }) => hash === view.stable))
    return staleBaseMessage(view, spec, 'the pods are on');
  const way = `or plan from the commit with that template (COMMIT): ${PLAN_FROM_RUNNING}`;
  const revisionText = (hash?: string): string =>
    hash === undefined ? 'a revision without an object' : view.nameOf(hash);
  if (unlisted.length === 1)
    return `pod ${pod.name} is on ${revisionText(pod.hash)}, which the plan does not start from. Delete it, ${way}`;
  const named = unlisted.slice(0, MOST_NAMED).map(({ name, hash }) => `${name} (${revisionText(hash)})`);
  const more = unlisted.length > MOST_NAMED ? ` and ${unlisted.length - MOST_NAMED} more` : '';
  return `${unlisted.length} pods are on revisions that the plan does not start from: ${named.join(', ')}${more}. Delete them, ${way}`;
}

/**
 * Pods of others say themselves on which revision they are. One that the target was once on has its way in place, as all rows have, and
 * follows; one that names no revision has no row. Nobody halts a plan of all others with either.
 */
function isUnlisted({ units, stable }: RolloutView, { hash }: PodRow, known: ReadonlySet<string>): boolean {
  if (units.of === 'selected') return hash === stable && !known.has(hash);
  return hash === undefined || !known.has(hash);
}

/** Most pods that a message names. */
const MOST_NAMED = 3;

/** Why `stable` prevents a plan from being accepted, as a sentence; undefined: it is listed, or is the plan's `to`. */
export function unlistedStableMessage(
  view: RolloutView,
  spec: RolloutPlanSpec,
  listed: readonly Listed[],
): string | undefined {
  // A target that has no stable revision yet starts from none.
  if (view.stable === '') return undefined;
  const known = view.stable === spec.to.hash || listed.some((entry) => entry.hash === view.stable);
  return known ? undefined : staleBaseMessage(view, spec, 'the target was last complete on');
}

/** The message for a plan that was made against a base that is not the state of the cluster. */
function staleBaseMessage(view: RolloutView, { from, to }: RolloutPlanSpec, where: string): string {
  const start = from[0]?.hash ?? to.hash;
  const [startName, stableName] = [view.nameOf(start), view.nameOf(view.stable)];
  // A revision that is not in the cluster has no name: then both are hashes, so that they can be compared.
  const isNamed = startName !== start;
  const pair = isNamed ? [startName, stableName] : [start, withName(view.stable, stableName)];
  const conflict = `the plan starts from ${pair[0]}, but ${where} ${pair[1]}`;
  return `${conflict}. Plan from the commit with that template (COMMIT), which you commit first if git never had it: ${PLAN_FROM_RUNNING}`;
}

function withName(hash: string, name: string): string {
  return name === hash ? hash : `${hash} (${name})`;
}

/**
 * The revision that becomes stable before a plan is accepted that does not list `stable`: the one with most available pods.
 * Undefined: a pod is still on `stable`, or a verdict applies to the other revision.
 */
export function nextStable(view: RolloutView, memory: readonly Accepted[]): string | undefined {
  const available = new Map<string, number>();
  for (const pod of view.pods) {
    if (isNodeLost(view, pod)) continue;
    if (pod.hash === view.stable) return undefined;
    if (pod.hash !== undefined && pod.available) available.set(pod.hash, (available.get(pod.hash) ?? 0) + 1);
  }
  const [most] = [...available].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  if (most === undefined || verdictOn(memory, view, { hash: most[0] }) !== undefined) return undefined;
  return most[0];
}
