import type { Container, Pod, PodCondition, ResourceRequirements } from '../kinds/pod.ts';
import { sameValue } from '../store/value.ts';
import { isRunning } from './containerRun.ts';
import { restartContainer } from './containerStop.ts';
import { newShare, shareOf, type Share } from './givenResources.ts';
import { graceOf, runNamed, type PodHost, type PodRun } from './podRun.ts';
import { podDemand, resizeRestarts, shortage, type Demand } from './resources.ts';

export type ResizeCondition = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;

function awaits({ awaited }: Share): boolean {
  return awaited !== undefined;
}

function restartsOf(run: PodRun, container: string): number {
  return Math.max(0, (runNamed(run, container)?.record.starts ?? 0) - 1);
}

function runs(run: PodRun, container: string): boolean {
  const found = runNamed(run, container);
  return found !== undefined && isRunning(found);
}

function settle(host: PodHost, run: PodRun): void {
  const { shares, applying } = run.given;
  for (const share of shares)
    if (
      share.awaited !== undefined &&
      restartsOf(run, share.container) > share.awaited &&
      runs(run, share.container)
    ) {
      share.actual = share.allocated;
      share.awaited = undefined;
      if (!shares.some(awaits) && !applying) sayCompleted(host, run);
    }
}

function sayCompleted(host: PodHost, { uid }: PodRun): void {
  host.say(uid, 'Normal', 'ResizeCompleted', 'Pod resize completed', undefined);
}

function refuse(host: PodHost, run: PodRun, reason: 'Infeasible' | 'Deferred', message: string): void {
  const { given } = run;
  if (given.pending?.reason === reason && given.pending.message === message) return;
  given.pending = { reason, message };
  host.say(run.uid, 'Warning', `Resize${reason}`, `Pod resize ${reason}: ${message}`, undefined);
}

function give(host: PodHost, run: PodRun, pod: Pod, changed: readonly [Container, Share][]): void {
  const { given } = run;
  given.pending = undefined;
  host.say(run.uid, 'Normal', 'ResizeStarted', 'Pod resize started', undefined);
  for (const [container, share] of changed) {
    const { name } = container;
    const from = share.allocated;
    const to = container.resources ?? {};
    share.allocated = to;
    given.counted = undefined;
    const found = runNamed(run, name);
    if (found === undefined || !isRunning(found)) share.actual = to;
    else if (resizeRestarts(container, from, to)) {
      share.awaited = restartsOf(run, name);
      restartContainer(host, found, graceOf(pod), `Container ${name} resize requires restart`);
    } else if (!given.applying) {
      given.applying = true;
      host.later(host.timings.startMs, () => applied(host, run));
    }
  }
}

function applied(host: PodHost, run: PodRun): void {
  const { given } = run;
  given.applying = false;
  for (const share of given.shares) if (!awaits(share)) share.actual = share.allocated;
  if (!given.shares.some(awaits)) sayCompleted(host, run);
  host.changed(run.uid);
}

/** Compares with the spec; gives what the node can give. A change that restarts nothing takes `startMs`. */
export function syncResources(host: PodHost, run: PodRun, pod: Pod): void {
  const { given } = run;
  settle(host, run);
  const changed: [Container, Share][] = [];
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    const resources = container.resources ?? {};
    const share = shareOf(given, container.name);
    if (share === undefined) given.shares = [...given.shares, newShare(container.name, resources)];
    else if (share.allocated !== resources && !sameValue(share.allocated, resources))
      changed.push([container, share]);
  }
  if (changed.length === 0) {
    given.pending = undefined;
    return;
  }
  const lack = shortage(podDemand(pod), host.room(run.uid));
  if (lack === undefined) return give(host, run, pod, changed);
  const { resource, requested, used, capacity } = lack;
  if (lack.forever)
    refuse(
      host,
      run,
      'Infeasible',
      `Node didn't have enough capacity: ${resource}, requested: ${requested}, capacity: ${capacity}`,
    );
  else
    refuse(
      host,
      run,
      'Deferred',
      `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
    );
}

/** What a container has; undefined before it was seen. */
export function resourcesOf({ given }: PodRun, container: string): ResourceRequirements | undefined {
  return shareOf(given, container)?.actual;
}

/** What the pod's containers are entitled to. */
export function demandOf({ given }: PodRun, pod: Pod): Demand {
  if (given.counted?.spec !== pod.spec) {
    const demand = podDemand(
      pod,
      ({ name, resources }) => shareOf(given, name)?.allocated ?? resources ?? {},
    );
    given.counted = { spec: pod.spec, demand };
  }
  return given.counted.demand;
}

export function resizeConditions({ given }: PodRun): ResizeCondition[] {
  const conditions: ResizeCondition[] = [];
  if (given.pending !== undefined)
    conditions.push({ type: 'PodResizePending', status: 'True', ...given.pending });
  if (given.applying || given.shares.some(awaits))
    conditions.push({ type: 'PodResizeInProgress', status: 'True' });
  return conditions;
}

/** Waits for others to give up resources. */
export function isDeferred({ given }: PodRun): boolean {
  return given.pending?.reason === 'Deferred';
}
