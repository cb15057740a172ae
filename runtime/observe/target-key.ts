import { type GroupKind, groupKindOf, tupleId } from '../../semantics/owner.ts';

declare const brand: unique symbol;

/**
 * The identity of a target: the runtime schedules reconciles and stores state by it. Equal tuples are one object, so that it
 * can be the key of a Map; the parts are never joined into a string that would have to be parsed again.
 */
export interface TargetKey extends GroupKind {
  /** Empty: it is cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  /** `Kind/namespace/name`, or `Kind/name` of a cluster-scoped object, for messages only. */
  toString(): string;
  readonly [brand]: true;
}

/** A reference to a target in the namespace of the referring object. */
export interface TargetReference {
  apiVersion?: string;
  kind: string;
  name: string;
}

const known = new Map<string, WeakRef<TargetKey>>();
const forgotten = new FinalizationRegistry<string>((tuple) => {
  if (known.get(tuple)?.deref() === undefined) known.delete(tuple);
});

/** The key of a target. */
export function targetKey({ group, kind }: GroupKind, namespace: string, name: string): TargetKey {
  const tuple = tupleId({ group, kind }, namespace, name);
  const before = known.get(tuple)?.deref();
  if (before !== undefined) return before;
  const key = {
    group,
    kind,
    namespace,
    name,
    toString: () => (namespace === '' ? `${kind}/${name}` : `${kind}/${namespace}/${name}`),
  } as TargetKey;
  Object.freeze(key);
  known.set(tuple, new WeakRef(key));
  forgotten.register(key, tuple);
  return key;
}

/** The group of a reference that names none. */
const DEFAULT_GROUP = 'apps.kruise.io';
const KIND = /^[A-Z][A-Za-z0-9]{0,62}$/;
const GROUP = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST_NAME = 253;

/**
 * The key of the target that an object in `namespace` refers to. Undefined: the reference is invalid, because its group, kind
 * or name does not have the form that Kubernetes requires; the object is then ignored.
 *
 * @param reference as read, of any shape
 */
export function referredKey(reference: unknown, namespace: string): TargetKey | undefined {
  if (typeof reference !== 'object' || reference === null) return undefined;
  const { apiVersion, kind, name } = reference as Record<string, unknown>;
  if (typeof kind !== 'string' || typeof name !== 'string') return undefined;
  if (apiVersion !== undefined && typeof apiVersion !== 'string') return undefined;
  const { group } = apiVersion === undefined ? { group: DEFAULT_GROUP } : groupKindOf({ apiVersion, kind });
  const isName = name.length <= LONGEST_NAME && NAME.test(name);
  return KIND.test(kind) && GROUP.test(group) && isName
    ? targetKey({ group, kind }, namespace, name)
    : undefined;
}
