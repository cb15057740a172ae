import type { JsonObject } from '../../schemas/wire/json.ts';
import {
  LAUNCH_BARRIER_ENV,
  LAUNCH_PRIORITY_ANNOTATION,
  LAUNCH_PRIORITY_ENV,
  writtenPriorities,
} from '../pod/launch-priority.ts';
import type { Container } from '../pod/types.ts';
import { isObject } from '../values/json-shape.ts';
import { listOf, numberOf, objectOf } from '../values/read.ts';

/** As often as a number can say: a container that is not ready yet is not started again for it. */
const NO_LIMIT = 2_147_483_647;

/**
 * A template whose containers start in their order without a runtime: those that others wait for are init containers with restartPolicy
 * Always, each with a startupProbe that asks what its readinessProbe asks (OpenKruise container-launch-priority, option B of 12.2).
 *
 * @returns undefined: it has no order, or one that init containers cannot keep: two of one priority that others wait for, a container
 *   that is started by another probe than the one by which it is ready, or pods that end
 */
export function withNativeOrder(template: JsonObject): JsonObject | undefined {
  const pod = objectOf(template['spec']);
  const metadata = objectOf(template['metadata']);
  const containers = listOf(pod['containers']);
  const annotations = objectOf(metadata['annotations']);
  const priorities = writtenPriorities(annotations, containers as unknown as Container[]);
  const endsByItself = (pod['restartPolicy'] ?? 'Always') !== 'Always';
  if (priorities.size === 0 || endsByItself) return undefined;
  const priorityOf = ({ name }: JsonObject): number => priorities.get(name as string) ?? 0;
  const lowest = Math.min(...priorities.values());
  const first = containers
    .filter((each) => priorityOf(each) > lowest)
    .sort((a, b) => priorityOf(b) - priorityOf(a));
  const isTotal = new Set(first.map(priorityOf)).size === first.length;
  if (!isTotal || !first.every(isReadyOnceStarted)) return undefined;
  const { [LAUNCH_PRIORITY_ANNOTATION]: _, ...kept } = annotations;
  const { annotations: _all, ...named } = metadata;
  return {
    ...template,
    metadata: { ...named, ...(Object.keys(kept).length > 0 && { annotations: kept }) },
    spec: {
      ...pod,
      initContainers: [...listOf(pod['initContainers']), ...first.map(native)],
      containers: containers.filter((each) => priorityOf(each) === lowest).map(withoutPriority),
    },
  };
}

/** Whether one probe at most says both, and at its first success. */
function isReadyOnceStarted({ startupProbe, readinessProbe }: JsonObject): boolean {
  if (!isObject(readinessProbe)) return true;
  return !isObject(startupProbe) && (numberOf(objectOf(readinessProbe)['successThreshold']) ?? 1) === 1;
}

function native(container: JsonObject): JsonObject {
  const { readinessProbe } = container;
  return {
    ...withoutPriority(container),
    ...(isObject(readinessProbe) && {
      startupProbe: { ...objectOf(readinessProbe), failureThreshold: NO_LIMIT },
    }),
    restartPolicy: 'Always',
  };
}

function withoutPriority(container: JsonObject): JsonObject {
  const { env, ...rest } = container;
  const kept = listOf(env).filter(({ name }) => name !== LAUNCH_PRIORITY_ENV && name !== LAUNCH_BARRIER_ENV);
  return kept.length === listOf(env).length ? container : { ...rest, ...(kept.length > 0 && { env: kept }) };
}
