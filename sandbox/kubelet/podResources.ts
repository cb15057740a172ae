import type { Container, Pod, PodCondition, ResourceRequirements } from '../../schemas/pods/pod.ts';
import { sameValue } from '../../schemas/pods/fields.ts';
import { isRunning } from './containerRun.ts';
import { restartContainer } from './containerStop.ts';
import { newContainerAllocation, allocationOf, type ContainerAllocation } from './allocation.ts';
import { graceOf, runNamed, type PodHost, type PodRun } from './podRun.ts';
import { podDemand, resizeRestarts, shortage, type Demand } from './resources.ts';

export type ResizeCondition = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;

function awaits({ awaited }: ContainerAllocation): boolean {
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
  const { containers, applying } = run.allocation;
  for (const share of containers)
    if (
      share.awaited !== undefined &&
      restartsOf(run, share.container) > share.awaited &&
      runs(run, share.container)
    ) {
      share.actual = share.allocated;
      share.awaited = undefined;
      if (!containers.some(awaits) && !applying) recordCompleted(host, run);
    }
}

function recordCompleted(host: PodHost, { uid }: PodRun): void {
  host.recordEvent(uid, 'Normal', 'ResizeCompleted', 'Pod resize completed', undefined);
}

function refuse(host: PodHost, run: PodRun, reason: 'Infeasible' | 'Deferred', message: string): void {
  const { allocation } = run;
  if (allocation.pending?.reason === reason && allocation.pending.message === message) return;
  allocation.pending = { reason, message };
  host.recordEvent(run.uid, 'Warning', `Resize${reason}`, `Pod resize ${reason}: ${message}`, undefined);
}

function give(
  host: PodHost,
  run: PodRun,
  pod: Pod,
  changed: readonly [Container, ContainerAllocation][],
): void {
  const { allocation } = run;
  allocation.pending = undefined;
  host.recordEvent(run.uid, 'Normal', 'ResizeStarted', 'Pod resize started', undefined);
  for (const [container, share] of changed) {
    const { name } = container;
    const from = share.allocated;
    const to = container.resources ?? {};
    share.allocated = to;
    allocation.counted = undefined;
    const found = runNamed(run, name);
    if (found === undefined || !isRunning(found)) share.actual = to;
    else if (resizeRestarts(container, from, to)) {
      share.awaited = restartsOf(run, name);
      restartContainer(host, found, graceOf(pod), `Container ${name} resize requires restart`);
    } else if (!allocation.applying) {
      allocation.applying = true;
      host.later(host.timings.startMs, () => applied(host, run));
    }
  }
}

function applied(host: PodHost, run: PodRun): void {
  const { allocation } = run;
  allocation.applying = false;
  for (const share of allocation.containers) if (!awaits(share)) share.actual = share.allocated;
  if (!allocation.containers.some(awaits)) recordCompleted(host, run);
  host.changed(run.uid);
}

/**
 * Compares the spec with the allocation and resizes as far as the node allows. A resize without restart takes
 * `startMs`.
 */
export function syncResources(host: PodHost, run: PodRun, pod: Pod): void {
  const { allocation } = run;
  settle(host, run);
  const changed: [Container, ContainerAllocation][] = [];
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    const resources = container.resources ?? {};
    const share = allocationOf(allocation, container.name);
    if (share === undefined)
      allocation.containers = [...allocation.containers, newContainerAllocation(container.name, resources)];
    else if (share.allocated !== resources && !sameValue(share.allocated, resources))
      changed.push([container, share]);
  }
  if (changed.length === 0) {
    allocation.pending = undefined;
    return;
  }
  const lack = shortage(podDemand(pod), host.capacity(run.uid));
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

/** The resources of a container; undefined before its first sync. */
export function resourcesOf({ allocation }: PodRun, container: string): ResourceRequirements | undefined {
  return allocationOf(allocation, container)?.actual;
}

/** The effective resource requests of the pod. */
export function demandOf({ allocation }: PodRun, pod: Pod): Demand {
  if (allocation.counted?.spec !== pod.spec) {
    const demand = podDemand(
      pod,
      ({ name, resources }) => allocationOf(allocation, name)?.allocated ?? resources ?? {},
    );
    allocation.counted = { spec: pod.spec, demand };
  }
  return allocation.counted.demand;
}

export function resizeConditions({ allocation }: PodRun): ResizeCondition[] {
  const conditions: ResizeCondition[] = [];
  if (allocation.pending !== undefined)
    conditions.push({ type: 'PodResizePending', status: 'True', ...allocation.pending });
  if (allocation.applying || allocation.containers.some(awaits))
    conditions.push({ type: 'PodResizeInProgress', status: 'True' });
  return conditions;
}

/** Whether the resize waits for other pods to release resources. */
export function isDeferred({ allocation }: PodRun): boolean {
  return allocation.pending?.reason === 'Deferred';
}
