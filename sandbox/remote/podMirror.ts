import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { refuse } from '../api/errors.ts';
import { isFinished, type Pod, type PodStatus } from '../../schemas/pods/pod.ts';
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
  /** Whether this process simulates the node. */
  isOurs(node: string): boolean;
  /** A write failed permanently. */
  onRefused(key: string, error: ApiError): void;
}

/**
 * Mirrors pods of the remote server in the local store, for kubelets and a scheduler that work on that store only.
 */
export interface PodMirror {
  /** The remote state; states older than the last observed one are ignored. */
  observe(pod: KubeObject, removed: boolean): void;
  /**
   * Writes the pod status of a component: locally at once, remotely as soon as possible. 404 if the pod does not
   * exist.
   */
  writeStatus(user: string, pod: Pod): KubeObject;
  /** Binds a pod: locally at once; its kubelet observes it when the remote server has it. */
  bind(at: { namespace: string; name: string }, node: string): KubeObject;
  /** The kubelet has stopped a pod that is being deleted. */
  release(uid: string): void;
  /** The remote resourceVersion of a pod. */
  versionOf(uid: string): string | undefined;
}

interface Entry {
  uid: string;
  namespace: string;
  name: string;
  /** The last observed version. */
  version: number;
  /** The remote status. */
  remote: PodStatus;
  /** The local status. */
  localStatus: PodStatus | undefined;
  writer: StatusWriter;
  /** The pending write. */
  pendingStatus: PodStatus | undefined;
  /** The last status that was sent, with the result: the server may store it in another form. */
  sent: { localStatus: PodStatus; result: PodStatus } | undefined;
  /** The local binding, until the remote server shows it. */
  node: string | undefined;
  bound: boolean;
  released: boolean;
}

const pods = 'pods';
/** The user of mirrored writes in the local store; neither a kubelet nor a scheduler. */
const mirrorUser = 'system:apiserver';
/**
 * Delay before a status is sent, to combine it with the next one, milliseconds. Like a kubelet's periodic sync: an
 * exit is reported together with an immediate restart, and an observed generation together with its effects.
 */
