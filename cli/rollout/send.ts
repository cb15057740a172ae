import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';
import { namespaceOption, namespaceText } from '../command/kind-names.ts';
import type { Refusal } from '../command/refusal.ts';
import { awaitAnswer, noAnswerText, type LeaseEvidence } from './answer.ts';
import type { NewRolloutCommand } from './rollout-command.ts';
import { helpWithName } from './sender.ts';
import { planWaitText, type ResolvedTarget } from './target.ts';

/** What became of a command: a line for standard output, or why it failed. */
export type Outcome = { done: string } | Refusal;

/** `KIND/NAME in NAMESPACE` */
export function locationText({ kind, name, namespace }: ResolvedTarget['target']): string {
  return `${kind}/${name} ${namespaceText(namespace)}`;
}

/** Creates a command in the cluster. */
export async function create(
  { cluster, explain }: ClusterAccess,
  command: NewRolloutCommand,
): Promise<{ object: KubeObject } | Refusal> {
  try {
    // The server completes generateName. Strict: an older definition must not silently drop a field.
    const body = command as unknown as KubeObject;
    const resource = resources[command.kind];
    return { object: await cluster.create(resource, body, { fieldValidation: 'Strict' }) };
  } catch (error) {
    const { problem, help } = explain(error);
    if (error instanceof ApiError)
      return { problem: `the cluster refused it: ${problem}`, help: helpWithName(error, command) ?? help };
    return { problem, help: `${help}; check whether the command was created before you repeat it` };
  }
}

/**
 * What the runtime answers to a command that was created.
 *
 * @param timeoutMs how long to wait; `limitMs` is the time that the user knows of
 */
export async function answerTo(
  reached: ClusterAccess,
  target: ResolvedTarget['target'],
  created: KubeObject,
  { timeoutMs, limitMs = timeoutMs }: { timeoutMs: number; limitMs?: number },
  leases: () => Promise<LeaseEvidence>,
): Promise<Outcome> {
  const answer = await awaitAnswer(reached, created, timeoutMs);
  if (answer.is === 'unknown') return answer;
  if (answer.is === 'silence') {
    const { digest } = (created as unknown as NewRolloutCommand).spec;
    const waits = await planWaitText(reached, target, digest);
    return noAnswerText(created, limitMs, await leases(), waits);
  }
  const location = locationText(target);
  if (answer.result === 'Accepted') return { done: `${location}: accepted, ${answer.message}` };
  return {
    problem: `${location}: ${answer.result.toLowerCase()}, ${answer.message}`,
    help: `kruise status ${target.kind}/${target.name}${namespaceOption(target.namespace)} shows its state`,
  };
}
