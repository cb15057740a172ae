import type { KubeObject } from '../../schemas/wire/object.ts';
import { controllerOf } from '../../semantics/owner.ts';
import { projectPod } from '../../semantics/pod/project.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { createIntern } from './intern.ts';

/** An object that takes more memory than it may: nothing of it is kept but what names it. */
export interface Oversized {
  kind: string;
  name: string;
  /** As JSON, of what would have been kept. */
  bytes: number;
  /** What it exceeds, bytes: that of one object, or what was left to its namespace. */
  limit: 'object' | 'namespace';
  /** Its status is too large, too: nothing can be compared with it, and so nothing is written there. */
  hidesStatus: boolean;
}

/** How much is kept, bytes of JSON. */
export interface RetentionLimits {
  /** One object. */
  object: number;
  /** All objects of a namespace; of a pod counts what exceeds `POD_FREE`, so that many pods are no offense. */
  namespace: number;
}

/** A pod template of more than this is no template: `kubectl apply` itself takes half of it. */
export const defaultLimits: RetentionLimits = { object: 512 * 1024, namespace: 64 * 1024 * 1024 };

/** An ordinary pod is smaller than this when it is kept. */
const POD_FREE = 4 * 1024;
/** A status larger than this is not kept either. */
const MOST_STATUS = 16 * 1024;
/** Who wrote which field, and what somebody applied last: half of an object, and no rule reads it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * What the caches keep of the objects they see. Whoever may create objects chooses how large they are: one namespace must
 * not use up the memory that all share.
 */
export interface Retention {
  /** Without bookkeeping; reduced to a stub where it is oversized. */
  keep(object: KubeObject): KubeObject;
  /** The same for what a registered kind controls, as `project` shows it; undefined: nothing of it concerns anybody here. */
  keepOwned(object: KubeObject, project: (object: KubeObject) => KubeObject): KubeObject | undefined;
  keepPod(object: KubeObject): KubeObject | undefined;
  /** It is gone, and its memory is free. */
  release(object: KubeObject): void;
  /** Whether any object is a stub now. */
  readonly hasStubs: boolean;
  /** Undefined: the object was kept. */
  oversized(object: KubeObject): Oversized | undefined;
  /** Whether a stub would be kept whole by now. */
  fits(object: KubeObject): boolean;
}

/** @param isOurs whether objects of this controller concern a target */
export function createRetention(
  isOurs: (controller: { apiVersion: string; kind: string }) => boolean,
  limits: RetentionLimits = defaultLimits,
): Retention {
  const intern = createIntern();
  /** By namespace and kind and name, what is charged to the namespace; most pods are free. */
  const charged = new Map<string, number>();
  const totals = new Map<string, number>();
  const stubs = new WeakMap<KubeObject, Oversized>();
  /** The charge ids of those that are stubs now. */
  const stubbed = new Set<string>();

  function charge(object: KubeObject, bytes: number): void {
    const { namespace = '' } = object.metadata;
    const id = chargeId(object);
    const total = (totals.get(namespace) ?? 0) - (charged.get(id) ?? 0) + bytes;
    if (bytes === 0) charged.delete(id);
    else charged.set(id, bytes);
    if (total === 0) totals.delete(namespace);
    else totals.set(namespace, total);
  }

  function left(object: KubeObject): number {
    const { namespace = '' } = object.metadata;
    return limits.namespace - (totals.get(namespace) ?? 0) + (charged.get(chargeId(object)) ?? 0);
  }

  function within(object: KubeObject, free = 0): KubeObject {
    const bytes = JSON.stringify(object).length;
    const cost = Math.max(bytes - free, 0);
    if (bytes <= limits.object && cost <= left(object)) {
      charge(object, cost);
      stubbed.delete(chargeId(object));
      return object;
    }
    charge(object, 0);
    stubbed.add(chargeId(object));
    const stub = stubOf(object);
    const limit = bytes > limits.object ? 'object' : 'namespace';
    const hidesStatus = object['status'] !== undefined && stub['status'] === undefined;
    stubs.set(stub, { kind: object.kind, name: object.metadata.name, bytes, limit, hidesStatus });
    return stub;
  }

  const concerns = (object: KubeObject): boolean => {
    const controller = controllerOf(object);
    return controller !== undefined && isOurs(controller);
  };

  return {
    keep: (object) => within(plain(object)),
    keepOwned: (object, project) => (concerns(object) ? within(project(object)) : undefined),
    keepPod: (object) => (concerns(object) ? within(projectPod(object as Pod, intern), POD_FREE) : undefined),
    release(object) {
      charge(object, 0);
      stubbed.delete(chargeId(object));
    },
    get hasStubs() {
      return stubbed.size > 0;
    },
    oversized: (object) => stubs.get(object),
    fits(object) {
      const stub = stubs.get(object);
      return stub !== undefined && stub.limit === 'namespace' && stub.bytes <= left(object);
    },
  };
}

function chargeId({ kind, metadata: { namespace, name } }: KubeObject): string {
  return `${kind}/${namespace ?? ''}/${name}`;
}

/** An object without its bookkeeping. */
export function plain(object: KubeObject): KubeObject {
  const { managedFields, annotations, ...metadata } = object.metadata;
  if (annotations?.[LAST_APPLIED] === undefined) {
    if (managedFields === undefined) return object;
    return { ...object, metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations }) } };
  }
  const { [LAST_APPLIED]: _applied, ...kept } = annotations;
  return { ...object, metadata: { ...metadata, annotations: kept } };
}

/** What names an object, whose it is, which target it speaks about, and where that is small its status. */
function stubOf({ apiVersion, kind, metadata, ...object }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } =
    metadata;
  const controller = controllerOf({ apiVersion, kind, metadata });
  const target = (object['spec'] as { target?: object } | undefined)?.target;
  const status = object['status'];
  const isSmall = (value: unknown): boolean => JSON.stringify(value).length <= MOST_STATUS;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(generation === undefined ? {} : { generation }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(controller === undefined ? {} : { ownerReferences: [controller] }),
    },
    ...(target === undefined || !isSmall(target) ? {} : { spec: { target } }),
    ...(status === undefined || !isSmall(status) ? {} : { status }),
  };
}
