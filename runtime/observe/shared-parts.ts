import type { KubeObject } from '../../schemas/wire/object.ts';

/**
 * An object with those of spec, labels and annotations that its state before has, too: rules remember by them what they have read. They
 * are compared, as with another definition of its kind an object is served with other defaults in the same generation.
 */
export function sharing(object: KubeObject, before: KubeObject | undefined): KubeObject {
  if (before === undefined) return object;
  const { labels, annotations } = object.metadata;
  const spec = object['spec'];
  const metadata = {
    ...object.metadata,
    ...(labels !== undefined && { labels: shared(labels, before.metadata.labels) }),
    ...(annotations !== undefined && { annotations: shared(annotations, before.metadata.annotations) }),
  };
  return { ...object, metadata, ...(spec !== undefined && { spec: shared(spec, before['spec']) }) };
}

function shared<Value>(value: Value, before: Value | undefined): Value {
  return before !== undefined && JSON.stringify(value) === JSON.stringify(before) ? before : value;
}
