import { ApiError } from '../../schemas/wire/cluster.ts';
import type { ContainerStatus, Pod } from '../../schemas/pods/pod.ts';

/** A refusal of a request for a container, with the server's message. */
export function refusal(message: string): ApiError {
  return new ApiError({ code: 400, reason: 'BadRequest', message });
}

/** The container that is asked for; a pod with one needs no name. Throws ApiError. */
export function containerOf({ metadata, spec }: Pod, asked: string | null): string {
  const all = [...(spec.initContainers ?? []), ...spec.containers].map(({ name }) => name);
  if (asked !== null && asked !== '') {
    if (all.includes(asked)) return asked;
    throw refusal(`container ${asked} is not valid for pod ${metadata.name}`);
  }
  const [only = ''] = all;
  if (all.length === 1) return only;
  const main = spec.containers.map(({ name }) => name).join(' ');
  const init = (spec.initContainers ?? []).map(({ name }) => name).join(' ');
  const others = init === '' ? '' : ` or one of the init containers: [${init}]`;
  throw refusal(
    `a container name must be specified for pod ${metadata.name}, choose one of: [${main}]${others}`,
  );
}

/** The status of a container, as its kubelet reports it. */
export function statusOf({ status }: Pod, name: string): ContainerStatus | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = status ?? {};
  return [...initContainerStatuses, ...containerStatuses].find((each) => each.name === name);
}
