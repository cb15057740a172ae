import { controllerOf } from '../owner.ts';
import { containerStatus } from '../pod/in-place.ts';
import { isMirror } from '../pod/mirror.ts';
import { SIDECAR_VARIABLE } from '../pod/named.ts';
import { condition } from '../pod/readiness.ts';
import type { Container, ContainerStatus, Pod } from '../pod/types.ts';
import { listOf } from '../values/read.ts';
import type { NormalRequest } from './normalize.ts';
import { respelled } from './respell.ts';
import { graceOf, notSignalled } from './signal.ts';

/** What marks a pod that a GitOps engine applies: it would write the image of its manifest again. */
const ENGINE_MARKS: readonly string[] = [
  'argocd.argoproj.io/tracking-id',
  'argocd.argoproj.io/instance',
  'kustomize.toolkit.fluxcd.io/name',
  'helm.toolkit.fluxcd.io/name',
  'meta.helm.sh/release-name',
];

/** How a container is stopped: by another spelling of its image, or by a signal to its first process. */
export type Way = { image: string } | { signal: true };

/**
 * How a container can be stopped, or why it cannot be, as a clause (OpenKruise container-recreate-request, 12.4). Asked before anything is
 * stopped. Another spelling of its image comes first, as the kubelet does the rest.
 *
 * @param mayExec whether signals may be sent
 */
export function stopOf(
  pod: Pod,
  name: string,
  { grace }: Pick<NormalRequest, 'grace'>,
  mayExec = false,
): Way | { refused: string } {
  const container = pod.spec.containers.find((each) => each.name === name);
  const status = containerStatus(pod, name);
  if (container === undefined || status === undefined) return { refused: 'the pod has no such container' };
  const way = respelling(pod, container, status, grace);
  if (!mayExec || !('refused' in way)) return way;
  const why = notSignalled(pod, name, grace);
  return why === undefined ? { signal: true } : { refused: `${way.refused}; and no signal is sent: ${why}` };
}

function respelling(
  pod: Pod,
  container: Container,
  status: ContainerStatus,
  grace: number | undefined,
): { image: string } | { refused: string } {
  const refused = podRefusal(pod, grace) ?? containerRefusal(container);
  if (refused !== undefined) return { refused };
  return respelled(container.image, status, pod.metadata.generation);
}

function podRefusal(pod: Pod, grace: number | undefined): string | undefined {
  const { restartPolicy = 'Always' } = pod.spec;
  const own = graceOf(pod);
  if (isMirror(pod)) return 'the pod shows a static one, which the API does not change';
  if (restartPolicy !== 'Always')
    return `the restart policy of the pod is ${String(restartPolicy)}: what is stopped would stay down, and this way restarts it`;
  if (grace !== undefined && grace !== own)
    return `the pod has ${own} seconds to terminate, and not ${grace}`;
  if (condition(pod, 'SidecarTerminated')?.status === 'True')
    return 'the sidecars of the pod are to stay down';
  const mark = ENGINE_MARKS.find((key) => pod.metadata.annotations?.[key] ?? pod.metadata.labels?.[key]);
  return controllerOf(pod) === undefined && mark !== undefined
    ? `a GitOps engine applies the pod (${mark}), and would write its image again`
    : undefined;
}

function containerRefusal(container: Container): string | undefined {
  if (listOf(container['env']).some(({ name }) => name === SIDECAR_VARIABLE))
    return 'it is a sidecar that is to stay down once the others have ended';
  return container['imagePullPolicy'] === 'Always'
    ? 'its imagePullPolicy is Always: it would be down until a registry answers'
    : undefined;
}
