import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Conversion } from '../api/registry.ts';
import { fieldAt, isFields, type Fields } from '../../schemas/pods/fields.ts';

const prefix = 'autoscaling.alpha.kubernetes.io/';
/** Fields that v1 does not have are stored in annotations. */
const annotated = ['metrics', 'current-metrics', 'conditions', 'behavior'] as const;

function defined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isFields) : [];
}

/** `Pods` has its parameters in the field `pods`, `ContainerResource` in `containerResource`. */
function partOf(metric: Fields): [string, Fields] {
  const type = typeof metric['type'] === 'string' ? metric['type'] : '';
  const name = type.charAt(0).toLowerCase() + type.slice(1);
  const part = metric[name];
  return [name, isFields(part) ? part : {}];
}

type Wanted = 'target' | 'current';

/** The given fields of an object in a fixed order, because annotations are compared as text. */
function inOrder(object: unknown, names: readonly string[]): Fields {
  return defined(Object.fromEntries(names.map((name) => [name, fieldAt(object, [name])])));
}

const conditionFields = ['type', 'status', 'lastTransitionTime', 'reason', 'message'];

/** A metric in v1 format, in which the parts of target and current values are inlined. */
function oldMetric(metric: Fields, which: Wanted): Fields {
  const [name, { metric: id, describedObject, [which]: target, ...rest }] = partOf(metric);
  const { averageUtilization, averageValue, value } = isFields(target) ? target : {};
  const ofResource = name === 'resource' || name === 'containerResource';
  const { name: metricName, selector } = isFields(id) ? id : {};
  const { name: resource, ...others } = rest;
  const part = ofResource
    ? {
        name: resource,
        [`${which}AverageUtilization`]: averageUtilization,
        [`${which}AverageValue`]: averageValue,
        ...others,
      }
    : name === 'object'
      ? {
          target: inOrder(describedObject, ['kind', 'name', 'apiVersion']),
          metricName,
          [`${which}Value`]: value,
          selector,
          averageValue,
        }
      : name === 'external'
        ? {
            metricName,
            metricSelector: selector,
            [`${which}Value`]: value,
            [`${which}AverageValue`]: averageValue,
          }
        : { metricName, [`${which}AverageValue`]: averageValue, selector };
  return { type: metric['type'], [name]: defined(part) };
}

/** The reverse conversion. */
function newMetric(metric: Fields, which: Wanted): Fields {
  const [name, part] = partOf(metric);
  const utilization = part[`${which}AverageUtilization`];
  const average = part[`${which}AverageValue`] ?? part['averageValue'];
  const value = part[`${which}Value`];
  const amount = defined({ value, averageValue: average, averageUtilization: utilization });
  const type = utilization !== undefined ? 'Utilization' : average !== undefined ? 'AverageValue' : 'Value';
  const target = which === 'target' ? { type, ...amount } : amount;
  const id = defined({ name: part['metricName'], selector: part['selector'] ?? part['metricSelector'] });
  const body =
    name === 'resource' || name === 'containerResource'
      ? { name: part['name'], [which]: target, container: part['container'] }
      : { describedObject: name === 'object' ? part['target'] : undefined, [which]: target, metric: id };
  return { type: metric['type'], [name]: defined(body) };
}

function isProcessor(metric: Fields): boolean {
  return fieldAt(metric, ['resource', 'name']) === 'cpu' && metric['type'] === 'Resource';
}

function percentage(metric: Fields | undefined, which: Wanted): unknown {
  return fieldAt(metric, ['resource', which, 'averageUtilization']);
}

/** Go field names: the annotation serializes the server's internal type. */
function inGo(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inGo);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name.charAt(0).toUpperCase() + name.slice(1), inGo(each)]),
  );
}

function fromGo(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromGo);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== null)
      .map(([name, each]) => [name.charAt(0).toLowerCase() + name.slice(1), fromGo(each)]),
  );
}

