import { objectOf } from '../values/read.ts';
import { cutForeign } from '../values/text.ts';
import { type Intern, keyOf } from './intern.ts';
import { runEnd } from './last-failure.ts';
import type { Container, ContainerStatus, PodSpec, PodStatus } from './types.ts';

const FIELDS = ['restartPolicy', 'nodeSelector', 'tolerations', 'overhead', 'resources'];
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/**
 * What the rules read of the spec of a pod, in addition, if the units of its target are nodes: by what it is tested against a
 * node (semantics/node), and its restart policy. Pods of one template share everything but the node that each is assigned to.
 *
 * @param containers as they are projected
 */
export function placedSpec(
  spec: PodSpec,
  containers: readonly Container[],
  intern: Intern,
): Partial<PodSpec> {
  const fields = FIELDS.flatMap((field) => (isGiven(spec[field]) ? [[field, spec[field]] as const] : []));
  const demands = spec.containers.map(({ resources }) => resources ?? null);
  const before = spec.initContainers?.map(({ name, restartPolicy, resources }) => ({
    name,
    ...(isGiven(restartPolicy) && { restartPolicy }),
    ...(isGiven(resources) && { resources }),
  }));
  const shared = intern.value(keyOf('placed', fields, containers, demands, before ?? null), () => ({
    ...Object.fromEntries(fields),
    containers: containers.map((each, index) => ({
      ...each,
      ...(isGiven(demands[index]) && { resources: demands[index] }),
    })),
    ...(before && { initContainers: before as Container[] }),
  }));
  const required = objectOf(objectOf(spec['affinity'])['nodeAffinity'])[REQUIRED];
  return { ...shared, ...(isGiven(required) && { affinity: { nodeAffinity: { [REQUIRED]: required } } }) };
}

/**
 * What the rules read of the spec of a pod that waits with a scheduling gate: where it may run, which is written whole. It waits for a
 * moment, so that nothing of it is shared.
 */
export function gatedSpec(spec: PodSpec): Partial<PodSpec> {
  const { schedulingGates, tolerations, affinity } = spec;
  const nodeAffinity = objectOf(affinity)['nodeAffinity'];
  return {
    schedulingGates,
    ...(isGiven(tolerations) && { tolerations }),
    ...(isGiven(nodeAffinity) && { affinity: { nodeAffinity } }),
  };
}

/**
 * What the rules read of the status of such a pod, in place of what other rules read: how it has ended.
 *
 * @param ordered what they read of a container whose pod starts its containers in an order; undefined: there is no order
 */
export function endsOf(
  { containerStatuses, initContainerStatuses, ...status }: PodStatus,
  ordered: ((status: ContainerStatus) => ContainerStatus) | undefined,
): Partial<PodStatus> {
  const { reason, message } = status;
  return {
    ...(isGiven(reason) && { reason }),
    ...(typeof message === 'string' && { message: cutForeign(message) }),
    ...(containerStatuses && {
      containerStatuses: containerStatuses.map((each) => endOf(each, ordered?.(each))),
    }),
    ...(initContainerStatuses && {
      initContainerStatuses: initContainerStatuses.map((each) => endOf(each, undefined)),
    }),
  };
}

function endOf(
  { name, restartCount, ...status }: ContainerStatus,
  ordered: ContainerStatus | undefined,
): ContainerStatus {
  const end = runEnd(objectOf(status['state'])['terminated']);
  return {
    name,
    ...ordered,
    ...(restartCount !== undefined && { restartCount }),
    ...(end !== undefined && { state: { terminated: end } }),
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
