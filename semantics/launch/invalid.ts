import type { JsonObject } from '../../schemas/wire/json.ts';
import type { InvalidField } from '../fields/problems.ts';
import { listOf, objectOf } from '../values/read.ts';
import {
  isInteger,
  LAUNCH_BARRIER_ENV,
  LAUNCH_PRIORITY_ANNOTATION,
  LAUNCH_PRIORITY_ENV,
  ORDERED,
} from '../pod/launch-priority.ts';

/** The largest priority that OpenKruise documents; its negative is the smallest. */
const MOST = 2_147_483_647;

/**
 * Priorities that no container can have. OpenKruise refuses every pod of such a template when it is created, and keeps a barrier
 * that a user wrote (OpenKruise container-launch-priority, rules 2 and 7). Numbers beside the annotation are not read.
 *
 * @returns faults with their paths in the target
 */
export function invalidLaunchOrder(template: JsonObject): InvalidField[] {
  const containers = listOf(objectOf(template['spec'])['containers']);
  return invalidLaunchVariables(containers, ['spec', 'template', 'spec', 'containers'], {
    isOrdered: isByPosition(template),
  });
}

/**
 * The same faults in a list of containers.
 *
 * @param path of the list in the target
 * @param isOrdered the containers start by their positions, so that no number is read
 */
export function invalidLaunchVariables(
  containers: readonly JsonObject[],
  path: readonly string[],
  { isOrdered }: { isOrdered: boolean },
): InvalidField[] {
  return containers.flatMap((container, index) => {
    const priorities = isOrdered ? [] : invalidPriorities(container);
    return [...barriersOf(container), ...priorities].map((fault): InvalidField => ({
      path: [...path, String(index), ...fault.path],
      rule: fault.rule,
    }));
  });
}

function barriersOf(container: JsonObject): InvalidField[] {
  return listOf(container['env']).flatMap(({ name }, at) =>
    name === LAUNCH_BARRIER_ENV
      ? [
          {
            path: ['env', String(at), 'name'],
            rule: `must not be ${LAUNCH_BARRIER_ENV}: each pod gets its own value`,
          },
        ]
      : [],
  );
}

/** The priorities of a container that are none, with their paths in the container. */
export function invalidPriorities(container: JsonObject): InvalidField[] {
  return listOf(container['env']).flatMap(({ name, value, valueFrom }, at): InvalidField[] => {
    if (name !== LAUNCH_PRIORITY_ENV) return [];
    const path = ['env', String(at)];
    if (valueFrom !== undefined && valueFrom !== null)
      return [{ path: [...path, 'valueFrom'], rule: 'must not be set: a launch priority is a number' }];
    if (isInteger(value) && Math.abs(Number(value)) <= MOST) return [];
    const rule = `must be an integer from -${MOST} to ${MOST}, as text`;
    return [{ path: value === undefined ? path : [...path, 'value'], rule }];
  });
}

/** Whether a template has the annotation that orders its containers by their positions. */
function isByPosition(template: JsonObject): boolean {
  return annotationOf(template) === ORDERED;
}

/** The containers of a pod of another owner whose numbers are read. One container has no order, whatever its number is. */
export function numberedContainers(template: JsonObject): JsonObject[] {
  const containers = listOf(objectOf(template['spec'])['containers']);
  return containers.length < 2 || isByPosition(template) ? [] : containers;
}

/** The annotation for the order of containers, as it is written; undefined: there is none. */
export function annotationOf(template: JsonObject): unknown {
  return objectOf(objectOf(template['metadata'])['annotations'])[LAUNCH_PRIORITY_ANNOTATION];
}
