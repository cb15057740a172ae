import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Condition, KubeObject, ObjectMeta, OwnerReference } from '../../schemas/wire/object.ts';

/** The fields that patches of the rules write, other than metadata. */
interface Members {
  spec?: { containers?: readonly ContainerMembers[]; resources?: { requests?: JsonObject } };
  status?: { conditions?: readonly Condition[] };
}

interface ContainerMembers {
  name: string;
  resources?: { limits?: JsonObject; requests?: JsonObject };
}

/**
 * Applies a patch of the rules to an object as the API server would: labels and annotations by key, containers by name, finalizers by value,
 * their limits and requests and those of claims, conditions by type, owners by uid, and values at the root. The rules use no other feature of a strategic merge patch. The
 * forecast and shadow mode apply actions in this way.
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

/** The key of a strategic merge patch under which it names the finalizers to remove. */
const REMOVED_FINALIZERS = '$deleteFromPrimitiveList/finalizers';

interface PatchMetadata {
  finalizers: readonly string[];
  [REMOVED_FINALIZERS]: readonly string[];
  labels: Readonly<Record<string, string | null>>;
  annotations: Readonly<Record<string, string | null>>;
  ownerReferences: readonly ({ $patch: 'delete'; uid: string } | OwnerReference)[];
}

function patchedMetadata(
  before: ObjectMeta,
  { labels, annotations, ownerReferences, finalizers, [REMOVED_FINALIZERS]: removed }: Partial<PatchMetadata>,
): ObjectMeta {
  const changesFinalizers = finalizers !== undefined || removed !== undefined;
  return {
    ...before,
    ...(changesFinalizers ? { finalizers: patchedFinalizers(before.finalizers, finalizers, removed) } : {}),
    ...(labels === undefined ? {} : { labels: patchedTexts(before.labels, labels) }),
    ...(annotations === undefined ? {} : { annotations: patchedTexts(before.annotations, annotations) }),
    ...(ownerReferences === undefined
      ? {}
      : { ownerReferences: patchedOwners(before.ownerReferences, ownerReferences) }),
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

function patchedFinalizers(
  before: readonly string[] = [],
  added: readonly string[] = [],
  removed: readonly string[] = [],
): string[] {
  return [...new Set([...before, ...added])].filter((each) => !removed.includes(each));
}

function patchedOwners(
  before: readonly OwnerReference[] = [],
  patch: PatchMetadata['ownerReferences'],
): OwnerReference[] {
  const replaced = new Set(patch.map(({ uid }) => uid));
  const added = patch.flatMap((entry) => ('$patch' in entry ? [] : [entry]));
  return [...before.filter(({ uid }) => !replaced.has(uid)), ...added];
}

function patchedSpec(before: Members['spec'], patch: Members['spec']): Members['spec'] {
  const containers = before?.containers?.map((container) =>
    patchedContainer(
      container,
      patch?.containers?.find(({ name }) => name === container.name),
    ),
  );
  const { requests } = patch?.resources ?? {};
  return {
    ...before,
    ...(containers === undefined ? {} : { containers }),
    ...(requests === undefined
      ? {}
      : { resources: { ...before?.resources, requests: { ...before?.resources?.requests, ...requests } } }),
  };
}

function patchedContainer(before: ContainerMembers, patch: ContainerMembers | undefined): ContainerMembers {
  if (patch?.resources === undefined) return { ...before, ...patch };
  const { limits, requests } = patch.resources;
  const resources = {
    ...before.resources,
    ...(limits && { limits: { ...before.resources?.limits, ...limits } }),
    ...(requests && { requests: { ...before.resources?.requests, ...requests } }),
  };
  return { ...before, ...patch, resources };
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