function behaviorText({ scaleUp, scaleDown }: Fields): string {
  const rules = (given: unknown) => {
    if (!isFields(given)) return null;
    const {
      stabilizationWindowSeconds = null,
      selectPolicy = null,
      policies = null,
      tolerance = null,
    } = given;
    const parameters = listOf(policies).map(({ type, value, periodSeconds }) => ({
      type,
      value,
      periodSeconds,
    }));
    return {
      stabilizationWindowSeconds,
      selectPolicy,
      policies: policies === null ? null : parameters,
      tolerance,
    };
  };
  return JSON.stringify(inGo({ scaleUp: rules(scaleUp), scaleDown: rules(scaleDown) }));
}

function parsed(annotations: Fields, name: (typeof annotated)[number]): unknown {
  const text = annotations[prefix + name];
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function withAnnotations(object: KubeObject, more: Fields): KubeObject['metadata'] {
  const { annotations = {}, ...metadata } = object.metadata;
  const mine = new Set(annotated.map((name) => prefix + name));
  const others = Object.entries(annotations).filter(([name]) => !mine.has(name));
  const all = Object.fromEntries([...others, ...Object.entries(defined(more))]) as Record<string, string>;
  return Object.keys(all).length === 0 ? metadata : { ...metadata, annotations: all };
}

/** Autoscalers of v1, which has a separate field for the CPU metric. Stored as v2. */
export const autoscalerConversion: Conversion = {
  fromStored(stored) {
    const { metrics, behavior, ...spec } = isFields(stored['spec']) ? stored['spec'] : {};
    const { currentMetrics, conditions, ...status } = isFields(stored['status']) ? stored['status'] : {};
    const processor = listOf(metrics).find(
      (each) => isProcessor(each) && percentage(each, 'target') !== undefined,
    );
    const others = listOf(metrics).filter((each) => each !== processor);
    const current = listOf(currentMetrics);
    const annotation = (list: unknown[]) => (list.length === 0 ? undefined : JSON.stringify(list));
    return {
      ...stored,
      apiVersion: 'autoscaling/v1',
      metadata: withAnnotations(stored, {
        [`${prefix}behavior`]: isFields(behavior) ? behaviorText(behavior) : undefined,
        [`${prefix}conditions`]: annotation(listOf(conditions).map((each) => inOrder(each, conditionFields))),
        [`${prefix}current-metrics`]: annotation(current.map((each) => oldMetric(each, 'current'))),
        [`${prefix}metrics`]: annotation(others.map((each) => oldMetric(each, 'target'))),
      }),
      spec: defined({ ...spec, targetCPUUtilizationPercentage: percentage(processor, 'target') }),
      status: defined({
        currentReplicas: 0,
        desiredReplicas: 0,
        ...status,
        currentCPUUtilizationPercentage: percentage(current.find(isProcessor), 'current'),
      }),
    };
  },
  toStored(object) {
    const { targetCPUUtilizationPercentage, ...spec } = isFields(object['spec']) ? object['spec'] : {};
    const { currentCPUUtilizationPercentage: _current, ...status } = isFields(object['status'])
      ? object['status']
      : {};
    const annotations: Fields = object.metadata.annotations ?? {};
    const target = { type: 'Utilization', averageUtilization: targetCPUUtilizationPercentage };
    const metrics = [
      ...listOf(parsed(annotations, 'metrics')).map((each) => newMetric(each, 'target')),
      ...(targetCPUUtilizationPercentage === undefined
        ? []
        : [{ type: 'Resource', resource: { name: 'cpu', target } }]),
    ];
    const current = listOf(parsed(annotations, 'current-metrics')).map((each) => newMetric(each, 'current'));
    return {
      ...object,
      apiVersion: 'autoscaling/v2',
      metadata: withAnnotations(object, {}),
      spec: defined({
        ...spec,
        metrics: metrics.length === 0 ? undefined : metrics,
        behavior: fromGo(parsed(annotations, 'behavior')),
      }),
      status: defined({
        ...status,
        currentReplicas: status['currentReplicas'] === 0 ? undefined : status['currentReplicas'],
        currentMetrics: current.length === 0 ? null : current,
        conditions: parsed(annotations, 'conditions'),
      }),
    };
  },
};
