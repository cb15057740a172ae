import type { Container } from '../../schemas/pods/pod.ts';
import { firstBackoffMs } from './backoff.ts';
import { cancelTimers, isRunning, type ContainerHost, type ContainerRun } from './containerRun.ts';
import { launch, relaunch, resumeWait } from './containerStart.ts';
import { replaceContainer } from './containerStop.ts';
import { watchOver } from './containerWatch.ts';

/** Reconciles one container. Returns true while later containers have to wait. */
export function advanceContainer(
  host: ContainerHost,
  run: ContainerRun,
  wanted: Container,
  restartPolicy: string,
  graceMs: number,
): boolean {
  const { record } = run;
  run.wanted = wanted;
  const wantedImage = wanted.image ?? '';
  if (run.work === 'stop') return false;
  if (run.unwatched) watchOver(host, run, graceMs);
  if (wantedImage !== record.image) {
    if (isRunning(run)) {
      const why = `Container ${run.name} definition changed, will be restarted`;
      replaceContainer(host, run, graceMs, why);
      return false;
    }
    cancelTimers(run);
    record.image = wantedImage;
    run.crashes = 0;
    run.backoffMs = 0;
    run.pullBackoffMs = firstBackoffMs;
    // A changed image starts a new container even after a final exit.
    launch(host, run, graceMs);
  } else if (run.work === undefined && record.state.terminated !== undefined) {
    const again =
      restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && record.state.terminated.exitCode !== 0);
    if (run.replaced) launch(host, run, graceMs);
    else if (again) relaunch(host, run, graceMs);
  } else if (run.work === undefined && record.state.waiting !== undefined) resumeWait(host, run, graceMs);
  return isStarting(run);
}

function isStarting({ work }: ContainerRun): boolean {
  return work === 'pull' || work === 'start';
}
