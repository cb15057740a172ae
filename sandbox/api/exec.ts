import type { Pod } from '../../schemas/pods/pod.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { AdmittedWrite } from '../policies/write.ts';
import type { Served } from './registry.ts';
import { scriptOf, type CommandScript } from '../kubelet/script.ts';
import { containerOf, refusal, statusOf } from '../http/podContainer.ts';
import { success, type WireStatus } from '../http/status.ts';

/** How a command in a container ends: what it prints, and the Status that the client gets last. */
export interface Executed {
  stdout: string;
  stderr: string;
  status: WireStatus;
  /** What it does beside, once its client is connected. */
  act?(): void;
}

/** A command in a container: the fields of a PodExecOptions. */
export interface ExecCommand {
  /** Undefined: the only one. */
  container: string | undefined;
  command: readonly string[];
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  tty?: boolean;
}

/** The connection to a container, as admission sees it: its options, which are no stored object. */
export function connectTo(
  served: Served,
  { metadata: { namespace = '', name } }: Pod,
  { container, command, ...streams }: ExecCommand,
): Omit<AdmittedWrite, 'requester'> {
  const isSet = Object.entries(streams).filter(([, value]) => value);
  const options = {
    apiVersion: 'v1',
    kind: 'PodExecOptions',
    ...Object.fromEntries(isSet),
    ...(container !== undefined && { container }),
    command: [...command],
  };
  return {
    ...{ operation: 'CONNECT', served, subresource: 'exec', namespace, name, dryRun: false },
    object: options as unknown as KubeObject,
  };
}

/** The commands that ask the first process of a container to end. */
const TERMINATES: ReadonlySet<string> = new Set([
  'kill 1',
  'kill -15 1',
  'kill -TERM 1',
  'sh -c kill 1',
  'sh -c kill -TERM 1',
]);

/**
 * Runs a command in a container by the script of its pod. A command that the script does not have is not found, as in a
 * container without that program. `kill` is in every container whose script does not have it. Throws ApiError where a server refuses the
 * connection.
 *
 * @param terminate sends the signal
 */
export function execIn(
  pod: Pod,
  { container, command }: ExecCommand,
  terminate: (container: string) => void,
): Executed {
  const name = containerOf(pod, container ?? null);
  if (command.length === 0) throw refusal('you must specify at least 1 command for the container');
  if (pod.spec.nodeName === undefined)
    throw refusal(`pod ${pod.metadata.name} does not have a host assigned`);
  const status = statusOf(pod, name);
  if (status?.state?.running === undefined) throw refusal(`container not found ("${name}")`);
  const words = command.join(' ');
  const script = scriptOf(pod, name)?.exec.get(words);
  if (script !== undefined) return { stdout: script.stdout, stderr: script.stderr, status: ended(script) };
  if (!TERMINATES.has(words)) return { stdout: '', stderr: '', status: notFound(command) };
  return { stdout: '', stderr: '', status: success(), act: () => terminate(name) };
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
