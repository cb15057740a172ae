import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { refuse } from '../api/errors.ts';
import { isFinished, type Pod, type PodStatus } from '../kinds/pod.ts';
import type { Store } from '../store/store.ts';
import { internValue } from '../store/value.ts';
import { isRetriable, type Outbox } from './outbox.ts';
import {
  combined,
  differsInExit,
  differsInGeneration,
  isSameReady,
  isSameStatus,
  statusPatch,
  type StatusWriter,
  withReadyOf,
} from './podStatusParts.ts';

export interface PodMirrorOptions {
  cluster: Cluster;
  clock: Pick<Clock, 'after'>;
  store: Store;
  outbox: Outbox;
  /** Whether this side runs the node of that name. */
  isOurs(node: string): boolean;
  /** A write was refused for good. */
  onRefused(key: string, error: ApiError): void;
}

/** Pods of another server in the local store, for kubelets and a scheduler that know no other. */
export interface PodMirror {
  /** What the other server has; older states than one that was seen already are passed over. */
  observe(pod: KubeObject, gone: boolean): void;
  /** A component's status of a pod: true here at once, and there as soon as it can be. 404: there is no such pod. */
  writeStatus(user: string, pod: Pod): KubeObject;
  /** Gives a pod its node: here at once, its kubelet hears of it when the other server has it. */
  bind(at: { namespace: string; name: string }, node: string): KubeObject;
  /** The kubelet is done with a pod that is being deleted. */
  release(uid: string): void;
  /** The version of a pod over there. */
  versionOf(uid: string): string | undefined;
}

interface Entry {
  uid: string;
  namespace: string;
  name: string;
  /** The version that was seen last. */
  version: number;
  /** The status as the other server has it. */
  outside: PodStatus;
  /** What is said of it here. */
  said: PodStatus | undefined;
  speaker: StatusWriter;
  /** What is on its way there. */
  telling: PodStatus | undefined;
  /** The last thing that was told over there, and what became of it: a server may put it in other words. */
  told: { said: PodStatus; became: PodStatus } | undefined;
  /** The node that it was given here, until the other server shows it. */
  node: string | undefined;
  bound: boolean;
  released: boolean;
}

const pods = 'pods';
/** Who writes into the local store what was seen: neither a kubelet nor a scheduler. */
const outsider = 'system:apiserver';
/**
 * How long something may wait for what comes next, milliseconds. A kubelet looks at its containers from time to time: an
 * exit is told with the start that follows at once, and that it has seen a change with what it did about it.
 */
const WAIT_MS = { exit: 500, generation: 2_000 };
/** How long after a refused binding a pod is given a node again. */
const UNBIND_MS = 2_000;

