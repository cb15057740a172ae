import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Condition, KubeObject, ObjectMeta, OwnerReference } from '../../schemas/wire/object.ts';

/** An object's members that patches of the rules write beside its metadata. */
interface Members {
  spec?: { containers?: readonly { name: string }[] };
  status?: { conditions?: readonly Condition[] };
}

/**
 * An object as the API server would have it after a patch of the rules: labels and annotations key by key, containers by
 * name, conditions by type, owners that are taken away, and values at the root. Whoever asks what would happen next applies
 * actions so, without a server; nothing else of a strategic merge patch is ever sent.
 */
export function patched<Of extends KubeObject>(object: Of, body: JsonObject): Of {
  const { metadata = {}, spec, status, ...root } = body;
  const from = object as Members;
  return {
    ...object,
    ...root,
    metadata: patchedMetadata(object.metadata, metadata as Partial<PatchMetadata>),
    ...(spec === undefined ? {} : { spec: patchedSpec(from.spec, spec as Members['spec']) }),
    ...(status === undefined ? {} : { status: patchedStatus(from.status, status as Members['status']) }),
  };
}

interface PatchMetadata {
  labels: Readonly<Record<string, string | null>>;
  annotations: Readonly<Record<string, string | null>>;
  ownerReferences: readonly { $patch?: string; uid: string }[];
}

function patchedMetadata(
  before: ObjectMeta,
  { labels, annotations, ownerReferences }: Partial<PatchMetadata>,
): ObjectMeta {
  return {
    ...before,
    ...(labels === undefined ? {} : { labels: patchedTexts(before.labels, labels) }),
    ...(annotations === undefined ? {} : { annotations: patchedTexts(before.annotations, annotations) }),
    ...(ownerReferences === undefined
      ? {}
      : { ownerReferences: withoutOwners(before.ownerReferences, ownerReferences) }),
  };
}

function patchedTexts(
  before: Readonly<Record<string, string>> = {},
  patch: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const result = { ...before };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = value;
  }
  return result;
}

function withoutOwners(
  before: readonly OwnerReference[] = [],
  patch: PatchMetadata['ownerReferences'],
): OwnerReference[] {
  const gone = new Set(patch.filter(({ $patch }) => $patch === 'delete').map(({ uid }) => uid));
  return before.filter(({ uid }) => !gone.has(uid));
}

function patchedSpec(before: Members['spec'], patch: Members['spec']): Members['spec'] {
  const containers = before?.containers?.map((container) => ({
    ...container,
    ...patch?.containers?.find(({ name }) => name === container.name),
  }));
  return containers === undefined ? before : { ...before, containers };
}

function patchedStatus(before: Members['status'], patch: Members['status']): Members['status'] {
  const conditions = [...(before?.conditions ?? [])];
  for (const condition of patch?.conditions ?? []) {
    const at = conditions.findIndex(({ type }) => type === condition.type);
    if (at === -1) conditions.push(condition);
    else conditions[at] = condition;
  }
  return { ...before, conditions };
}
