import type { KubeObject } from '../../schemas/wire/object.ts';
import type { KindRules } from '../api/registry.ts';
import { specDefaulter } from './defaulting.ts';
import { fieldAt, isFields, type Fields } from '../../schemas/pods/fields.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';

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

const share = ['resource', 'target', 'averageUtilization'];

/** The bounds, the target and the wanted use of resources; of metrics and behavior the rest is only a shape. */
function checkAutoscaler(object: KubeObject): FieldError[] {
  const { minReplicas, maxReplicas, scaleTargetRef } = specOf(object);
  const [least, most] = [Number(minReplicas ?? 1), Number(maxReplicas ?? 0)];
  const target: Fields = isFields(scaleTargetRef) ? scaleTargetRef : {};
  const invalid = (name: string, value: number, why: string) => field.invalid(`spec.${name}`, value, why);
  const shares = metricsOf(specOf(object)).flatMap((metric, index) => {
    const wanted = fieldAt(metric, share);
    const path = `metrics[${index}].${share.join('.')}`;
    return typeof wanted === 'number' && wanted < 1 ? [invalid(path, wanted, 'must be greater than 0')] : [];
  });
  return [
    ...shares,
    ...(least < 1 ? [invalid('minReplicas', least, 'must be greater than or equal to 1')] : []),
    ...(most < 1 ? [invalid('maxReplicas', most, 'must be greater than 0')] : []),
    ...(most < least ? [invalid('maxReplicas', most, 'must be greater than or equal to `minReplicas`')] : []),
    ...['kind', 'name'].flatMap((name) =>
      target[name] ? [] : [field.required(`spec.scaleTargetRef.${name}`)],
    ),
  ];
}

/** HorizontalPodAutoscalers are stored and validated; nothing scales by them. */
export const autoscalerRules: KindRules = {
  defaults: specDefaulter(withDefaults),
  prepareCreate: (object) => ({ ...object, status: { desiredReplicas: 0, currentMetrics: null } }),
  check: checkAutoscaler,
};
