import type { JsonObject } from '../../schemas/wire/json.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';

/** The variable of every injected container: it distinguishes them from those of the pod itself. */
export const INJECTED_ENV = 'IS_INJECTED';

/** Whether a container was injected, or stands where one is to be injected. */
export function isInjected(container: JsonObject): boolean {
  return listOf(container['env']).some(({ name, value }) => name === INJECTED_ENV && value === 'true');
}

/** The lists of a pod that hold containers, and what one of them is called. */
export const CONTAINER_LISTS = { initContainers: 'init container', containers: 'container' } as const;
export type ContainerList = keyof typeof CONTAINER_LISTS;

/** A container that a pod has of its own. */
export interface OwnContainer {
  name: string;
  list: ContainerList;
  index: number;
}

/** What a pod has before anything is added to it. */
export interface OwnParts {
  containers: readonly OwnContainer[];
  volumes: readonly JsonObject[];
}

/** The own parts of a pod by its spec. Injected containers are none of them. */
export function ownParts(spec: unknown): OwnParts {
  const pod = objectOf(spec);
  const containers = (['initContainers', 'containers'] as const).flatMap((list) =>
    listOf(pod[list]).flatMap((container, index): OwnContainer[] =>
      isInjected(container) ? [] : [{ name: textOf(container['name']), list, index }],
    ),
  );
  return { containers, volumes: listOf(pod['volumes']) };
}
