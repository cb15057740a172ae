import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { controllerOf, type GroupKind, groupKindOf } from '../../semantics/owner.ts';
import { projectNamed } from '../../semantics/pod/named.ts';
import { projectPod } from '../../semantics/pod/project.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { isPullPod } from '../../semantics/pull/pod.ts';
import { projectPull } from '../../semantics/pull/project.ts';
import { RUN_KIND_LABEL, RUN_TARGET_LABEL } from '../../semantics/run/labels.ts';
import { partialMetadata } from './partial-metadata.ts';
import { keyOf, kindId, kindIdOf } from './ids.ts';
import { createIntern } from './intern.ts';
import { sharing } from './shared-parts.ts';
import { memoryOf } from '../../semantics/values/memory.ts';
import type { InvalidField } from '../../semantics/fields/problems.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { isWaiting } from '../../semantics/pod/gated.ts';
import { gatedSpec } from '../../semantics/pod/placed.ts';
import type { LonePods } from './lone-pods.ts';
import { beyondBounds } from '../../semantics/template/bounds.ts';
import { isObject } from '../../semantics/values/json-shape.ts';

/** An object that exceeds a memory limit: only a stub of it is cached. */
export interface Oversized {
  kind: string;
  name: string;
  /** The limit that it exceeds: of one object, of its namespace, or of a field of a target. */
  limit: 'object' | 'namespace' | InvalidField;
  /** Its status is too large, too: it cannot be compared, and so is not written. */
  hidesStatus: boolean;
}

/** The limits of the caches, bytes as measured by `memoryOf`. */
export interface RetentionLimits {
  /** One object. */
  object: number;
  /** All objects of a namespace; a pod counts with what exceeds `POD_FREE`. */
  namespace: number;
  /** All objects; beyond it, each namespace is still cached up to its part of `reserve`. */
  total: number;
  reserve: number;
}

const MIB = 1024 * 1024;

/** Limits for a process with this heap; about half of it is left for everything else. */
export function limitsFor(heapBytes: number): RetentionLimits {
  const total = Math.round(heapBytes * 0.5);
  return { object: MIB, namespace: Math.round(total / 3), total, reserve: Math.round(total / 8) };
}

/** The heap of the shipped Deployment. */
const SHIPPED_HEAP = 384 * MIB;
/** The reserve is divided by at least this number of namespaces. */
const FEWEST_SHARES = 16;
/** An ordinary pod is smaller than this in the cache. */
const POD_FREE = 16 * 1024;
/** A stub of a selected pod has no labels larger than this. */
const MOST_LABELS = 4 * 1024;
/** A stub of a pod that waits with a gate says where it may run, if that is no larger than this, and has no longer record. */
const MOST_PLACE = 4 * 1024;
/** The limit of one command. */
const MOST_COMMAND = 64 * 1024;
/** All commands of a namespace may take this part of its limit, on an account of their own. */
const COMMANDS_PART = 8;
/** A stub has no status larger than this. */
const MOST_STATUS = 64 * 1024;
/** A stub has no spec larger than this: a selector is as large as its author makes it, and stubs are not charged. */
const MOST_SPEC = 4 * 1024;
/** A stub has no reference to its target larger than this. */
const MOST_TARGET = 4 * 1024;
/** Dropped like managedFields: both are half of an object, and no rule reads them. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Reduces objects to what the caches store. Users choose the size of the objects they create: one namespace must not exhaust
 * the memory that all share.
 */
