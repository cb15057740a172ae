import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action, EventDraft, ExecAction } from '../decision.ts';
import { containerStatus, withResourceVersion } from '../pod/in-place.ts';
import {
  isRecordReadable,
  isRestartAwaited,
  RECREATED_ANNOTATION,
  recordOf,
  withoutRestart,
  withRecreated,
} from '../pod/recreated.ts';
import { SIGNALS } from '../pod/signals.ts';
import type { Pod } from '../pod/types.ts';
import { listed } from '../values/listed.ts';
import { objectOf } from '../values/read.ts';
import type { NormalRequest } from './normalize.ts';
import { stopOf, type Way } from './refusal.ts';
import { endsBy, hasPreStop, signalBy } from './signal.ts';
import type { ContainerState } from './states.ts';

/** Which containers are stopped, and which cannot be. */
export interface Stopping {
  /** How, of those that are stopped now. */
  next: ReadonlyMap<string, Way>;
  /** Why not, as a clause, of those that never can be. */
  refused: ReadonlyMap<string, string>;
}

/**
 * Which of the pending containers are stopped now (OpenKruise container-recreate-request, rule 6b.6 and 12.4). In order, one is stopped
 * once all before it are done. Without an order all go in one write, unless one has a hook: the kubelet stops those of a write one
 * after another, in any order, so that the next is stopped once the one before has ended. So it is with signals, of which each is
 * answered.
 */
export function stoppingOf(
  pod: Pod,
  request: NormalRequest,
  states: readonly ContainerState[],
  mayExec: boolean,
): Stopping {
  const ways = new Map(
    states
      .filter(({ phase, message }) => phase === 'Pending' && message === undefined)
      .map(({ name }) => [name, stopOf(pod, name, request, mayExec)] as const),
  );
  const refused = new Map(
    [...ways].flatMap(([name, way]) => ('refused' in way ? [[name, way.refused] as const] : [])),
  );
  const possible = [...ways].flatMap(([name, way]) => ('refused' in way ? [] : [[name, way] as const]));
  const isAlone =
    possible.some(([, way]) => 'signal' in way) || signalled(pod, request.containers).length > 0;
  const areTogether =
    !request.isOrdered && !isAlone && !request.containers.some((name) => hasPreStop(pod, name));
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

/** The containers that were asked to end by a signal and have not. */
function signalled(pod: Pod, names: readonly string[]): string[] {
  return names.filter((name) => recordOf(pod, name)?.until !== undefined && !hasEnded(pod, name));
}

/** The containers that this request has asked to end by a signal, and that have not: those that are left, when they were to. */
export function unendedBy(pod: Pod, uid: string, names: readonly string[]): string[] {
  return signalled(pod, names).filter((name) => signalBy(pod, name, uid) !== undefined);
}

/** What the record of a stop is made from, beside the containers. */
interface Recording {
  /** Seconds to terminate; undefined: those of the pod. */
  grace: number | undefined;
  now: number;
}

const TOO_LONG = 'what is on record about restarts of the pod would be too long';

/** The same, without stops that cannot be put on record: nobody would know of them, and they would be repeated. */
export function withinRecord(
  target: KubeObject,
  pod: Pod,
  stopping: Stopping,
  recording: Recording,
): Stopping {
  const { next, refused } = stopping;
  if (next.size === 0 || isRecordReadable(recordWith(target, pod, next, recording))) return stopping;
  const left = [...next.keys()].map((name) => [name, TOO_LONG] as const);
  return { next: new Map(), refused: new Map([...refused, ...left]) };
}

function recordWith(
  { metadata: { uid = '' } }: KubeObject,
  pod: Pod,
  next: Stopping['next'],
  { grace, now }: Recording,
): string {
  const stopped = Object.fromEntries(
    [...next].map(([name, way]) => {
      const { containerID = '', restartCount = 0 } = containerStatus(pod, name) ?? {};
      const { image = '' } = pod.spec.containers.find((each) => each.name === name) ?? {};
      const how =
        'image' in way ? { spelled: way.image } : { spelled: image, until: endsBy(pod, grace, now) };
      return [name, { ...how, by: uid, containerID, restartCount }];
    }),
  );
  return withRecreated(pod, stopped);
}

/**
 * The one write that stops containers and records it. What is asked to end by a signal is recorded first: a process that dies in between
 * never asks again. None: nothing is to be stopped now.
 */
export function stopAction(target: KubeObject, pod: Pod, { next }: Stopping, recording: Recording): Action[] {
  if (next.size === 0) return [];
  const { name: request } = target.metadata;
  const { name: podName, uid: podUid = '' } = pod.metadata;
  // In the order of the pod: a patch in another one puts the containers into that, which the server refuses.
  const containers = pod.spec.containers.flatMap(({ name }) => {
    const way = next.get(name);
    return way === undefined || !('image' in way) ? [] : [{ name, image: way.image }];
  });
  const body = withResourceVersion(pod, {
    metadata: { annotations: { [RECREATED_ANNOTATION]: recordWith(target, pod, next, recording) } },
    ...(containers.length > 0 && { spec: { containers } }),
  });
  const names = listed([...next.keys()], 'and');
  const event: EventDraft = {
    type: 'Normal',
    reason: 'Killing',
    message: `Stopping container ${names} by ContainerRecreateRequest ${request}`,
  };
  const common = {
    kind: 'Pod',
    name: podName,
    reason: `${request} restarts ${names}`,
  } as const;
  const [signal] = [...next].flatMap(([container, way]): ExecAction[] =>
    'signal' in way
      ? [
          {
            ...{
              ...common,
              do: 'exec',
              verb: 'send a signal',
              uid: podUid,
              container,
              commands: SIGNALS,
              event,
            },
            containerID: containerStatus(pod, container)?.containerID ?? '',
          },
        ]
      : [],
  );
  return [
    signal === undefined
      ? { ...common, do: 'patch', verb: 'restart containers', body, event }
      : { ...common, do: 'patch', verb: 'record a signal', body, next: signal },
  ];
}

/** Takes the restart of these containers off the record: they do not end, and the pod is not about to restart any more. */
export function takeBack(pod: Pod, names: readonly string[]): Action[] {
  const awaited = names.filter((name) => isRestartAwaited(pod, name));
  if (awaited.length === 0) return [];
  const annotations = { [RECREATED_ANNOTATION]: withoutRestart(pod, awaited) };
  return [
    {
      ...{ do: 'patch', kind: 'Pod', verb: 'end a restart', name: pod.metadata.name },
      body: withResourceVersion(pod, { metadata: { annotations } }),
      reason: `${listed(awaited, 'and')} did not end`,
      restoresTraffic: true,
    },
  ];
}
