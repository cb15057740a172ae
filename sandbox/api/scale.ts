import type { KubeObject } from '../../schemas/wire/object.ts';
import { fieldAt, isFields } from '../../schemas/pods/fields.ts';
import { withField } from '../store/value.ts';
import { field } from '../../schemas/pods/fieldErrors.ts';
import { refuse } from './errors.ts';
import type { Served } from './registry.ts';

function selectorText(selector: unknown): string {
  if (typeof selector === 'string') return selector;
  const labels = fieldAt(selector, ['matchLabels']);
  if (!isFields(labels)) return '';
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${String(labels[key])}`)
    .join(',');
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** The `autoscaling/v1` Scale of an object. 404 when its version has no scale subresource. */
export function scaleOf({ version }: Served, object: KubeObject): KubeObject {
  const paths = version.scale;
  if (paths === undefined) throw refuse.noResource();
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = count(fieldAt(object, paths.specReplicas));
  const selector = selectorText(fieldAt(object, paths.labelSelector ?? ['spec', 'selector']));
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: count(fieldAt(object, paths.statusReplicas)),
      ...(selector === '' ? {} : { selector }),
    },
  };
}

/** The object with the replicas of a Scale. 422 if they are not a valid count. */
export function withScale({ type, version }: Served, object: KubeObject, scale: KubeObject): KubeObject {
  const paths = version.scale;
  if (paths === undefined) throw refuse.noResource();
  const replicas = fieldAt(scale, ['spec', 'replicas']) ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas) || replicas < 0)
    throw refuse.invalid({ group: 'autoscaling', plural: type.plural, kind: 'Scale' }, object.metadata.name, [
      field.invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ]);
  return withField(object, paths.specReplicas, replicas) as KubeObject;
}