export interface Retention {
  /**
   * Without the fields that no rule reads; reduced to a stub if it is oversized.
   *
   * @param before as it was kept last, whose unchanged parts it shares
   */
  keep(object: KubeObject, before?: KubeObject): KubeObject;
  /** The same for a command. */
  keepCommand(object: KubeObject): KubeObject;
  /** The same for an object that a registered kind controls, reduced by `project`; undefined: it concerns no target. */
  keepOwned(object: KubeObject, project: (object: KubeObject) => KubeObject): KubeObject | undefined;
  keepPod(object: KubeObject): KubeObject | undefined;
  /** The object was deleted: frees its memory. */
  release(object: KubeObject): void;
  /** A list of a kind is complete: frees the memory of objects that do not exist (`has`, by `keyOf`). */
  settle(kind: GroupKind, has: (key: string) => boolean): void;
  /** Whether any object is a stub now. */
  readonly hasStubs: boolean;
  /** Undefined: the object is cached whole. */
  oversized(object: KubeObject): Oversized | undefined;
  /** Whether a pod is cached without what is read of it now, since a target names it. */
  isNarrow(pod: KubeObject): boolean;
  /** Whether an object is the stub of a pod that is reconciled by itself: that pod has to be read. */
  isLoneStub(object: KubeObject): boolean;
  /** Whether a stub would be cached whole now. */
  fits(object: KubeObject): boolean;
}

type Controller = Pick<OwnerReference, 'apiVersion' | 'kind'>;

/** How an object is kept. */
interface Keeping {
  /** Memory that is not charged. */
  free?: number;
  /** The most memory of one object. */
  most?: number;
  /** A target selects it, or may remove its gate, so that a stub has its labels, and what `selectable` keeps. */
  keepsLabels?(): boolean;
  /** Its spec says which pods of others it protects, so that a stub has it. */
  keepsSpec?: boolean;
}

/** The scheduling gates that targets remove from pods, and the annotations that they write as they do. */
type Gating = Pick<LonePods, 'gates' | 'records'>;

const NO_GATES: Gating = { gates: [], records: [] };

/** The memory of an object, and the account that it is charged to. */
interface Charge {
  account: string;
  bytes: number;
}

/**
 * @param isOurs whether objects of this controller concern a target
 * @param isSelected whether a pod concerns a target, whoever controls it
 * @param isPlaced whether the rules test the pods of this controller against nodes; undefined: a pod without controller
 * @param isAlone whether a pod is reconciled by itself, without a target
 * @param isNamed whether a target names the pod, so that more of it is read
 * @param gating what targets remove from pods that wait, and write: stubs have it
 * @param isFollowed whether a target selects a pod because of its controller
 */
