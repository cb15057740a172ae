import { type GroupKind, groupKindOf, tupleId } from '../../semantics/owner.ts';

declare const made: unique symbol;

/**
 * Which object a rollout is of: what the runtime schedules and remembers by. Equal tuples are one object, so that a Map
 * finds what is filed under it; the parts are never joined into a text that would have to be taken apart again.
 */
export interface TargetKey extends GroupKind {
  /** Empty: it is in none. */
  readonly namespace: string;
  readonly name: string;
  /** `Kind/namespace/name`, or `Kind/name` in no namespace, for people; nothing is looked up by it. */
  toString(): string;
  readonly [made]: true;
}

/** What refers to a target from an object of its own namespace, as it was read: it may have any shape. */
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
 * The key of the target that an object of `namespace` refers to. Undefined: no object can be meant, because a part has not
 * the form of a group, of a kind or of a DNS name; what refers to nothing is left alone.
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
