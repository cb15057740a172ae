import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import type { Objects, Unit } from './subject.ts';

/** Whether a pod receives traffic, computed here and not by the rules under test. */
export function serves(pod: Pod): boolean {
  const status = (type: string): string | undefined =>
    pod.status?.conditions?.find((c) => c.type === type)?.status;
  return (
    pod.metadata.deletionTimestamp === undefined &&
    pod.status?.phase === 'Running' &&
    status('Ready') === 'True' &&
    status('InPlaceUpdateReady') !== 'False'
  );
}

interface ReadyFor {
  minReadySeconds?: number;
}

/** Whether a pod has served for as long as its target asks for, wherever its kind has that; milliseconds since 1970. */
export function isAvailableAt(pod: Pod, target: KubeObject, at: number): boolean {
  const spec = target['spec'] as ReadyFor & { updateStrategy?: { rollingUpdate?: ReadyFor } };
  const minReadySeconds = spec.minReadySeconds ?? spec.updateStrategy?.rollingUpdate?.minReadySeconds ?? 0;
  const since = pod.status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
  return serves(pod) && Date.parse(since ?? '') + minReadySeconds * 1000 <= at;
}

/** Whether a pod counts: it is neither finished nor being deleted. */
export function lives(pod: Pod): boolean {
  const ended = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  return pod.metadata.deletionTimestamp === undefined && !ended;
}

/** Whether a pod only pulls images. */
export function pulls({ metadata }: Pod): boolean {
  return metadata.labels?.['plan.kruise.io/pull'] !== undefined;
}

/** Pods of a target, including those that are being deleted; not those that only pull images. */
export function podsOf(objects: Objects, { metadata: { uid } }: KubeObject): Pod[] {
  return ([...objects.values()] as Pod[]).filter(
    (pod) =>
      pod.kind === 'Pod' &&
      !pulls(pod) &&
      pod.metadata.ownerReferences?.some((ref) => ref.uid === uid) === true,
  );
}

/** A pod as a unit. */
export function podUnit(pod: Pod, revision: string): Unit {
  return { id: pod.metadata.uid ?? '', revision, serves: serves(pod) };
}

/** `web:1`, or `web:1 debug` where the container has that in its environment, or `web:1 cpu 100m` where it requests that. */
export function podRevision({ spec }: Pod): string {
  const [container] = spec.containers as unknown as {
    image: string;
    env?: { value?: string }[];
    resources?: { requests?: { cpu?: string } };
  }[];
  const { image = '', env = [], resources } = container ?? {};
  const cpu = resources?.requests?.cpu;
  // A variable without a value is no part of the revision: it refers to what is particular to the pod.
  const values = env.flatMap(({ value }) => value ?? []);
  return [image, ...values, ...(cpu === undefined ? [] : ['cpu', cpu])].join(' ');
}
