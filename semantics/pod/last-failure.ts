import type { JsonObject } from '../../schemas/wire/json.ts';
import { numberOf, objectOf, textOf } from '../values/read.ts';
import { truncateUtf8 } from '../values/text.ts';
import { visibleText } from '../values/unsafe-text.ts';
import { unexplainedOf } from './in-place.ts';
import { isAboutBarrier } from './launching.ts';
import { sidecarChanges } from './sidecar-changes.ts';
import { type ContainerStatus, isSidecar, type Pod } from './types.ts';

/**
 * How a pod has failed, in the words of its containers and of its kubelet. Whoever can write an image or a pod writes these
 * words: they are cut, escaped and quoted wherever they are shown.
 */

/** Most characters of such a text that a cache has of one container. Escaping makes it longer, and what is shown is cut again. */
const RETAINED = 512;

/** Most bytes of such a text that are shown. */
const SHOWN_BYTES = 200;

/** The kubelet waits longer from try to try, and says how long: the run before says more. */
const BACK_OFF = 'CrashLoopBackOff';

/** What the kubelet says while it waits to pull again, with the last error after it since Kubernetes 1.31. */
const PULLS_AGAIN = 'Back-off pulling image';
const PULL_ERROR = 'ErrImagePull: ';

/** Reasons with which every new container waits. */
export const STARTING: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

/** How a run of a container ended: the fields of `terminated` that show a failure. */
export interface RunEnd {
  exitCode: number;
  reason?: string;
  message?: string;
}

/** Reads `terminated` of a state, with the end of its message; undefined: it shows no run that has ended. */
export function runEnd(terminated: unknown): RunEnd | undefined {
  const { exitCode, reason, message } = objectOf(terminated);
  const code = numberOf(exitCode);
  if (code === undefined) return undefined;
  const [why, text] = [textOf(reason), textOf(message).trim()];
  return {
    exitCode: code,
    ...(why !== '' && { reason: why }),
    ...(text !== '' && { message: text.slice(-RETAINED) }),
  };
}

/** The start of what the kubelet says about a container that waits; undefined: nothing that the next try does not change. */
export function waitMessage(waiting: unknown): string | undefined {
  const { reason, message } = objectOf(waiting);
  if (typeof reason !== 'string' || reason === BACK_OFF || STARTING.has(reason)) return undefined;
  const text = textOf(message).trim();
  const at = text.indexOf(PULL_ERROR);
  if (at === -1) return text === '' || text.startsWith(PULLS_AGAIN) ? undefined : text.slice(0, RETAINED);
  return text.slice(at + PULL_ERROR.length).slice(0, RETAINED);
}

/**
 * How the first container that waits, has failed, or was restarted did so, as a clause, or which one runs without being ready: not an init
 * container that ends, as it never is. What a failed probe says is in Events of its kubelet, and not in the pod. Undefined: nothing is
 * known. It may differ from try to try, so that it is for verdicts, and not for what is written again and again.
 *
 * @param judged the containers whose failures count, init containers included. Default: all
 */
export function lastFailure(pod: Pod, judged?: ReadonlySet<string>): string | undefined {
  const { initContainerStatuses: init = [], containerStatuses: own = [] } = pod.status ?? {};
  let [before, unready]: (string | undefined)[] = [];
  for (const status of [...init, ...own].filter(({ name }) => judged?.has(name) !== false)) {
    const state = objectOf(status['state']);
    const waits = waitMessage(state['waiting']);
    if (
      waits !== undefined &&
      !isAboutBarrier(pod.metadata.name, textOf(objectOf(state['waiting'])['message']))
    )
      return `${status.name}: ${quoted(waits, 'start')}`;
    const end = runEnd(state['terminated']);
    if (end !== undefined && end.exitCode !== 0) return endText(status, end);
    before ??= endBefore(pod, status, state);
    if (status.ready === false && state['running'] !== undefined && !isEnding(pod, status))
      unready ??= `${status.name} is running, and not ready`;
  }
  return before ?? unready;
}

/** Whether it is an init container that runs to its end, and is not ready until then. */
function isEnding(
  { spec, status: { initContainerStatuses: init = [] } = {} }: Pod,
  of: ContainerStatus,
): boolean {
  if (!init.includes(of)) return false;
  return spec.initContainers?.some((each) => each.name === of.name && isSidecar(each)) !== true;
}

/** How the run before ended; undefined: an update has ended it, or it is not known. */
function endBefore(pod: Pod, status: ContainerStatus, state: JsonObject): string | undefined {
  const isBackingOff = objectOf(state['waiting'])['reason'] === BACK_OFF;
  if (!isBackingOff && !isRestarted(pod, status)) return undefined;
  const end = runEnd(objectOf(status['lastState'])['terminated']);
  return end && endText(status, end);
}

/** Whether a container was restarted since its last change, besides the restart by the change. */
function isRestarted(pod: Pod, status: ContainerStatus): boolean {
  if (unexplainedOf(pod, status) === 0) return false;
  return (status.restartCount ?? 0) > (sidecarChanges(pod).restarts.get(status.name) ?? 0);
}

function endText({ name }: ContainerStatus, end: RunEnd): string {
  return `${name} ${exitText(end)}`;
}

/** Reasons that say no more than the exit code. */
const PLAIN = new Set(['Error', 'Completed']);

/** The end of a run of a container, to follow its name: `exited with code 137, OOMKilled: "…"`. */
export function exitText({ exitCode, reason, message }: RunEnd): string {
  const why = reason === undefined || PLAIN.has(reason) ? '' : `, ${visibleText(truncateUtf8(reason, 64))}`;
  return `exited with code ${exitCode}${why}${message === undefined ? '' : `: ${quoted(message, 'end')}`}`;
}

/** A foreign text in quotation marks that it cannot close, with what is cut off at the other end shown as `…`. */
export function quoted(text: string, keep: 'start' | 'end'): string {
  const safe = visibleText(text.trim()).replaceAll('"', "'");
  const start = truncateUtf8(safe, SHOWN_BYTES);
  if (start === safe) return `"${safe}"`;
  if (keep === 'start') return `"${start}…"`;
  const reversed = [...safe].reverse().join('');
  return `"…${[...truncateUtf8(reversed, SHOWN_BYTES)].reverse().join('')}"`;
}
