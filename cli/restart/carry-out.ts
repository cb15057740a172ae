import { forTerminal } from '../../compiler/text/escape.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { countText } from '../../semantics/values/text.ts';
import { formatDuration } from '../../semantics/values/duration.ts';
import { timestamp } from '../../semantics/values/timestamp.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';
import { exitCode } from '../command/command.ts';
import type { Refusal } from '../command/refusal.ts';
import { reportRefusal } from '../command/report.ts';
import type { Host } from '../host.ts';
import type { PodToRestart } from './pods.ts';
import { endOf, isTakenUp, requestsOf } from './requests.ts';

/** How often requests are looked at. */
const LOOK_MS = 2_000;

/** What is carried out. */
export interface Restarts {
  namespace: string;
  /** Which run of the command it is, milliseconds since 1970. */
  since: number;
  batches: readonly (readonly PodToRestart[])[];
  /** How long a batch may take. */
  timeoutMs: number;
}

/** Writes the requests of a batch, waits until all containers have restarted, and goes on with the next one. Returns the exit code. */
export async function carryOut(host: Host, reached: ClusterAccess, restarts: Restarts): Promise<number> {
  const { clock } = reached;
  const { namespace, since, batches, timeoutMs } = restarts;
  const requests = requestsOf(reached, namespace, since);
  const machine = host.machine ?? (await import('../machine/node-machine.ts')).nodeMachine();
  const pods = batches.reduce((sum, batch) => sum + batch.length, 0);
  let done = 0;
  let wake = (): void => {};
  let isInterrupted = false;
  const removeListener = machine.onSignal(() => {
    isInterrupted = true;
    wake();
  });
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.after(LOOK_MS, resolve);
      wake = () => {
        cancel();
        resolve();
      };
    });
  const stop = (code: number, refusal: Refusal): number => {
    reportRefusal(host, 'restart', refusal);
    return code;
  };
  const goesOn = `goes on with --since ${timestamp(since)}`;
  try {
    for (const [index, batch] of batches.entries()) {
      if (isInterrupted) break;
      await requests.create(batch, () => isInterrupted);
      if (isInterrupted) break;
      const endsAt = clock.monotonic() + timeoutMs;
      for (;;) {
        const found = await requests.list();
        const requestIn = (pod: PodToRestart): KubeObject | undefined => found.get(requests.nameFor(pod));
        const left = underwayOf(batch, requestIn);
        const failed = failuresOf(batch, requestIn);
        host.progress?.(
          () =>
            `batch ${index + 1} of ${batches.length}: ${done + batch.length - left.length} of ${pods} pods`,
        );
        if (left.length === 0 && failed.length === 0) break;
        if (left.length === 0)
          return stop(exitCode.error, {
            problem: `${failed.join('; ')}; ${done} of ${countText(pods, 'pod')} had restarted before this batch`,
            help: `no further batch follows: the same command ${goesOn}`,
          });
        if (isInterrupted) break;
        if (clock.monotonic() >= endsAt)
          return stop(exitCode.undecided, {
            problem: `batch ${index + 1} has not ended within ${formatDuration(timeoutMs)}: ${left.join('; ')}`,
            help: `its requests stay: the same command ${goesOn}`,
          });
        await pause();
      }
      if (isInterrupted) break;
      done += batch.length;
      const names = batch.map(({ pod }) => pod.metadata.name);
      host.stdout(
        `${forTerminal(`batch ${index + 1} of ${batches.length}: ${shortList(names)} restarted`)}\n`,
      );
    }
  } finally {
    removeListener();
  }
  if (isInterrupted)
    return stop(exitCode.interrupted, {
      problem: `interrupted after ${done} of ${countText(pods, 'pod')}`,
      help: `requests that were sent are carried out: the same command ${goesOn}`,
    });
  return exitCode.done;
}

type RequestIn = (pod: PodToRestart) => KubeObject | undefined;

const MOST_NAMES = 3;

function shortList(names: readonly string[]): string {
  const first = names.slice(0, MOST_NAMES).join(', ');
  return names.length <= MOST_NAMES ? first : `${first} and ${names.length - MOST_NAMES} more`;
}

/** The pods of a batch whose requests have not ended, with what they wait for. */
function underwayOf(batch: readonly PodToRestart[], requestIn: RequestIn): string[] {
  return batch.flatMap((each) => {
    const { pod } = each;
    const request = requestIn(each);
    const end = endOf(request);
    if (end.is !== 'underway') return [];
    const waits = isTakenUp(request) ? 'waits' : 'no runtime has taken its request up';
    return [`${pod.metadata.name} ${end.why === undefined ? waits : `waits: ${end.why}`}`];
  });
}

function failuresOf(batch: readonly PodToRestart[], requestIn: RequestIn): string[] {
  return batch.flatMap((each) => {
    const { pod } = each;
    const end = endOf(requestIn(each));
    return end.is === 'failed' ? [`${pod.metadata.name} has not restarted: ${end.why ?? 'unknown'}`] : [];
  });
}
