import type { KubeObject } from '../../schemas/wire/object.ts';

/** Whether more than the status of a target has changed. */
export function hasChanged({ metadata: one }: KubeObject, { metadata: other }: KubeObject): boolean {
  return (
    one.uid !== other.uid ||
    one.generation !== other.generation ||
    one.deletionTimestamp !== other.deletionTimestamp ||
    JSON.stringify([one.labels, one.annotations]) !== JSON.stringify([other.labels, other.annotations])
  );
}

/**
 * An object with the spec, labels and annotations of its earlier state, if only its status has changed: rules remember by them what
 * they have read. A server gives a new generation with each change of a spec.
 */
export function sharing(object: KubeObject, before: KubeObject): KubeObject {
  const isLike = object['spec'] !== undefined && before['spec'] !== undefined && !hasChanged(before, object);
  if (!isLike || object.metadata.generation === undefined) return object;
  const { labels, annotations } = before.metadata;
  const metadata = {
    ...object.metadata,
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
  };
  return { ...object, metadata, spec: before['spec'] };
}
