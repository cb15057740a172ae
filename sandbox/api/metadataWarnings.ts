import type { KubeObject, ObjectMeta } from '../../schemas/wire/object.ts';
import { sameValue } from '../../schemas/pods/fields.ts';
import { standardFinalizers } from '../../schemas/pods/commonMetadata.ts';

const dedupedOwners = (when: string, uids: readonly string[]) =>
  `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, ` +
  `and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids.join(', ')}`;

/** Removes duplicate owner references, with a warning; `patched`: the metadata is a patch result. */
export function withSingleOwners(
  metadata: ObjectMeta,
  patched: boolean,
  warn: ((text: string) => void) | undefined,
): ObjectMeta {
  const { ownerReferences } = metadata;
  if (ownerReferences === undefined || ownerReferences.length < 2) return metadata;
  const unique: typeof ownerReferences = [];
  const repeated: string[] = [];
  for (const owner of ownerReferences)
    if (unique.some((each) => sameValue(each, owner))) repeated.push(owner.uid);
    else unique.push(owner);
  if (repeated.length === 0) return metadata;
  warn?.(dedupedOwners(patched ? ' after mutating admission happens' : '', repeated));
  return { ...metadata, ownerReferences: unique };
}

/** Warnings about new finalizers of a custom resource. */
export function finalizerWarnings(next: KubeObject, current?: KubeObject): string[] {
  const known = new Set(current?.metadata.finalizers);
  return (next.metadata.finalizers ?? [])
    .filter((name) => !known.has(name) && !name.includes('/') && !standardFinalizers.has(name))
    .sort()
    .map((name) => {
      const path = name.includes('.') ? ' including a path (/)' : '';
      return `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    });
}
