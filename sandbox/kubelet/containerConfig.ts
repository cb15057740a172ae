import type { Container, Pod } from '../../schemas/pods/pod.ts';
import type { Store } from '../store/store.ts';
import { recordWait } from './containerRecord.ts';
import {
  after,
  cancelTimers,
  recordContainerEvent,
  type ContainerHost,
  type ContainerRun,
} from './containerRun.ts';
import type { PodRun } from './podRun.ts';

const NOT_CONFIGURED = 'CreateContainerConfigError';
/** A kubelet syncs a pod again this long after an error; it adds up to a half, which is left out here. */
const retryMs = 10_000;

interface Reference {
  name?: string;
  key?: string;
  optional?: boolean;
}

/** Why a variable of a container has no value: its ConfigMap does not exist, or has no such key. Undefined: all have one. */
export function missingConfig(store: Store, { metadata }: Pod, wanted: Container): string | undefined {
  const namespace = metadata.namespace ?? '';
  const { env = [], envFrom = [] } = wanted as {
    env?: { valueFrom?: { configMapKeyRef?: Reference } }[];
    envFrom?: { configMapRef?: Reference }[];
  };
  const references = [
    ...envFrom.flatMap(({ configMapRef }) => configMapRef ?? []),
    ...env.flatMap(({ valueFrom }) => valueFrom?.configMapKeyRef ?? []),
  ];
  for (const { name = '', key, optional } of references) {
    if (optional === true) continue;
    const found = store.read('configmaps', namespace, name);
    if (found === undefined) return `configmap "${name}" not found`;
    const isThere = [found['data'], found['binaryData']].some(
      (values) => key === undefined || Object.hasOwn(values ?? {}, key),
    );
    if (!isThere) return `couldn't find key ${key} in ConfigMap ${namespace}/${name}`;
  }
  return undefined;
}

/** The container is not created, and tried again later. Another one of the pod goes on. */
export function notConfigured(host: ContainerHost, run: ContainerRun, problem: string): void {
  cancelTimers(run);
  recordWait(run.record, NOT_CONFIGURED, problem);
  recordContainerEvent(host, run, 'Warning', 'Failed', `Error: ${problem}`);
  run.work = 'backoff';
  after(host, run, retryMs, () => {
    cancelTimers(run);
    host.changed(run.pod.uid);
  });
  host.changed(run.pod.uid);
}

/** What of a pod makes the kubelet sync it at once. Its status does not, and neither does a ConfigMap. */
const acted = new WeakMap<PodRun, string>();

/** A pod was written: containers that lack a variable are tried again at once if its spec, labels or annotations changed. */
export function retryConfig(run: PodRun, { metadata }: Pod): void {
  const waiting = run.containers.filter(
    ({ record, work }) => work === 'backoff' && record.state.waiting?.reason === NOT_CONFIGURED,
  );
  if (waiting.length === 0) return;
  const seen = JSON.stringify([metadata.generation, metadata.labels, metadata.annotations]);
  if (acted.get(run) !== seen) waiting.forEach(cancelTimers);
  acted.set(run, seen);
}
