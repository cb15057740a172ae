import { isFields } from '../../schemas/pods/fields.ts';
import { conditionOf, type Container, type Pod } from '../../schemas/pods/pod.ts';
import type { Job, PodTemplate } from './kinds.ts';
import { isActive, podOf } from './pods.ts';

export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
const indexKey = 'batch.kubernetes.io/job-completion-index';
const firstBackoffMs = 10_000;
const longestBackoffMs = 600_000;

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) === true;
}

export function isTerminating(pod: Pod): boolean {
  const { phase } = pod.status ?? {};
  return pod.metadata.deletionTimestamp !== undefined && phase !== 'Succeeded' && phase !== 'Failed';
}

/** Whether a pod counts as failed: unless the policy says otherwise, already while it terminates. */
export function hasFailed(job: Job, pod: Pod): boolean {
  if (pod.status?.phase === 'Failed') return true;
  return job.spec.podReplacementPolicy !== 'Failed' && isTerminating(pod);
}

export function isIndexed(job: Job): boolean {
  return job.spec.completionMode === 'Indexed';
}

export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexKey];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** `0,2-4` as a set. */
export function readIndexes(text = ''): Set<number> {
  const found = new Set<number>();
  for (const range of text.split(',').filter((part) => part !== '')) {
    const [first = 0, last = first] = range.split('-').map(Number);
    for (let index = first; index <= last; index += 1) found.add(index);
  }
  return found;
}

export function indexText(indexes: ReadonlySet<number>): string {
  const ranges: [number, number][] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges
    .map(([first, last]) =>
      first === last ? `${first}` : `${first}${last - first === 1 ? ',' : '-'}${last}`,
    )
    .join(',');
}

/** The lowest indexes that are neither completed nor being worked on. */
export function freeIndexes(
  job: Job,
  completed: ReadonlySet<number>,
  active: readonly Pod[],
  count: number,
): number[] {
  const taken = new Set(active.flatMap((pod) => indexOf(pod) ?? []));
  const free: number[] = [];
  for (let index = 0; index < (job.spec.completions ?? 0) && free.length < count; index += 1)
    if (!taken.has(index) && !completed.has(index)) free.push(index);
  return free;
}

const indexVariable = {
  name: 'JOB_COMPLETION_INDEX',
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${indexKey}']` } },
};

function withIndexVariable(container: Container): Container {
  const env: unknown = container['env'];
  const known: unknown[] = Array.isArray(env) ? env : [];
  return known.some((each) => isFields(each) && each['name'] === indexVariable.name)
    ? container
    : { ...container, env: [...known, indexVariable] };
}

/** A new pod of a Job, for one index where it is Indexed. */
export function jobPod(job: Job, index: number | undefined) {
  const finalizers = [trackingFinalizer];
  if (index === undefined) return podOf(job, job.spec.template, { finalizers });
  const mark = { [indexKey]: String(index) };
  const { spec } = job.spec.template;
  const { initContainers } = spec;
  const name = `${job.metadata.name}-${index}`;
  const template: PodTemplate = {
    ...job.spec.template,
    spec: {
      ...spec,
      containers: spec.containers.map(withIndexVariable),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withIndexVariable) }),
    },
  };
  return podOf(job, template, {
    generateName: `${name}-`,
    labels: mark,
    annotations: mark,
    finalizers,
    spec: { hostname: name },
  });
}

/** When the containers of a pod had ended, milliseconds since 1970. */
function endedAt(pod: Pod): number {
  const times = (pod.status?.containerStatuses ?? []).flatMap(
    ({ state }) => state.terminated?.finishedAt ?? [],
  );
  const texts = times.length > 0 ? times : [conditionOf(pod, 'Ready')?.lastTransitionTime ?? ''];
  return Math.max(
    ...texts.map((text) => Date.parse(text) || Date.parse(pod.metadata.creationTimestamp ?? '')),
  );
}

/** When the next pod may be created after failures; 0: at once. */
export function backoffUntil(job: Job, pods: readonly Pod[]): number {
  const ended = pods.filter((pod) => pod.status?.phase === 'Succeeded' || hasFailed(job, pod));
  const lastSuccess = Math.max(
    0,
    ...ended.filter(({ status }) => status?.phase === 'Succeeded').map(endedAt),
  );
  const failures = ended
    .filter(({ status }) => status?.phase !== 'Succeeded')
    .map(endedAt)
    .filter((at) => at > lastSuccess);
  if (failures.length === 0) return 0;
  return Math.max(...failures) + Math.min(firstBackoffMs * 2 ** (failures.length - 1), longestBackoffMs);
}

/** Whether containers of running pods were restarted too often (restartPolicy OnFailure). */
export function restartedTooOften({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec.restartPolicy !== 'OnFailure') return false;
  const limit = spec.backoffLimit ?? 6;
  const restarts = pods
    .filter(isActive)
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}
