import { declaredImageOf } from '../pod/recreated.ts';
import type { Pod } from '../pod/types.ts';
import { isObject, parsedJson } from '../values/json-shape.ts';
import type { Sidecar } from './normalize.ts';
import { VERSION_PREFIX, WORKING_ANNOTATION } from './resource.ts';

/** The two containers of a hot-upgrade sidecar in a pod. */
export interface HotPair {
  /** The name of the sidecar. */
  name: string;
  emptyImage: string;
  /** The half that works. During an upgrade it is the new one. */
  working: string;
  /** The half that is idle. During an upgrade it is the one that has worked so far. */
  other: string;
  /** Both halves have a real image: the working one takes over from the other one. */
  isChanging: boolean;
}

/** Where the upgrade of a pair stands. */
export type HotPhase =
  /** One half works, and the other one runs the empty image. */
  | 'Idle'
  /** The new half has its image, and the kubelet does not report that it runs: it does so when the postStart hook has ended. */
  | 'Upgrading'
  /** The new half runs, and is not ready. */
  | 'Migrating'
  /** The new half is ready; the old one has yet to run the empty image. */
  | 'Resetting'
  /** The new half has restarted before it was ready. */
  | 'Failed';

/** What the phase of a pair follows from, by container. */
export interface ContainerFacts {
  isReady(name: string): boolean;
  /** A container of this name runs, with whatever image. */
  isRunning(name: string): boolean;
  /** The kubelet has acted on the last change of these containers. */
  isComplete(names: readonly string[]): boolean;
  /** A container has run its present image since the last change, as far as the change says what ran before. */
  hasStarted(name: string): boolean;
  /** The set has changed its image since the injection. */
  isChanged(name: string): boolean;
  /** Restarts since the last change, without the one that the change causes. */
  restartsOf(name: string): number;
}

export interface PairState extends HotPair {
  phase: HotPhase;
  /** The working half runs its image. */
  hasStarted: boolean;
}

/** The hot pairs of one pod, and what may be done about them. */
export interface HotState {
  pairs: readonly PairState[];
  isChanging: boolean;
  /** The new halves are ready: the old ones can have the empty image. */
  isResetDue: boolean;
  /**
   * The old halves can work on, so that the new ones can have the empty image. While a new half is reported to run the empty image
   * still, its hook may be running: then nothing would prove later that it has ended.
   */
  canGoBack: boolean;
  /** A new half has restarted before it was ready. */
  hasFailed: boolean;
  /** Every half that is to be idle runs the empty image. */
  isSettled: boolean;
}

/** The names of the containers that a sidecar has in a pod: one, or the two halves of a hot pair. */
export function containerNames({ name, emptyImage }: Pick<Sidecar, 'name' | 'emptyImage'>): string[] {
  return emptyImage === undefined ? [name] : [`${name}-1`, `${name}-2`];
}

/** The half of a hot pair that works by the record of a pod; undefined: it is not on record. */
export function workingContainer(pod: Pod, name: string): string | undefined {
  const working = parsedJson(pod.metadata.annotations?.[WORKING_ANNOTATION] ?? '');
  if (!isObject(working) || !Object.hasOwn(working, name)) return undefined;
  return working[name] === `${name}-1` ? `${name}-1` : `${name}-2`;
}

/**
 * The hot pairs of a pod (OpenKruise sidecarset, rule 6.10). If exactly one half is idle, the other one works, whatever the
 * record says.
 */
export function hotPairs(pod: Pod, sidecars: readonly Sidecar[]): HotPair[] {
  return sidecars.flatMap(({ name, emptyImage }): HotPair[] => {
    if (emptyImage === undefined) return [];
    const [first = '', second = ''] = containerNames({ name, emptyImage });
    const [isFirstIdle, isSecondIdle] = [first, second].map((half) => isIdle(pod, half, emptyImage));
    const recorded = workingContainer(pod, name) ?? first;
    const working = isFirstIdle === isSecondIdle ? recorded : isFirstIdle ? second : first;
    const other = working === first ? second : first;
    return [{ name, emptyImage, working, other, isChanging: !isFirstIdle && !isSecondIdle }];
  });
}

/** Whether a half is meant to be idle. Its version also says so where the set has another empty image by now. */
function isIdle(pod: Pod, half: string, emptyImage: string): boolean {
  const { annotations = {} } = pod.metadata;
  return declaredImageOf(pod, half) === emptyImage || annotations[VERSION_PREFIX + half] === '0';
}

export function phaseOf({ working, other, isChanging }: HotPair, facts: ContainerFacts): HotPhase {
  if (!isChanging)
    return facts.isChanged(other) && !(facts.isRunning(other) && facts.hasStarted(other))
      ? 'Resetting'
      : 'Idle';
  const hasStarted = facts.hasStarted(working);
  if (hasStarted && facts.isReady(working)) return 'Resetting';
  if (facts.restartsOf(working) > 0) return 'Failed';
  return hasStarted ? 'Migrating' : 'Upgrading';
}

/**
 * What may be done about the hot pairs of a pod. Its pairs change together: the old halves work on until every new half and
 * every other container of the set is ready. If an old half does not work any more, there is nothing to wait for.
 *
 * @param ordinary the other containers of the set
 */
export function hotState(
  found: readonly HotPair[],
  ordinary: readonly string[],
  facts: ContainerFacts,
): HotState {
  const pairs = found.map((pair): PairState => ({
    ...pair,
    phase: phaseOf(pair, facts),
    hasStarted: facts.hasStarted(pair.working),
  }));
  const changing = pairs.filter(({ isChanging }) => isChanging);
  const resting = pairs.filter(({ isChanging }) => !isChanging);
  const others = [...ordinary, ...resting.map(({ working }) => working)];
  const areOthersReady = (): boolean =>
    others.every((name) => facts.isReady(name)) && facts.isComplete(others);
  const isOldBroken = changing.some(({ other }) => !facts.isReady(other));
  return {
    pairs,
    isChanging: changing.length > 0,
    isResetDue:
      changing.length > 0 &&
      changing.every(({ phase }) => phase === 'Resetting') &&
      (isOldBroken || areOthersReady()),
    canGoBack: changing.every(
      ({ phase, hasStarted, working, other }) =>
        (hasStarted || !facts.isRunning(working)) && (phase !== 'Resetting' || facts.isReady(other)),
    ),
    hasFailed: pairs.some(({ phase }) => phase === 'Failed'),
    isSettled: pairs.every(({ phase }) => phase === 'Idle'),
  };
}
