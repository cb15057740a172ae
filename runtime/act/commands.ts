import { ApiError, type Cluster, type ObjectKey } from '../../schemas/wire/cluster.ts';
import { execOptions, lacksProgram, wasKilled } from '../../schemas/wire/exec.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { ExecAction } from '../../semantics/decision.ts';
import { containerStatus } from '../../semantics/pod/in-place.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { listed } from '../../semantics/values/listed.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { CredentialsError } from '../api/credentials-error.ts';
import { TransportError } from '../api/transport-error.ts';
import { isConflictOrNotFound } from './conflict.ts';

/**
 * Runs the first of the commands whose program the container has. Rejects with its failure, or with that there is none. Before each, the
 * server is asked whether the instance still runs that was decided on: there is no precondition for a command.
 */
export async function runFirst(action: ExecAction, at: ObjectKey, cluster: Cluster): Promise<void> {
  const { container, commands } = action;
  for (const command of commands) {
    if (!isSame(await read(at, cluster), action)) return;
    try {
      await cluster.create(resources.Pod, execOptions(at, { container, command }), { subresource: 'exec' });
      return;
    } catch (error) {
      if (hasNotArrived(error)) throw unsent(error);
      if (!(error instanceof ApiError)) throw error;
      if (wasKilled(error)) return;
      if (!lacksProgram(error, command[0] ?? '')) throw answered(error);
    }
  }
  const programs = commands.map(([program = '']) => program);
  throw new ApiError({
    code: 422,
    reason: 'Invalid',
    message: `container ${container} has neither of the programs ${listed(programs, 'and')}, which send a signal: delete the pod`,
  });
}

async function read(at: ObjectKey, cluster: Cluster): Promise<Pod> {
  try {
    return (await cluster.get(resources.Pod, at)) as Pod;
  } catch (error) {
    if (isConflictOrNotFound(error) || !(error instanceof Error)) throw error;
    throw unsent(error);
  }
}

function hasNotArrived(error: unknown): error is Error {
  return error instanceof CredentialsError || (error instanceof TransportError && !error.outcomeUnknown);
}

/** No command has arrived, and as it is never sent again nothing is to be waited for. */
function unsent({ message }: Error): ApiError {
  return new ApiError({ code: 422, reason: 'Invalid', message: `no signal was sent: ${message}` });
}

function isSame(pod: Pod, { uid, container, containerID }: ExecAction): boolean {
  const status = containerStatus(pod, container);
  return (
    pod.metadata.uid === uid &&
    pod.metadata.deletionTimestamp === undefined &&
    status?.containerID === containerID &&
    objectOf(status['state'])['running'] !== undefined
  );
}

/** The server has answered that the command did not run: that is final, whatever the code, as it is never sent again. */
function answered(error: ApiError): ApiError {
  const { code } = error.status;
  return code === 429 || code >= 500 ? new ApiError({ ...error.status, code: 422 }) : error;
}
