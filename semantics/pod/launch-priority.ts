import type { Container, Pod } from './types.ts';

/** What users write: the annotation of a pod (`Ordered`: by position), or a number in the environment of a container. */
export const LAUNCH_PRIORITY_ANNOTATION = 'apps.kruise.io/container-launch-priority';
export const LAUNCH_PRIORITY_ENV = 'KRUISE_CONTAINER_PRIORITY';
/** What OpenKruise's webhook adds to every container of a pod whose priorities differ. */
export const LAUNCH_BARRIER_ENV = 'KRUISE_CONTAINER_BARRIER';

interface Variable {
  name: string;
  value?: unknown;
  valueFrom?: { configMapKeyRef?: { key?: unknown } };
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

/** Priorities of containers, by name. An invalid one counts as 0. */
function prioritiesOf({ metadata, spec: { containers } }: Pod): Map<string, number> {
  const barriers = containers.flatMap((container) => {
    const barrier = variableOf(container, LAUNCH_BARRIER_ENV);
    return barrier === undefined ? [] : [[container.name, barrierOf(barrier)] as const];
  });
  if (barriers.length > 0) return new Map(barriers);
  // Without OpenKruise's webhook, only what the user wrote is there.
  if (metadata.annotations?.[LAUNCH_PRIORITY_ANNOTATION] === 'Ordered')
    return new Map(containers.map(({ name }, index) => [name, -index]));
  const written = containers.map(
    (container) => [container.name, integer(variableOf(container, LAUNCH_PRIORITY_ENV)?.value)] as const,
  );
  const differ = new Set(written.map(([, priority]) => priority)).size > 1;
  return new Map(differ ? written : []);
}

/** The variable of this name. Of several the last one counts. */
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

/** The variables of a container that are about launch priority; undefined: there are none. */
export function launchVariables(container: Container): Variable[] | undefined {
  const found = ((container['env'] ?? []) as readonly Variable[]).filter(
    ({ name }) => name === LAUNCH_PRIORITY_ENV || name === LAUNCH_BARRIER_ENV,
  );
  return found.length === 0 ? undefined : found;
}
