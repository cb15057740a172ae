import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { NewRolloutCommand } from './rollout-command.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';

/** The refusal of a server that admits a command only under its sender's own name (`deploy/policy/commands.yaml`). */
const WRONG_NAME = 'spec.by is who sends the command';

/**
 * The command with the name under which the server knows its sender, where nobody gave one. As it is where the server
 * does not tell: one before Kubernetes 1.28 does not know the question, and a right to ask can be taken away.
 *
 * @throws what kept the question from being answered, unless it is that
 */
export async function withSender(
  { cluster }: ClusterAccess,
  command: NewRolloutCommand,
): Promise<NewRolloutCommand> {
  if (command.spec.by !== undefined) return command;
  const { group, version, kind } = resources.SelfSubjectReview;
  const question = { apiVersion: `${group}/${version}`, kind, metadata: {} } as KubeObject;
  try {
    const { status } = await cluster.create(resources.SelfSubjectReview, question);
    const name = (status as { userInfo?: { username?: unknown } } | undefined)?.userInfo?.username;
    if (typeof name !== 'string' || name === '') return command;
    return { ...command, spec: { ...command.spec, by: name } };
  } catch (error) {
    if (error instanceof ApiError && (error.status.code === 403 || error.status.code === 404)) return command;
    throw error;
  }
}

/** What to do about a command that the server refused for the name in it; undefined for any other refusal. */
export function helpWithName(error: ApiError, { spec }: NewRolloutCommand): string | undefined {
  if (!error.status.message.includes(WRONG_NAME)) return undefined;
  return spec.by === undefined
    ? 'set --by to the name in that message'
    : 'set --by to the name in that message, or omit --by';
}
