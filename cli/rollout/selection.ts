import { suggest } from '../../compiler/text/suggest.ts';
import { countText } from '../../semantics/values/text.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';
import type { Refusal } from '../command/refusal.ts';
import type { TargetStatus } from '../status/read.ts';
import { matchingTargets, nothingText, readStatus, type StatusQuery } from '../status/read-status.ts';
import { pendingApproval, type ResolvedTarget } from './target.ts';

/** Which rollouts are meant. */
export interface Selection {
  /** Undefined: all namespaces, and targets without one. */
  namespace: string | undefined;
  labels: string | undefined;
  /** The group of the rollout queue. */
  group: string | undefined;
  /** Only those that wait at this step. */
  step: string | undefined;
}

interface Waiting {
  targets: readonly { target: ResolvedTarget['target']; step: string }[];
  /** Why there is none. */
  nothing: string;
}

/**
 * The targets of a selection whose active plan waits for an approval, sorted by namespace, kind and name. Refuses a selection that
 * no target matches: it probably has a typing error.
 *
 * @throws the error of a required read
 */
export async function waitingTargets(
  reached: ClusterAccess,
  { namespace, labels, group, step }: Selection,
): Promise<Waiting | Refusal> {
  const query: StatusQuery = { target: undefined, namespace, digest: undefined, labels };
  const found = matchingTargets(await readStatus(reached, query), query);
  if ('problem' in found) return found;
  const help =
    'kruise status shows the targets that there are, and their labels are those of their manifests';
  if (found.length === 0) return { problem: nothingText(query), help };
  const inGroup = found.filter(({ plan }) => group === undefined || plan?.spec.group === group);
  if (inGroup.length === 0)
    return { problem: groupProblem(found, group ?? ''), help: groupHelp(found, group ?? '') };
  const targets = inGroup.flatMap((status) => {
    const at = status.plan && pendingApproval(status.plan);
    if (at === undefined || (step !== undefined && at !== step)) return [];
    const { kind, name, plan } = status;
    return [{ target: { kind, name, namespace: status.namespace, plan }, step: at }];
  });
  const where = step === undefined ? 'an approval' : `approval ${step}`;
  const nothing = `none of ${countText(inGroup.length, 'rollout')} waits for ${where}`;
  return { targets, nothing };
}

function groupsIn(found: readonly TargetStatus[]): string[] {
  return [...new Set(found.flatMap(({ plan }) => plan?.spec.group ?? []))].sort();
}

function groupProblem(found: readonly TargetStatus[], group: string): string {
  return `none of ${countText(found.length, 'target')} has a plan in group ${group}`;
}

function groupHelp(found: readonly TargetStatus[], group: string): string {
  const groups = groupsIn(found);
  const near = suggest(group, groups);
  if (near !== undefined) return `did you mean ${near}?`;
  return groups.length === 0
    ? 'no plan here has a group; -A looks in all namespaces'
    : `the groups are ${groups.join(', ')}`;
}
