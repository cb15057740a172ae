import type { KubeObject } from '../../schemas/wire/object.ts';
import type { KindRules } from '../api/registry.ts';
import { specDefaulter } from './defaulting.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { checkAutoscaler } from './autoscalerValidation.ts';

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

/** HorizontalPodAutoscalers are stored and validated; nothing scales by them. */
export const autoscalerRules: KindRules = {
  defaults: specDefaulter(withDefaults),
  prepareCreate: (object) => ({ ...object, status: { desiredReplicas: 0, currentMetrics: null } }),
  check: checkAutoscaler,
};