export function createRetention(
  isOurs: (controller: Controller) => boolean,
  limits: RetentionLimits = limitsFor(SHIPPED_HEAP),
  isSelected: (pod: KubeObject) => boolean = () => false,
  isPlaced: (controller: Controller | undefined) => boolean = () => false,
  isAlone: (pod: KubeObject) => boolean = () => false,
  isNamed: (pod: KubeObject) => boolean = () => false,
  gating: () => Gating = () => NO_GATES,
  isFollowed: (pod: KubeObject) => boolean = () => false,
): Retention {
  const intern = createIntern();
  /** By `kindId` and `keyOf`. */
  const charges = new Map<string, Map<string, Charge>>();
  /** By account: a namespace, or its commands. */
  const totals = new Map<string, number>();
  let total = 0;
  /** The limit that a stub exceeds; `bytes`: the memory of the whole object. */
  const stubs = new WeakMap<KubeObject, Oversized & Charge>();
  const loneStubs = new WeakSet<KubeObject>();
  /** Pods that were cached with all that is read of a named one. */
  const named = new WeakSet<KubeObject>();
  /** Objects that are stubs now, by `kindId` and `keyOf`. */
  const stubbed = new Map<string, Set<string>>();

  function book(account: string, bytes: number): void {
    total += bytes;
    const sum = (totals.get(account) ?? 0) + bytes;
    if (sum === 0) totals.delete(account);
    else totals.set(account, sum);
  }

  function release(kind: string, key: string): void {
    const charge = charges.get(kind)?.get(key);
    if (charge !== undefined) book(charge.account, -charge.bytes);
    charges.get(kind)?.delete(key);
    stubbed.get(kind)?.delete(key);
  }

  function fitsLimits({ account, bytes }: Charge, most: number): boolean {
    const own = (totals.get(account) ?? 0) + bytes;
    if (own > most) return false;
    return total + bytes <= limits.total || own <= limits.reserve / Math.max(totals.size, FEWEST_SHARES);
  }

  const mostOf = (kind: string): number =>
    COMMANDS.has(kind) ? limits.namespace / COMMANDS_PART : limits.namespace;

  function within(object: KubeObject, keeping: Keeping = {}): KubeObject {
    const { free = 0, most = limits.object } = keeping;
    const kind = kindIdOf(object);
    const key = keyOf(object);
    release(kind, key);
    const { namespace = '' } = object.metadata;
    const account = COMMANDS.has(object.kind) ? `${namespace}/commands` : namespace;
    const bytes = memoryOf(object, most);
    const charge = { account, bytes: Math.max(bytes - free, 0) };
    if (bytes <= most && fitsLimits(charge, mostOf(object.kind))) {
      if (charge.bytes > 0) of(charges, kind, () => new Map<string, Charge>()).set(key, charge);
      book(account, charge.bytes);
      return object;
    }
    return reduced(object, bytes > most ? 'object' : 'namespace', charge, keeping);
  }

  /** A target that no rule may read. */
  function beyond(object: KubeObject, limit: InvalidField, keeping: Keeping): KubeObject {
    release(kindIdOf(object), keyOf(object));
    return reduced(object, limit, { account: object.metadata.namespace ?? '', bytes: 0 }, keeping);
  }

  function reduced(
    object: KubeObject,
    limit: Oversized['limit'],
    charge: Charge,
    { keepsLabels = () => false, keepsSpec = false }: Keeping = {},
  ): KubeObject {
    const { kind } = object;
    const bare = stubOf(object, keepsSpec);
    const stub = keepsLabels() ? selectable(bare, object, gating()) : bare;
    const hidesStatus = object['status'] !== undefined && stub['status'] === undefined;
    stubs.set(stub, { kind, name: object.metadata.name, limit, hidesStatus, ...charge });
    of(stubbed, kindIdOf(object), () => new Set<string>()).add(keyOf(object));
    return stub;
  }

  /** A bug that one object triggers must not end the watch: that object counts as oversized. */
  function guarded(object: KubeObject, keep: () => KubeObject): KubeObject {
    try {
      return keep();
    } catch {
      release(kindIdOf(object), keyOf(object));
      return reduced(object, 'object', { account: '', bytes: 0 });
    }
  }

  const concerns = (object: KubeObject): boolean => {
    const controller = controllerOf(object);
    return controller !== undefined && isOurs(controller);
  };

  return {
    keep: (object, before) =>
      guarded(object, () => {
        const kind = kindOf(groupKindOf(object));
        const keeping = { keepsSpec: kind?.influence !== undefined };
        const bound = kind === undefined ? undefined : beyondBounds(object);
        if (bound !== undefined) return beyond(object, bound, keeping);
        return within(sharing(plain(object), before), keeping);
      }),
    keepCommand: (object) => guarded(object, () => within(plain(object), { most: MOST_COMMAND })),
    keepOwned: (object, project) =>
      concerns(object) ? guarded(object, () => within(project(object))) : undefined,
    keepPod(object) {
      const isWanted = isSelected(object);
      if (!isWanted && !concerns(object) && !isAlone(object)) return undefined;
      const kept = guarded(object, () => {
        // One that pulls images is no unit: why it waits is read, and not where it would fit.
        const isPull = isPullPod(object);
        const isUnit = !isPull && isPlaced(controllerOf(object));
        const projected = projectPod(object as Pod, intern, isUnit, isWanted);
        const read = isPull ? projectPull(object as Pod, projected) : projected;
        const whole = isNamed(object) ? projectNamed(object as Pod, read) : read;
        // A target that begins to select one that waits is to see it at once.
        const keepsLabels = (): boolean => isWanted || isFollowed(object) || isWaiting(whole, gating().gates);
        return within(whole, { free: POD_FREE, keepsLabels });
      });
      if (isNamed(object)) named.add(kept);
      if (stubs.has(kept) && isAlone(object)) loneStubs.add(kept);
      return kept;
    },
    release: (object) => release(kindIdOf(object), keyOf(object)),
    settle(settled, has) {
      const kind = kindId(settled);
      for (const keys of [charges.get(kind)?.keys(), stubbed.get(kind)?.keys()])
        for (const key of [...(keys ?? [])]) if (!has(key)) release(kind, key);
    },
    get hasStubs() {
      return [...stubbed.values()].some(({ size }) => size > 0);
    },
    oversized: (object) => stubs.get(object),
    isNarrow: (pod) => isNamed(pod) && !named.has(pod),
    isLoneStub: (object) => loneStubs.has(object),
    fits(object) {
      const stub = stubs.get(object);
      return stub !== undefined && stub.limit === 'namespace' && fitsLimits(stub, mostOf(stub.kind));
    },
  };
}

