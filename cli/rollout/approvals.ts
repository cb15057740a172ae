import { textOf, type ClusterAccess } from '../cluster/cluster.ts';
import type { Options } from '../command/command.ts';
import { parseTarget } from '../command/find-target.ts';
import type { Refusal } from '../command/refusal.ts';
import type { Host } from '../host.ts';
import { inputOf, until } from './input.ts';
import { rolloutCommand, type NewRolloutCommand } from './rollout-command.ts';
import { waitingTargets } from './selection.ts';
import { locationText } from './send.ts';
import { committedTarget, targetInCluster, type ResolvedTarget } from './target.ts';

/** An approval of one target that is ready to be sent. */
export interface Approval {
  target: ResolvedTarget['target'];
  command: NewRolloutCommand;
  note: string | undefined;
}

/** What was found of several targets. */
export interface Found {
  approvals: readonly Approval[];
  /** Why some of them are not approved. */
  refusals: readonly Refusal[];
  /** Why there is none, though nothing is wrong. */
  nothing?: string;
}

/** The approvals of targets that are named, each once. */
export async function named(
  host: Host,
  reached: ClusterAccess,
  operands: readonly string[],
  options: Options,
): Promise<Found> {
  const approvals = new Map<string, Approval>();
  const refusals: Refusal[] = [];
  const input = until(inputOf(options), reached.now());
  for (const text of operands) {
    const found = await namedApproval(host, reached, text, input, options);
    if ('problem' in found) refusals.push(about(text, found));
    else approvals.set(locationText(found.target), found);
  }
  return { approvals: [...approvals.values()], refusals };
}

async function namedApproval(
  host: Host,
  reached: ClusterAccess,
  text: string,
  input: ReturnType<typeof inputOf>,
  options: Options,
): Promise<Approval | Refusal> {
  const requested = parseTarget(text, textOf(options, 'namespace'));
  if ('problem' in requested) return requested;
  try {
    const committed = committedTarget(host, 'approve', requested, input, String(options['out']));
    const resolved = await targetInCluster(reached, requested, input, 'approve', committed);
    if ('problem' in resolved) return resolved;
    const built = rolloutCommand('approve', resolved.target, resolved.input);
    if ('problem' in built) return built;
    return {
      target: resolved.target,
      command: built.command,
      note: resolved.isCommitted ? built.note : undefined,
    };
  } catch (error) {
    return reached.explain(error);
  }
}

/** A refusal that names its target, as several are refused in one run. */
export function about(text: string, { problem, help }: Refusal): Refusal {
  return { problem: `${text}: ${problem}`, help };
}

/** The approvals of all targets of a selection that wait for one. */
export async function selected(reached: ClusterAccess, options: Options): Promise<Found | Refusal> {
  const waiting = await waitingTargets(reached, {
    namespace:
      options['all-namespaces'] === true ? undefined : (textOf(options, 'namespace') ?? reached.namespace),
    labels: textOf(options, 'selector'),
    group: textOf(options, 'group'),
    step: textOf(options, 'step'),
  });
  if ('problem' in waiting) return waiting;
  const input = until(inputOf(options), reached.now());
  const approvals: Approval[] = [];
  const refusals: Refusal[] = [];
  for (const { target, step } of waiting.targets) {
    const built = rolloutCommand('approve', target, { ...input, step, digest: target.plan?.spec.digest });
    if ('problem' in built) refusals.push(about(locationText(target), built));
    else approvals.push({ target, command: built.command, note: undefined });
  }
  return { approvals, refusals, nothing: waiting.nothing };
}
