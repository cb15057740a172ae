import type { Container, Pod, PodCondition, ResourceRequirements } from '../kinds/pod.ts';
import { sameValue } from '../store/value.ts';
import { podDemand, resizeRestarts, shortage, type Demand, type Room } from './resources.ts';

export type ResizeCondition = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;

export interface PodResourcesHost {
  room(): Room;
  later(delayMs: number, run: () => void): () => void;
  /** How long a change of resources takes that restarts nothing. */
  resizeMs: number;
  restarts(container: string): number;
  isRunning(container: string): boolean;
  restart(container: string, why: string): void;
  /** A resize has begun, ended, or has to wait. */
  say(type: 'Normal' | 'Warning', reason: string, message: string): void;
  changed(): void;
}

/** What the containers of one pod were given, and the change of it that is asked for. */
export interface PodResources {
  /** Compares with the spec; gives what the node can give. */
  sync(pod: Pod): void;
  /** What a container has; undefined before it was seen. */
  of(container: string): ResourceRequirements | undefined;
  demand(pod: Pod): Demand;
  conditions(): ResizeCondition[];
  /** Waits for room on the node. */
  isDeferred(): boolean;
}

/** `known`: what a status says that containers have, of a pod that is taken over. */
export function createPodResources(
  host: PodResourcesHost,
  known: ReadonlyMap<string, ResourceRequirements>,
): PodResources {
  const allocated = new Map<string, ResourceRequirements>(known);
  const actual = new Map<string, ResourceRequirements>(known);
  /** Containers that get theirs with a restart: how often they had been restarted when it was asked. */
  const awaiting = new Map<string, number>();
  let pending: { reason: 'Infeasible' | 'Deferred'; message: string } | undefined;
  let applying = false;
  /** What was asked for last, until something changes. */
  let counted: { spec: Pod['spec']; demand: Demand } | undefined;

  function resizable({ spec }: Pod): Container[] {
    return [...(spec.initContainers ?? []), ...spec.containers];
  }

  function settle(): void {
    for (const [name, before] of awaiting)
      if (host.restarts(name) > before && host.isRunning(name)) {
        actual.set(name, allocated.get(name) ?? {});
        awaiting.delete(name);
        if (awaiting.size === 0 && !applying) host.say('Normal', 'ResizeCompleted', 'Pod resize completed');
      }
  }

  function refuse(reason: 'Infeasible' | 'Deferred', message: string): void {
    if (pending?.reason === reason && pending.message === message) return;
    pending = { reason, message };
    host.say('Warning', `Resize${reason}`, `Pod resize ${reason}: ${message}`);
  }

  function give(changed: readonly Container[]): void {
    pending = undefined;
    host.say('Normal', 'ResizeStarted', 'Pod resize started');
    for (const container of changed) {
      const { name } = container;
      const from = allocated.get(name) ?? {};
      const to = container.resources ?? {};
      allocated.set(name, to);
      counted = undefined;
      if (!host.isRunning(name)) actual.set(name, to);
      else if (resizeRestarts(container, from, to)) {
        awaiting.set(name, host.restarts(name));
        host.restart(name, `Container ${name} resize requires restart`);
      } else if (!applying) {
        applying = true;
        host.later(host.resizeMs, () => {
          applying = false;
          for (const [each, resources] of allocated) if (!awaiting.has(each)) actual.set(each, resources);
          if (awaiting.size === 0) host.say('Normal', 'ResizeCompleted', 'Pod resize completed');
          host.changed();
        });
      }
    }
  }

  return {
    sync(pod) {
      settle();
      const changed: Container[] = [];
      for (const container of resizable(pod)) {
        const resources = container.resources ?? {};
        const has = allocated.get(container.name);
        if (has === undefined) {
          allocated.set(container.name, resources);
          actual.set(container.name, resources);
        } else if (has !== resources && !sameValue(has, resources)) changed.push(container);
      }
      if (changed.length === 0) {
        pending = undefined;
        return;
      }
      const lack = shortage(podDemand(pod), host.room());
      if (lack === undefined) give(changed);
      else if (lack.forever)
        refuse(
          'Infeasible',
          `Node didn't have enough capacity: ${lack.resource}, requested: ${lack.requested}, capacity: ${lack.capacity}`,
        );
      else
        refuse(
          'Deferred',
          `Node didn't have enough resource: ${lack.resource}, requested: ${lack.requested}, used: ${lack.used}, capacity: ${lack.capacity}`,
        );
    },
    of: (container) => actual.get(container),
    demand(pod) {
      if (counted?.spec !== pod.spec)
        counted = {
          spec: pod.spec,
          demand: podDemand(pod, ({ name, resources }) => allocated.get(name) ?? resources ?? {}),
        };
      return counted.demand;
    },
    conditions() {
      const conditions: ResizeCondition[] = [];
      if (pending !== undefined) conditions.push({ type: 'PodResizePending', status: 'True', ...pending });
      if (applying || awaiting.size > 0) conditions.push({ type: 'PodResizeInProgress', status: 'True' });
      return conditions;
    },
    isDeferred: () => pending?.reason === 'Deferred',
  };
}
