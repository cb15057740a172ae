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
 * An object with the spec, labels and annotations of its earlier state, where only its status has changed: rules remember by them what
 * they have read. The generation does not tell: with another definition of its kind, an object is served with other defaults.
 */
export function sharing(object: KubeObject, before: KubeObject): KubeObject {
  const { labels, annotations } = before.metadata;
  if (hasChanged(before, object) || JSON.stringify(before['spec']) !== JSON.stringify(object['spec']))
    return object;
  const metadata = {
    ...object.metadata,
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
  };
  return { ...object, metadata, ...(before['spec'] !== undefined && { spec: before['spec'] }) };
}
