import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action, EventDraft } from '../decision.ts';
import { containerStatus, withResourceVersion } from '../pod/in-place.ts';
import { RECREATED_ANNOTATION, recordOf, withRecreated } from '../pod/recreated.ts';
import type { Pod } from '../pod/types.ts';
import { listed } from '../values/listed.ts';
import { objectOf } from '../values/read.ts';
import type { NormalRequest } from './normalize.ts';
import { hasPreStop, stopOf } from './refusal.ts';
import type { ContainerState } from './states.ts';

/** Which containers are stopped, and which cannot be. */
export interface Stopping {
  /** The spelling of the image, of those that are stopped now. */
  next: ReadonlyMap<string, string>;
  /** Why not, as a clause, of those that never can be. */
  refused: ReadonlyMap<string, string>;
}

/**
 * Which of the pending containers are stopped now (OpenKruise container-recreate-request, rule 6b.6 and 12.4). In order, one is stopped
 * once all before it are done. Without an order all go in one write, unless one has a hook: the kubelet stops those of a write one
 * after another, in any order, so that the next is stopped once the one before has ended.
 */
export function stoppingOf(pod: Pod, request: NormalRequest, states: readonly ContainerState[]): Stopping {
  const ways = new Map(
    states
      .filter(({ phase, message }) => phase === 'Pending' && message === undefined)
      .map(({ name }) => [name, stopOf(pod, name, request)]),
  );
  const refused = new Map(
    [...ways].flatMap(([name, way]) => ('refused' in way ? [[name, way.refused] as const] : [])),
  );
  const possible = [...ways].flatMap(([name, way]) => ('image' in way ? [[name, way.image] as const] : []));
  const areTogether = !request.isOrdered && !request.containers.some((name) => hasPreStop(pod, name));
  return {
    refused,
    next: new Map(
      areTogether ? possible : possible.slice(0, isFree(pod, request, states, possible[0]?.[0]) ? 1 : 0),
    ),
  };
}

/** Whether nothing before a container keeps it from being stopped. */
function isFree(
  pod: Pod,
  { isOrdered, failsAtOnce }: NormalRequest,
  states: readonly ContainerState[],
  name: string | undefined,
): boolean {
  if (!isOrdered) return states.every((each) => each.isKilled !== true || hasEnded(pod, each.name));
  const before = states.slice(
    0,
    states.findIndex((each) => each.name === name),
  );
  return before.every(({ phase }) => phase === 'Succeeded' || (phase === 'Failed' && !failsAtOnce));
}

/** Whether the instance is gone that was asked to stop. */
function hasEnded(pod: Pod, name: string): boolean {
  const status = containerStatus(pod, name);
  const isRunning = objectOf(status?.['state'])['running'] !== undefined;
  const stopped = recordOf(pod, name);
  return !isRunning || stopped === undefined || status?.containerID !== stopped.containerID;
}

/** The one write that stops containers and records it. None: nothing is to be stopped now. */
export function stopAction(target: KubeObject, pod: Pod, { next }: Stopping): Action[] {
  if (next.size === 0) return [];
  const { name: request, uid = '' } = target.metadata;
  const stopped = Object.fromEntries(
    [...next].map(([name, spelled]) => {
      const { containerID = '', restartCount = 0 } = containerStatus(pod, name) ?? {};
      return [name, { spelled, by: uid, containerID, restartCount }];
    }),
  );
  // In the order of the pod: a patch in another one puts the containers into that, which the server refuses.
  const containers = pod.spec.containers.flatMap(({ name }) => {
    const image = next.get(name);
    return image === undefined ? [] : [{ name, image }];
  });
  const body = withResourceVersion(pod, {
    metadata: { annotations: { [RECREATED_ANNOTATION]: withRecreated(pod, stopped) } },
    spec: { containers },
  });
  const names = listed([...next.keys()], 'and');
  const event: EventDraft = {
    type: 'Normal',
    reason: 'Killing',
    message: `Stopping container ${names} by ContainerRecreateRequest ${request}`,
  };
  return [
    {
      do: 'patch',
      kind: 'Pod',
      verb: 'restart containers',
      name: pod.metadata.name,
      body,
      reason: `${request} restarts ${names}`,
      event,
    },
  ];
}
