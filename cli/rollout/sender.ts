import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { NewRolloutCommand } from './rollout-command.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';

/** The message of an admission policy that accepts a command only under its sender's own name (`deploy/policy/commands.yaml`). */
const WRONG_NAME = 'spec.by is who sends the command';

/**
 * Sets `by` to the name under which the server knows the sender, if none was given. Leaves it unset if the server does not
 * answer: Kubernetes before 1.28 does not support the request, and it may be forbidden.
 *
 * @throws any other error of the request
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

/** What to do if the server refused a command because of the name in it; undefined for any other refusal. */
export function helpWithName(error: ApiError, { spec }: NewRolloutCommand): string | undefined {
  if (!error.status.message.includes(WRONG_NAME)) return undefined;
  return spec.by === undefined
    ? 'set --by to the name in that message'
    : 'set --by to the name in that message, or omit --by';
}
