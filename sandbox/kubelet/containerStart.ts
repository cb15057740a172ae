import { backoffIn, crashLoopText, firstBackoffMs, resetAfterMs, longestBackoffMs } from './backoff.ts';
import { recordStart, recordWait } from './containerRecord.ts';
import {
  after,
  behaviorOf,
  cancelTimers,
  exited,
  recordContainerEvent,
  type ContainerHost,
  type ContainerRun,
} from './containerRun.ts';
import { notConfigured } from './containerConfig.ts';
import { accessDenied } from './pullSecrets.ts';
import { doesHookFail, hookTime, stopContainer } from './containerStop.ts';
import { watchOver } from './containerWatch.ts';

const backoffShownAfterMs = 1000;

function created(host: ContainerHost, run: ContainerRun, started: boolean): void {
  const { record } = run;
  cancelTimers(run);
  recordStart(record, {
    now: host.now(),
    containerID: host.newContainerId(),
    imageID: host.cache.idOf(record.image),
    started,
  });
  run.replaced = false;
  recordContainerEvent(host, run, 'Normal', 'Created', 'Container created');
}

/** The container runs, and its postStart hook has ended. */
function running(
  host: ContainerHost,
  run: ContainerRun,
  { graceMs, hookFailed }: { graceMs: number; hookFailed: boolean },
): void {
  created(host, run, !hookFailed && run.wanted.startupProbe === undefined);
  recordContainerEvent(host, run, 'Normal', 'Started', 'Container started');
  if (hookFailed) {
    recordContainerEvent(host, run, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
    recordContainerEvent(host, run, 'Normal', 'Killing', 'FailedPostStartHook');
    stopContainer(host, run, graceMs, () => host.changed(run.pod.uid));
  } else watchOver(host, run, graceMs);
  host.changed(run.pod.uid);
}

/** A path below this folder is in no image: a container with such a command is created, and cannot start. */
const NOWHERE = '/does-not-exist/';

/** The longest name in a path, and the longest path with its final zero byte. */
const NAME_MAX = 255;
const PATH_MAX = 4096;

/** Why the command of a container cannot be started, as the kernel says it; undefined: it can. */
function commandFault({ wanted }: ContainerRun): string | undefined {
  const { command } = wanted as { command?: unknown };
  const first: unknown = Array.isArray(command) ? command[0] : undefined;
  if (typeof first !== 'string') return undefined;
  const isLong = [first, ...first.split('/')].some(
    (text, index) => Buffer.byteLength(text) > (index === 0 ? PATH_MAX - 1 : NAME_MAX),
  );
  if (!isLong && !first.startsWith(NOWHERE)) return undefined;
  return `exec: "${first}": stat ${first}: ${isLong ? 'file name too long' : 'no such file or directory'}`;
}

/** What containerd reports of a container whose command cannot be started. */
function startFailed(host: ContainerHost, run: ContainerRun, cause: string): void {
  created(host, run, false);
  const message = `Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: ${cause}`;
  recordContainerEvent(host, run, 'Warning', 'Failed', message);
  exited(host, run, 128, 'StartError');
  host.changed(run.pod.uid);
}

function pullFailed(host: ContainerHost, run: ContainerRun, error: string): void {
  const { record } = run;
  cancelTimers(run);
  recordWait(record, 'ErrImagePull', error);
  recordContainerEvent(host, run, 'Warning', 'Failed', `Failed to pull image "${record.image}": ${error}`);
  recordContainerEvent(host, run, 'Warning', 'Failed', 'Error: ErrImagePull');
  run.work = 'backoff';
  const delay = run.pullBackoffMs;
  run.pullBackoffMs = Math.min(run.pullBackoffMs * 2, longestBackoffMs);
  after(host, run, backoffShownAfterMs, () => {
    const message = `Back-off pulling image "${record.image}"`;
    recordWait(record, 'ImagePullBackOff', message);
    recordContainerEvent(host, run, 'Normal', 'BackOff', message);
    recordContainerEvent(host, run, 'Warning', 'Failed', 'Error: ImagePullBackOff');
    host.changed(run.pod.uid);
  });
  after(host, run, delay, () => {
    cancelTimers(run);
    host.changed(run.pod.uid);
  });
  host.changed(run.pod.uid);
}

const neverPulledAgainMs = 10_000;

/** The image may come to the node by another pod. */
function notThere(host: ContainerHost, run: ContainerRun): void {
  const { image } = run.record;
  cancelTimers(run);
  const message = `Container image "${image}" is not present with pull policy of Never`;
  recordWait(run.record, 'ErrImageNeverPull', message);
  recordContainerEvent(host, run, 'Warning', 'ErrImageNeverPull', message);
  recordContainerEvent(host, run, 'Warning', 'Failed', 'Error: ErrImageNeverPull');
  run.work = 'backoff';
  after(host, run, neverPulledAgainMs, () => {
    cancelTimers(run);
    host.changed(run.pod.uid);
  });
  host.changed(run.pod.uid);
}

/** Pulls the image as the policy of the container says, then starts the container. */
export function launch(host: ContainerHost, run: ContainerRun, graceMs: number): void {
  const { record } = run;
  const { imagePullPolicy } = run.wanted;
  if (imagePullPolicy === 'Never' && !host.cache.has(record.image)) return notThere(host, run);
  run.work = 'pull';
  let answered = false;
  let waits = false;
  const begun = host.now();
  function pulled(error: string | undefined, tookMs?: number): void {
    answered = true;
    if (error !== undefined) return pullFailed(host, run, error);
    const inAll = (host.now() - begun) / 1000;
    recordContainerEvent(
      host,
      run,
      'Normal',
      'Pulled',
      waits
        ? `Successfully pulled image "${record.image}" in ${Math.min((tookMs ?? 0) / 1000, inAll)}s (${inAll}s including waiting). Image size: ${host.images.sizeOf(record.image)} bytes.`
        : `Container image "${record.image}" already present on machine`,
    );
    run.pullBackoffMs = firstBackoffMs;
    const problem = host.missingConfig(run.pod.uid, run.wanted);
    if (problem !== undefined) return notConfigured(host, run, problem);
    cancelTimers(run);
    run.work = 'start';
    const behavior = behaviorOf(host, run, record.image);
    const { postStart } = run.wanted.lifecycle ?? {};
    const hookMs = hookTime(postStart, behavior.postStartMs);
    const hookFailed = doesHookFail(postStart, behavior.postStartFails);
    const startMs = behavior.startMs ?? host.timings.startMs;
    const fault = commandFault(run);
    if (fault === undefined)
      after(host, run, startMs + hookMs, () => running(host, run, { graceMs, hookFailed }));
    else after(host, run, startMs, () => startFailed(host, run, fault));
  }
  const always = imagePullPolicy === 'Always';
  const isAsked = always || !host.cache.has(record.image);
  const isPrivate = host.images.of(record.image).isPrivate === true;
  const isDenied = isAsked && isPrivate && !host.hasCredentials(run.pod.uid, record.image);
  // Whoever is denied shares no pull of another one.
  const cancel = isDenied ? () => {} : host.cache.pull(record.image, pulled, { always });
  if (answered) return;
  waits = true;
  recordContainerEvent(host, run, 'Normal', 'Pulling', `Pulling image "${record.image}"`);
  if (isDenied) after(host, run, 0, () => pullFailed(host, run, accessDenied(record.image)));
  else run.cancels = [...run.cancels, cancel];
}

function titleOf({ pod }: ContainerRun): string {
  return `${pod.name}_${pod.namespace}(${pod.uid})`;
}

function backOff(
  host: ContainerHost,
  run: ContainerRun,
  { delayMs, remainingMs }: { delayMs: number; remainingMs: number },
  graceMs: number,
): void {
  run.work = 'backoff';
  const message = `Back-off restarting failed container ${run.name} in pod ${titleOf(run)}`;
  recordContainerEvent(host, run, 'Warning', 'BackOff', message);
  run.backoffMs = Math.min(Math.max(delayMs * 2, firstBackoffMs), longestBackoffMs);
  after(host, run, remainingMs, () => {
    cancelTimers(run);
    launch(host, run, graceMs);
  });
}

/** Restarts after an exit: immediately the first time, then with a backoff of 10 s, doubling up to five minutes. */
export function relaunch(host: ContainerHost, run: ContainerRun, graceMs: number): void {
  const { record } = run;
  if (record.startedAt > 0 && host.now() - record.startedAt >= resetAfterMs) run.backoffMs = 0;
  const delayMs = run.backoffMs;
  if (delayMs === 0) {
    run.backoffMs = firstBackoffMs;
    return launch(host, run, graceMs);
  }
  recordWait(record, 'CrashLoopBackOff', crashLoopText(delayMs, run.name, titleOf(run)));
  backOff(host, run, { delayMs, remainingMs: delayMs }, graceMs);
}

/** Continues the wait of an earlier kubelet. */
export function resumeWait(host: ContainerHost, run: ContainerRun, graceMs: number): void {
  const { state, lastState } = run.record;
  const delayMs = backoffIn(state.waiting?.message);
  const finishedAt = Date.parse(lastState.terminated?.finishedAt ?? '');
  if (state.waiting?.reason !== 'CrashLoopBackOff' || delayMs === undefined || Number.isNaN(finishedAt))
    return launch(host, run, graceMs);
  backOff(host, run, { delayMs, remainingMs: finishedAt + delayMs - host.now() }, graceMs);
}
