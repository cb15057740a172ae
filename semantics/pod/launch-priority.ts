import type { Container, Pod } from './types.ts';

/** What a person writes: on a pod, `Ordered` by position; in a container's environment, a number of its own. */
export const LAUNCH_PRIORITY_ANNOTATION = 'apps.kruise.io/container-launch-priority';
export const LAUNCH_PRIORITY_ENV = 'KRUISE_CONTAINER_PRIORITY';
/** What OpenKruise's webhook makes of it, in every container of a pod whose priorities differ. */
export const LAUNCH_BARRIER_ENV = 'KRUISE_CONTAINER_BARRIER';

interface Variable {
  name: string;
  value?: unknown;
  valueFrom?: { configMapKeyRef?: { key?: unknown } };
}

/**
 * Of containers that are to change, those that change now (OpenKruise inplace-update, rule 6.4 step 2): all that have no
 * launch priority, and of the others those of the highest. In the order in which they were given.
 */
export function firstBatch(pod: Pod, names: readonly string[]): string[] {
  const priorities = prioritiesOf(pod);
  const highest = Math.max(...names.flatMap((name) => priorities.get(name) ?? []));
  return names.filter((name) => (priorities.get(name) ?? highest) === highest);
}

/** Containers that have a priority, by name. What cannot be read counts as 0. */
function prioritiesOf({ metadata, spec: { containers } }: Pod): Map<string, number> {
  const barriers = containers.flatMap((container) => {
    const barrier = variableOf(container, LAUNCH_BARRIER_ENV);
    return barrier === undefined ? [] : [[container.name, barrierOf(barrier)] as const];
  });
  if (barriers.length > 0) return new Map(barriers);
  // A pod that no webhook has seen says it in the words of whoever wrote it.
  if (metadata.annotations?.[LAUNCH_PRIORITY_ANNOTATION] === 'Ordered')
    return new Map(containers.map(({ name }, index) => [name, -index]));
  const written = containers.map(
    (container) => [container.name, integer(variableOf(container, LAUNCH_PRIORITY_ENV)?.value)] as const,
  );
  const differ = new Set(written.map(([, priority]) => priority)).size > 1;
  return new Map(differ ? written : []);
}

/** The last one of a name is the one that counts. */
function variableOf(container: Container, name: string): Variable | undefined {
  const variables = (container['env'] ?? []) as readonly Variable[];
  return variables.findLast((variable) => variable.name === name);
}

/** `p_10` → 10 */
function barrierOf({ valueFrom }: Variable): number {
  const key = valueFrom?.configMapKeyRef?.key;
  return typeof key === 'string' && key.startsWith('p_') ? integer(key.slice(2)) : 0;
}

function integer(text: unknown): number {
  return typeof text === 'string' && /^[+-]?[0-9]+$/.test(text) ? Number(text) : 0;
}

/** Of a container's environment, what is read here; undefined: none of it. */
export function launchVariables(container: Container): Variable[] | undefined {
  const found = ((container['env'] ?? []) as readonly Variable[]).filter(
    ({ name }) => name === LAUNCH_PRIORITY_ENV || name === LAUNCH_BARRIER_ENV,
  );
  return found.length === 0 ? undefined : found;
}
