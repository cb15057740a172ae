import type { Container, Pod } from './types.ts';

/** What users write: the annotation of a pod (`Ordered`: by position), or a number in the environment of a container. */
export const LAUNCH_PRIORITY_ANNOTATION = 'apps.kruise.io/container-launch-priority';
export const LAUNCH_PRIORITY_ENV = 'KRUISE_CONTAINER_PRIORITY';
/** The only value of the annotation that has an effect. */
export const ORDERED = 'Ordered';
/** The variable of every container of a pod whose priorities differ: the container starts once its value is there. */
export const LAUNCH_BARRIER_ENV = 'KRUISE_CONTAINER_BARRIER';

/** A variable of a container, as far as launch priority is concerned. */
export interface LaunchVariable {
  name: string;
  value?: unknown;
  valueFrom?: { configMapKeyRef?: { name?: unknown; key?: unknown } };
}

/**
 * The containers that change first (OpenKruise inplace-update, rule 6.4 step 2): all without a launch priority, and of the
 * others those with the highest. In the order of `names`.
 */
export function firstBatch(pod: Pod, names: readonly string[]): string[] {
  const priorities = prioritiesOf(pod);
  const highest = Math.max(...names.flatMap((name) => priorities.get(name) ?? []));
  return names.filter((name) => (priorities.get(name) ?? highest) === highest);
}

/** The priorities of the containers of a pod, by name: those of its barriers, or what the user wrote. Invalid ones count as 0. */
function prioritiesOf({ metadata, spec: { containers } }: Pod): ReadonlyMap<string, number> {
  const barriers = containers.flatMap((container) => {
    const barrier = variableOf(container, LAUNCH_BARRIER_ENV);
    return barrier === undefined
      ? []
      : [[container.name, priorityOfKey(barrierKeyOf(barrier)) ?? 0] as const];
  });
  return barriers.length > 0 ? new Map(barriers) : writtenPriorities(metadata.annotations, containers);
}

/**
 * The priorities that a user has given to the containers of a pod (OpenKruise container-launch-priority, rule 6a), by name. The
 * annotation wins over the environment. An invalid number counts as 0.
 *
 * @returns empty where they are all the same, so that there is no order
 */
export function writtenPriorities(
  annotations: Readonly<Record<string, unknown>> | undefined,
  containers: readonly Container[],
): ReadonlyMap<string, number> {
  const isOrdered = annotations?.[LAUNCH_PRIORITY_ANNOTATION] === ORDERED;
  const written = containers.map((container, index) => {
    const own = integer(variableOf(container, LAUNCH_PRIORITY_ENV)?.value);
    return [container.name, isOrdered ? 0 - index : own] as const;
  });
  const differ = new Set(written.map(([, priority]) => priority)).size > 1;
  return new Map(differ ? written : []);
}

/** The variable of this name. Of several the last one counts. */
export function variableOf(container: Container, name: string): LaunchVariable | undefined {
  return variablesOf(container).findLast((variable) => variable.name === name);
}

/** The variables of a container. Whatever is none is left out: a revision may hold anything. */
export function variablesOf({ env }: Container): LaunchVariable[] {
  return Array.isArray(env)
    ? (env as unknown[]).filter((each): each is LaunchVariable => typeof each === 'object' && each !== null)
    : [];
}

/** The key that a barrier waits for; undefined: it refers to none. */
export function barrierKeyOf({ valueFrom }: LaunchVariable): string | undefined {
  const key = valueFrom?.configMapKeyRef?.key;
  return typeof key === 'string' ? key : undefined;
}

/** `10` → `p_10` */
export function keyOfPriority(priority: number): string {
  return `p_${priority}`;
}

/** `p_10` → 10; undefined: it is no such key. */
export function priorityOfKey(key: string | undefined): number | undefined {
  return key !== undefined && /^p_[+-]?[0-9]+$/.test(key) ? integer(key.slice(2)) : undefined;
}

/** Whether a text is an integer, as OpenKruise reads one. */
export function isInteger(text: unknown): text is string {
  return typeof text === 'string' && /^[+-]?[0-9]+$/.test(text);
}

function integer(text: unknown): number {
  // `-0` is 0.
  return isInteger(text) ? Number(text) + 0 : 0;
}

/** The variables of a container that are about launch priority; undefined: there are none. */
export function launchVariables(container: Container): LaunchVariable[] | undefined {
  const found = variablesOf(container).filter(
    ({ name }) => name === LAUNCH_PRIORITY_ENV || name === LAUNCH_BARRIER_ENV,
  );
  return found.length === 0 ? undefined : found;
}
