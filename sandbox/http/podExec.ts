import type { Pod } from '../../schemas/pods/pod.ts';
import { scriptOf, type CommandScript } from '../kubelet/script.ts';
import { containerOf, refusal, statusOf } from './podContainer.ts';
import { success, type WireStatus } from './status.ts';

/** How a command in a container ends: what it prints, and the Status that the client gets last. */
export interface Executed {
  stdout: string;
  stderr: string;
  status: WireStatus;
}

/**
 * Runs a command in a container by the script of its pod. A command that the script does not have is not found, as in a
 * container without that program. Throws ApiError where a server refuses the connection.
 */
export function podExec(pod: Pod, query: URLSearchParams): Executed {
  const name = containerOf(pod, query.get('container'));
  const words = query.getAll('command');
  if (words.length === 0) throw refusal('you must specify at least 1 command for the container');
  if (pod.spec.nodeName === undefined)
    throw refusal(`pod ${pod.metadata.name} does not have a host assigned`);
  const status = statusOf(pod, name);
  if (status?.state?.running === undefined) throw refusal(`container not found ("${name}")`);
  const script = scriptOf(pod, name)?.exec.get(words.join(' '));
  if (script !== undefined) return { stdout: script.stdout, stderr: script.stderr, status: ended(script) };
  return { stdout: '', stderr: '', status: notFound(words) };
}

function ended({ exitCode }: CommandScript): WireStatus {
  if (exitCode === 0) return success();
  return {
    ...success(),
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

function notFound([program = '']: readonly string[]): WireStatus {
  const reason = `exec: "${program}": executable file not found in $PATH`;
  return {
    ...success(),
    status: 'Failure',
    message: `Internal error occurred: error executing command in container: OCI runtime exec failed: exec failed: unable to start container process: ${reason}`,
    reason: 'InternalError',
    details: { causes: [{ message: `error executing command in container: ${reason}` }] },
    code: 500,
  };
}