const COMMANDS: ReadonlySet<string> = new Set([
  resources.RolloutCommand.kind,
  resources.ClusterRolloutCommand.kind,
]);

function of<Value>(all: Map<string, Value>, key: string, make: () => Value): Value {
  const value = all.get(key) ?? make();
  all.set(key, value);
  return value;
}

/** An object without `managedFields` and the last applied configuration. */
export function plain(object: KubeObject): KubeObject {
  const { managedFields, annotations, name, ...metadata } = object.metadata;
  if (managedFields === undefined && annotations?.[LAST_APPLIED] === undefined) return object;
  const { [LAST_APPLIED]: _applied, ...retained } = annotations ?? {};
  const kept = annotations?.[LAST_APPLIED] === undefined ? annotations : retained;
  // The name comes first, so that objects have one shape (`partialMetadata`).
  return { ...object, metadata: { name, ...metadata, ...(kept === undefined ? {} : { annotations: kept }) } };
}

/**
 * The identity of an object, its controller, the target that it names or is a run of, how many pods it asks for, and its status if
 * that is small.
 *
 * @param keepsSpec whether the stub has the whole spec, or none if that is large
 */
function stubOf({ apiVersion, kind, metadata, ...object }: KubeObject, keepsSpec: boolean): KubeObject {
  const { generation, creationTimestamp, deletionTimestamp } = metadata;
  const controller = controllerOf({ apiVersion, kind, metadata });
  const { [RUN_KIND_LABEL]: runOf, [RUN_TARGET_LABEL]: runTarget } = metadata.labels ?? {};
  const status = object['status'];
  return {
    apiVersion,
    kind,
    metadata: partialMetadata(metadata, {
      ...(generation === undefined ? {} : { generation }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(controller === undefined ? {} : { ownerReferences: [controller] }),
      ...(runOf === undefined || runTarget === undefined
        ? {}
        : { labels: { [RUN_KIND_LABEL]: runOf, [RUN_TARGET_LABEL]: runTarget } }),
    }),
    ...specOfStub(object['spec'], keepsSpec),
    ...(status === undefined || memoryOf(status, MOST_STATUS) > MOST_STATUS ? {} : { status }),
  };
}

function specOfStub(spec: unknown, keepsSpec: boolean): { spec?: object } {
  if (!isObject(spec)) return {};
  if (keepsSpec) return memoryOf(spec, MOST_SPEC) > MOST_SPEC ? {} : { spec };
  const { target, replicas } = spec;
  const kept = {
    ...(target !== undefined && memoryOf(target, MOST_TARGET) <= MOST_TARGET && { target }),
    ...(typeof replicas === 'number' && { replicas }),
  };
  return Object.keys(kept).length === 0 ? {} : { spec: kept };
}

/**
 * The stub of a pod that targets select: without containers, it is none of those that they have changed. Those that remove its gate see
 * where it may run, and their records of where it belongs: they place it as any other, and count it.
 */
function selectable(stub: KubeObject, object: KubeObject, { gates, records }: Gating): KubeObject {
  const { labels = {}, annotations = {} } = object.metadata;
  const kept = records.flatMap((key) => {
    const text = annotations[key];
    return text === undefined || memoryOf(text, MOST_PLACE) > MOST_PLACE ? [] : [[key, text] as const];
  });
  const metadata = {
    ...stub.metadata,
    ...(memoryOf(labels, MOST_LABELS) <= MOST_LABELS && { labels }),
    ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
  };
  const place = isWaiting(object, gates) ? gatedSpec((object as Pod).spec) : {};
  const isSmall = memoryOf(place, MOST_PLACE) <= MOST_PLACE;
  return { ...stub, metadata, spec: { containers: [], ...(isSmall && place) } };
}