const WAIT_MS = { exit: 500, generation: 2_000 };
/** Delay before a pod is scheduled again after a refused binding. */
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
    if (object !== undefined) store.remove({ user: mirrorUser, resource: pods, object });
  }

  /** Another pod of the same name. */
  function predecessor({ metadata }: KubeObject): Entry | undefined {
    const { namespace = '', name, uid } = metadata;
    const there = store.read(pods, namespace, name);
    return there === undefined || there.metadata.uid === uid
      ? undefined
      : entries.get(there.metadata.uid ?? '');
  }

  function observe(object: KubeObject, removed: boolean): void {
    const pod = object as Pod;
    const { uid = '', name, namespace = '', resourceVersion } = pod.metadata;
    let entry = entries.get(uid);
    const version = Number(resourceVersion);
    if (entry !== undefined && version < entry.version) return;
    const { nodeName } = pod.spec;
    if (removed || (nodeName && !isOurs(nodeName))) {
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
        remote: {},
        localStatus: undefined,
        writer: 'scheduler',
        pendingStatus: undefined,
        sent: undefined,
        node: undefined,
        bound: false,
        released: false,
      };
      entries.set(uid, entry);
    }
    entry.version = version;
    mirror(entry, pod);
    if (hasPendingWrite(entry)) push(entry, delayOf(entry, pod, entry.localStatus ?? {}));
  }

  /** Updates the local object to the observed state. */
  function mirror(entry: Entry, pod: Pod): void {
    const before = local(entry);
    const remoteBefore = entry.remote;
    entry.remote = internValue(pod.status ?? {}, before?.status);
    const isBoundThere = Boolean(pod.spec.nodeName);
    const isConfirmed = isBoundThere && entry.node !== undefined;
    if (isBoundThere) {
      entry.node = undefined;
      // The scheduler does not write the status of bound pods.
      if (entry.writer === 'scheduler') entry.localStatus = undefined;
    }
    // A terminal phase set by another client is final.
    if (
      entry.localStatus !== undefined &&
      isFinished(pod) &&
      !isFinished({ ...pod, status: entry.localStatus })
    )
      entry.localStatus = undefined;
    if (entry.localStatus !== undefined && isReadyFromOtherClient(entry, remoteBefore))
      entry.localStatus = withReadyOf(entry.remote, entry.localStatus);
    const { managedFields: _bookkeeping, ...metadata } = pod.metadata;
    const next: Pod = {
      ...pod,
      metadata: { ...metadata, resourceVersion: before?.metadata.resourceVersion ?? '' },
      spec: entry.node === undefined ? pod.spec : { ...pod.spec, nodeName: entry.node },
      status:
        entry.localStatus === undefined
          ? entry.remote
          : combined(entry.remote, entry.localStatus, entry.writer),
    };
    const object = before === undefined ? next : internValue(next, before);
    if (object === before && !isConfirmed) return;
    store.write({ user: mirrorUser, resource: pods, object });
  }

  /**
   * Whether another client changed the pod's readiness. Then the kubelet checks it immediately; if the readiness
   * still holds, as after a gate was closed together with it, there is nothing to write.
   */
  function isReadyFromOtherClient(
    { remote, localStatus, writer, pendingStatus, sent }: Entry,
    before: PodStatus,
  ): boolean {
    if (writer !== 'kubelet' || isSameReady(remote, before)) return false;
    return ![localStatus, pendingStatus, sent?.result].some(
      (own) => own !== undefined && isSameReady(remote, own),
    );
  }

  function hasPendingWrite({ localStatus, sent, remote, writer, released }: Entry): boolean {
    if (released) return true;
    if (
      localStatus === undefined ||
      (sent?.localStatus === localStatus && isSameStatus(sent.result, remote, writer))
    )
      return false;
    return statusPatch(remote, localStatus, writer) !== undefined;
  }

  function delayOf(
    { remote, pendingStatus, writer, released }: Entry,
    pod: Pod,
    localStatus: PodStatus,
  ): number {
    if (released || writer === 'scheduler' || pod.metadata.deletionTimestamp !== undefined) return 0;
    const known = pendingStatus ?? remote;
    if (differsInGeneration(known, localStatus)) return WAIT_MS.generation;
    return differsInExit(known, localStatus) ? WAIT_MS.exit : 0;
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
      // The pod was deleted or replaced: the watch will show it.
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
      // After a conflict, the watch shows the new state soon.
      if (!isRetriable(error)) clock.after(UNBIND_MS, () => unbind(entry));
      throw error;
    }
  }

  /** The binding failed: the scheduler sees the pod as new. */
  function unbind(entry: Entry): void {
    const pod = local(entry);
    if (entry.node === undefined || entry.bound || pod === undefined) return;
    entry.node = undefined;
    const { nodeName: _none, ...spec } = pod.spec;
    store.remove({ user: mirrorUser, resource: pods, object: pod });
    store.write({ user: mirrorUser, resource: pods, object: { ...pod, spec } satisfies Pod });
  }

  async function sendStatus(entry: Entry): Promise<void> {
    const { namespace, name, uid, localStatus, writer } = entry;
    if (localStatus === undefined || !hasPendingWrite(entry)) return;
    const status = statusPatch(entry.remote, localStatus, writer);
    if (status === undefined) return;
    entry.pendingStatus = localStatus;
    const response = cluster.patch(
      resources.Pod,
      { namespace, name },
      { type: 'strategic', body: { metadata: { uid }, status } },
      { subresource: 'status', fieldManager: writer === 'kubelet' ? 'kubelet' : 'kube-scheduler' },
    );
    const answer = (await response.finally(() => (entry.pendingStatus = undefined))) as Pod;
    if (entries.get(uid) !== entry) return;
    entry.sent = { localStatus, result: internValue(answer.status ?? {}, entry.remote) };
    observe(answer, false);
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
    observe,
    writeStatus(user, pod) {
      const { uid = '', name } = pod.metadata;
      const entry = entries.get(uid);
      if (entry === undefined || local(entry) === undefined)
        throw refuse.notFound({ group: '', plural: pods }, name);
      entry.writer = user.startsWith('system:node:') ? 'kubelet' : 'scheduler';
      const object = store.write({ user, resource: pods, object: pod }) as Pod;
      const localStatus = object.status ?? {};
      entry.localStatus = localStatus;
      push(entry, delayOf(entry, object, localStatus));
      return object;
    },
    bind({ namespace, name }, node) {
      const pod = store.read(pods, namespace, name) as Pod | undefined;
      const entry = entries.get(pod?.metadata.uid ?? '');
      if (entry === undefined || pod === undefined) throw refuse.notFound({ group: '', plural: pods }, name);
      entry.node = node;
      entry.bound = false;
      // The scheduler counts it from now on. Written as the kubelet, so that the kubelet is not notified.
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
