import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../api/errors.ts';
import type { KindRules } from '../api/registry.ts';
import { fieldAt, isFields, type Fields } from '../store/value.ts';

const byProcessor = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};
const scaleUp = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const scaleDown = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

function specOf(object: KubeObject): Fields {
  return isFields(object['spec']) ? object['spec'] : {};
}

function metricsOf(spec: Fields): Fields[] {
  return Array.isArray(spec['metrics']) ? (spec['metrics'] as unknown[]).filter(isFields) : [];
}

function withDefaults(object: KubeObject): KubeObject {
  const spec = specOf(object);
  const { behavior } = spec;
  const rules = (given: unknown, defaults: Fields) => ({ ...defaults, ...(isFields(given) ? given : {}) });
  return {
    ...object,
    spec: {
      ...spec,
      minReplicas: spec['minReplicas'] ?? 1,
      metrics: metricsOf(spec).length === 0 && spec['minReplicas'] !== 0 ? [byProcessor] : spec['metrics'],
      ...(isFields(behavior)
        ? {
            behavior: {
              scaleUp: rules(behavior['scaleUp'], scaleUp),
              scaleDown: rules(behavior['scaleDown'], scaleDown),
            },
          }
        : {}),
    },
  };
}

function checkTarget(target: unknown): FieldError[] {
  const path = 'spec.scaleTargetRef';
  const { kind = '', name = '', apiVersion = '' } = isFields(target) ? target : {};
  return [
    ...(kind === '' ? [field.required(`${path}.kind`)] : []),
    ...(name === '' ? [field.required(`${path}.name`)] : []),
    ...(String(apiVersion).includes('/') || kind === 'ReplicationController'
      ? []
      : [field.invalid(`${path}.apiVersion`, apiVersion, 'apiVersion must specify API group')]),
  ];
}

function checkAutoscaler(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const least = Number(spec['minReplicas']);
  const most = Number(spec['maxReplicas'] ?? 0);
  const metrics = metricsOf(spec);
  const errors: FieldError[] = [];
  if (least < 1) errors.push(field.invalid('spec.minReplicas', least, 'must be greater than or equal to 1'));
  if (most < 1) errors.push(field.invalid('spec.maxReplicas', most, 'must be greater than 0'));
  if (most < least)
    errors.push(field.invalid('spec.maxReplicas', most, 'must be greater than or equal to `minReplicas`'));
  errors.push(...checkTarget(spec['scaleTargetRef']));
  for (const [index, metric] of metrics.entries()) {
    const wanted = fieldAt(metric, ['resource', 'target', 'averageUtilization']);
    const path = `spec.metrics[${index}].resource.target.averageUtilization`;
    if (typeof wanted === 'number' && wanted < 1)
      errors.push(field.invalid(path, wanted, 'must be greater than 0'));
  }
  const reachesZero = metrics.some(({ type }) => type === 'Object' || type === 'External');
  if (least === 0 && !reachesZero)
    errors.push(
      field.forbidden(
        'spec.metrics',
        'must specify at least one Object or External metric to support scaling to zero replicas',
      ),
    );
  return errors;
}

/** HorizontalPodAutoscalers are kept and checked; nothing scales by them. */
export const autoscalerRules: KindRules = {
  prepareCreate: (object) => ({
    ...withDefaults(object),
    status: { desiredReplicas: 0, currentMetrics: null },
  }),
  prepareUpdate: withDefaults,
  check: checkAutoscaler,
};
