import { listOf, objectOf } from '../values/read.ts';
import type { Container, ContainerStatus, Pod } from './types.ts';

/** The variable of a container that OpenKruise stops for good once the others of its pod have ended. */
export const SIDECAR_VARIABLE = 'KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT';

/** What says whose process the first one is that a container sees. */
const PROCESS_FIELDS = ['hostPID', 'shareProcessNamespace', 'os'] as const;

/**
 * A projected pod with what else is read of one that a target names: how its containers are stopped and started, and which instances
 * run. There are few of them, so that nothing is shared in memory.
 */
export function projectNamed(pod: Pod, projected: Pod): Pod {
  const containers = new Map(pod.spec.containers.map((each) => [each.name, each]));
  const statuses = new Map((pod.status?.containerStatuses ?? []).map((each) => [each.name, each]));
  const { restartPolicy } = pod.spec;
  const processes = PROCESS_FIELDS.flatMap((key) => {
    const value = pod.spec[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    ...projected,
    spec: {
      ...projected.spec,
      restartPolicy,
      ...Object.fromEntries(processes),
      containers: projected.spec.containers.map((each) => withOwn(each, containers.get(each.name))),
    },
    ...(projected.status !== undefined && {
      status: {
        ...projected.status,
        containerStatuses: (projected.status.containerStatuses ?? []).map((each) =>
          withInstance(each, statuses.get(each.name)),
        ),
      },
    }),
  };
}

function withOwn(projected: Container, container: Container | undefined): Container {
  const { preStop } = objectOf(container?.['lifecycle']);
  const marks = listOf(container?.['env']).filter(({ name }) => name === SIDECAR_VARIABLE);
  const env = [...listOf(projected['env']), ...marks];
  const imagePullPolicy = container?.['imagePullPolicy'];
  return {
    ...projected,
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    ...(preStop !== undefined && { lifecycle: { preStop: {} } }),
    ...(env.length > 0 && { env }),
  };
}

function withInstance(projected: ContainerStatus, status: ContainerStatus | undefined): ContainerStatus {
  const { startedAt } = objectOf(objectOf(status?.['state'])['running']);
  const { containerID } = status ?? {};
  return {
    ...projected,
    ...(containerID !== undefined && { containerID }),
    ...(startedAt !== undefined && { state: { ...objectOf(projected['state']), running: { startedAt } } }),
  };
}
