import { ApiError, type ObjectKey, type Status } from './cluster.ts';
import type { KubeObject } from './object.ts';

/** A command in a container. */
export interface ExecCommand {
  /** Undefined: the only one. */
  container: string | undefined;
  command: readonly string[];
}

/** The options of a command, as `Cluster.create` takes them with the subresource `exec` of a pod. Nothing is sent to its input. */
export function execOptions(
  { namespace = '', name }: ObjectKey,
  { container, command }: ExecCommand,
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'PodExecOptions',
    metadata: { namespace, name },
    stderr: true,
    command: [...command],
    ...(container !== undefined && { container }),
  };
}

/** What such options ask for. */
export function commandOf(options: KubeObject): ExecCommand {
  const { container, command } = options as { container?: unknown; command?: unknown };
  return {
    container: typeof container === 'string' ? container : undefined,
    command: Array.isArray(command) ? command.filter((word) => typeof word === 'string') : [],
  };
}

/**
 * The error of a command that failed in its container. The Status of a server has no code for that, or 500, which is a code of servers
 * that are not well: this is an answer.
 */
export function failedCommand({ reason, message, details }: Omit<Status, 'code'>, stderr: string): ApiError {
  const said = stderr.trim();
  return new ApiError({
    code: 422,
    reason,
    message: said === '' ? message : `${message}: ${said}`,
    ...(details !== undefined && { details }),
  });
}

/** How a command ended by itself; undefined: it did not, or nobody knows. */
function exitOf({ status: { details } }: ApiError): string | undefined {
  return details?.causes?.find((cause) => cause.reason === 'ExitCode')?.message;
}

/** Whether a command failed as its container lacks the program, or may not run it. Other texts that miss something are about other things. */
export function lacksProgram(error: ApiError, program: string): boolean {
  const exit = exitOf(error);
  if (exit !== undefined) return exit === '126' || exit === '127';
  const { code, reason, message } = error.status;
  if (code !== 422 || reason !== 'InternalError') return false;
  return [`exec: "${program}":`, `executable file \`${program}\``].some((text) => message.includes(text));
}

/** Whether a command was ended by a signal itself, as all of a container are whose first process ends: it may have done its work. */
export function wasKilled(error: ApiError): boolean {
  return ['137', '143'].includes(exitOf(error) ?? '');
}