export function createPodMirror(options: PodMirrorOptions): PodMirror {
  const { cluster, clock, store, outbox, isOurs, onRefused } = options;
  const entries = new Map<string, Entry>();

  function local(entry: Entry): Pod | undefined {
    return store.byUid(entry.uid) as Pod | undefined;
  }

  function drop(entry: Entry): void {
    entries.delete(entry.uid);
    outbox.forget(keyOf(entry));
    const object = local(entry);
    if (object !== undefined) store.remove({ user: outsider, resource: pods, object });
  }

  /** One of that name which is another. */
  function predecessor({ metadata }: KubeObject): Entry | undefined {
    const { namespace = '', name, uid } = metadata;
    const there = store.read(pods, namespace, name);
    return there === undefined || there.metadata.uid === uid
      ? undefined
      : entries.get(there.metadata.uid ?? '');
  }

  function see(object: KubeObject, gone: boolean): void {
    const pod = object as Pod;
    const { uid = '', name, namespace = '', resourceVersion } = pod.metadata;
    let entry = entries.get(uid);
    const version = Number(resourceVersion);
    if (entry !== undefined && version < entry.version) return;
    const { nodeName } = pod.spec;
    if (gone || (nodeName && !isOurs(nodeName))) {
      if (entry !== undefined) drop(entry);
      return;
    }
    if (entry !== undefined && version === entry.version) return;
    const other = predecessor(pod);
    if (other !== undefined) {
      if (other.version > version) return;
      drop(other);
    }
    if (entry === undefined) {
      entry = {
        uid,
        namespace,
        name,
        version,
        outside: {},
        said: undefined,
        speaker: 'scheduler',
        telling: undefined,
        told: undefined,
        node: undefined,
        bound: false,
        released: false,
      };
      entries.set(uid, entry);
    }
    entry.version = version;
    mirror(entry, pod);
    if (isUntold(entry)) push(entry, waitOf(entry, pod, entry.said ?? {}));
  }

  /** Brings the local object in line with what was seen. */
  function mirror(entry: Entry, pod: Pod): void {
    const before = local(entry);
    const outsideBefore = entry.outside;
    entry.outside = internValue(pod.status ?? {}, before?.status);
    const isBoundThere = Boolean(pod.spec.nodeName);
    const isConfirmed = isBoundThere && entry.node !== undefined;
    if (isBoundThere) {
      entry.node = undefined;
      // Of a pod that has a node, a scheduler has nothing to say.
      if (entry.speaker === 'scheduler') entry.said = undefined;
    }
    // Somebody else ended it for good: nobody takes that back.
    if (entry.said !== undefined && isFinished(pod) && !isFinished({ ...pod, status: entry.said }))
      entry.said = undefined;
    if (entry.said !== undefined && isReadyOfAnother(entry, outsideBefore))
      entry.said = withReadyOf(entry.outside, entry.said);
    const { managedFields: _bookkeeping, ...metadata } = pod.metadata;
    const next: Pod = {
      ...pod,
      metadata: { ...metadata, resourceVersion: before?.metadata.resourceVersion ?? '' },
      spec: entry.node === undefined ? pod.spec : { ...pod.spec, nodeName: entry.node },
      status: entry.said === undefined ? entry.outside : combined(entry.outside, entry.said, entry.speaker),
    };
    const object = before === undefined ? next : internValue(next, before);
    if (object === before && !isConfirmed) return;
    store.write({ user: outsider, resource: pods, object });
  }

  /**
   * Whether somebody else wrote what a pod's readiness is. A kubelet goes on from there: it looks at once whether that
   * holds, and where it does, as after a readiness gate was closed together with it, has nothing to write.
   */
  function isReadyOfAnother({ outside, said, speaker, telling, told }: Entry, before: PodStatus): boolean {
    if (speaker !== 'kubelet' || isSameReady(outside, before)) return false;
    return ![said, telling, told?.became].some((own) => own !== undefined && isSameReady(outside, own));
  }

  function isUntold({ said, told, outside, speaker, released }: Entry): boolean {
    if (released) return true;
    if (said === undefined || (told?.said === said && isSameStatus(told.became, outside, speaker)))
      return false;
    return statusPatch(outside, said, speaker) !== undefined;
  }

  function waitOf({ outside, telling, speaker, released }: Entry, pod: Pod, said: PodStatus): number {
    if (released || speaker === 'scheduler' || pod.metadata.deletionTimestamp !== undefined) return 0;
    const known = telling ?? outside;
    if (differsInGeneration(known, said)) return WAIT_MS.generation;
    return differsInExit(known, said) ? WAIT_MS.exit : 0;
  }

  function push(entry: Entry, delayMs = 0): void {
    outbox.enqueue(keyOf(entry), async () => send(entry), delayMs);
  }

  async function send(entry: Entry): Promise<void> {
    try {
      if (entry.node !== undefined && !entry.bound) await sendBinding(entry, entry.node);
      await sendStatus(entry);
      if (entry.released) await sendDeletion(entry);
    } catch (error) {
      if (isRetriable(error) || !(error instanceof ApiError)) throw error;
      // It is gone, or another one has its name: the watch will show it.
      if (error.status.code !== 404 && error.status.code !== 409) onRefused(keyOf(entry), error);
    }
  }

  async function sendBinding(entry: Entry, node: string): Promise<void> {
    const { namespace, name, uid } = entry;
    try {
      await cluster.create(
        resources.Pod,
        {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { name, namespace, uid },
          target: { apiVersion: 'v1', kind: 'Node', name: node },
        },
        { subresource: 'binding', fieldManager: 'kube-scheduler' },
      );
      entry.bound = true;
    } catch (error) {
      // Where somebody else was faster, the watch says so soon.
      if (!isRetriable(error)) clock.after(UNBIND_MS, () => unbind(entry));
      throw error;
    }
  }

  /** It did not get that node: to the scheduler it is new. */
  function unbind(entry: Entry): void {
    const pod = local(entry);
    if (entry.node === undefined || entry.bound || pod === undefined) return;
    entry.node = undefined;
    const { nodeName: _none, ...spec } = pod.spec;
    store.remove({ user: outsider, resource: pods, object: pod });
    store.write({ user: outsider, resource: pods, object: { ...pod, spec } satisfies Pod });
  }

  async function sendStatus(entry: Entry): Promise<void> {
    const { namespace, name, uid, said, speaker } = entry;
    if (said === undefined || !isUntold(entry)) return;
    const status = statusPatch(entry.outside, said, speaker);
    if (status === undefined) return;
    entry.telling = said;
    const asked = cluster.patch(
      resources.Pod,
      { namespace, name },
      { type: 'strategic', body: { metadata: { uid }, status } },
      { subresource: 'status', fieldManager: speaker === 'kubelet' ? 'kubelet' : 'kube-scheduler' },
    );
    const answer = (await asked.finally(() => (entry.telling = undefined))) as Pod;
    if (entries.get(uid) !== entry) return;
    entry.told = { said, became: internValue(answer.status ?? {}, entry.outside) };
    see(answer, false);
  }

  async function sendDeletion(entry: Entry): Promise<void> {
    const { namespace, name, uid } = entry;
    entry.released = false;
    try {
      await cluster.delete(resources.Pod, { namespace, name }, { uid, gracePeriodSeconds: 0 });
    } catch (error) {
      if (isRetriable(error)) entry.released = true;
      throw error;
    }
  }

  return {
    observe: see,
    writeStatus(user, pod) {
      const { uid = '', name } = pod.metadata;
      const entry = entries.get(uid);
      if (entry === undefined || local(entry) === undefined)
        throw refuse.notFound({ group: '', plural: pods }, name);
      entry.speaker = user.startsWith('system:node:') ? 'kubelet' : 'scheduler';
      const object = store.write({ user, resource: pods, object: pod }) as Pod;
      const said = object.status ?? {};
      entry.said = said;
      push(entry, waitOf(entry, object, said));
      return object;
    },
    bind({ namespace, name }, node) {
      const pod = store.read(pods, namespace, name) as Pod | undefined;
      const entry = entries.get(pod?.metadata.uid ?? '');
      if (entry === undefined || pod === undefined) throw refuse.notFound({ group: '', plural: pods }, name);
      entry.node = node;
      entry.bound = false;
      // The scheduler counts it from now on. Written in the name of the kubelet, it is no news to that.
      const object = { ...pod, spec: { ...pod.spec, nodeName: node } } satisfies Pod;
      const written = store.write({ user: `system:node:${node}`, resource: pods, object });
      push(entry);
      return written;
    },
    release(uid) {
      const entry = entries.get(uid);
      if (entry === undefined) return;
      entry.released = true;
      push(entry);
    },
    versionOf(uid) {
      const version = entries.get(uid)?.version;
      return version === undefined ? undefined : String(version);
    },
  };
}

function keyOf({ namespace, name, uid }: Entry): string {
  return `pod ${namespace}/${name} ${uid}`;
}
