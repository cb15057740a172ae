import type { KubeObject } from '../../schemas/wire/object.ts';
import { fieldAt } from '../../schemas/pods/fields.ts';
import { ageColumn, column, count, listAt, nameColumn, numberAt, textAt, type Column } from './column.ts';

const shown = 2;

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '<unknown>';
}

const sources: Readonly<Record<string, string>> = {
  Resource: 'resource',
  ContainerResource: 'containerResource',
  Pods: 'pods',
  Object: 'object',
  External: 'external',
};

function metricName(source: unknown, type: string): string {
  if (type === 'Resource') return `${textAt(source, ['name'])}: `;
  if (type === 'ContainerResource') return `${textAt(source, ['name'])}: `;
  return '';
}

/** `cpu: 20%/80%`: current and target value of a metric. */
function target(spec: unknown, status: unknown): string {
  const type = textAt(spec, ['type']);
  const source = fieldAt(spec, [sources[type] ?? '']);
  const current = fieldAt(status, [sources[type] ?? '', 'current']);
  const wanted = fieldAt(source, ['target']);
  const name = metricName(source, type);
  const average = fieldAt(wanted, ['averageValue']);
  if (average !== undefined) {
    const suffix = type === 'Object' || type === 'External' ? ' (avg)' : '';
    return `${name}${text(fieldAt(current, ['averageValue']))}/${text(average)}${suffix}`;
  }
  const utilization = fieldAt(wanted, ['averageUtilization']);
  if (utilization !== undefined) {
    const is = fieldAt(current, ['averageUtilization']);
    return `${name}${is === undefined ? '<unknown>' : `${text(is)}%`}/${text(utilization)}%`;
  }
  return `${name}${text(fieldAt(current, ['value']))}/${text(fieldAt(wanted, ['value']))}`;
}

function targets(object: KubeObject): string {
  const metrics = listAt(object, ['spec', 'metrics']);
  if (metrics.length === 0) return '<none>';
  const statuses = listAt(object, ['status', 'currentMetrics']);
  const texts = metrics.slice(0, shown).map((each, index) => target(each, statuses[index]));
  const more = metrics.length - shown;
  return more > 0 ? `${texts.join(', ')} + ${more} more...` : texts.join(', ');
}

export const scalingColumns: Readonly<Record<string, readonly Column[]>> = {
  'horizontalpodautoscalers.autoscaling': [
    nameColumn,
    column(
      'Reference',
      (object) =>
        `${textAt(object, ['spec', 'scaleTargetRef', 'kind'])}/${textAt(object, ['spec', 'scaleTargetRef', 'name'])}`,
    ),
    column('Targets', targets),
    column('MinPods', (object) => {
      const minimum = fieldAt(object, ['spec', 'minReplicas']);
      return typeof minimum === 'number' ? String(minimum) : '<unset>';
    }),
    column('MaxPods', (object) => numberAt(object, ['spec', 'maxReplicas'])),
    column('Replicas', (object) => numberAt(object, ['status', 'currentReplicas'])),
    ageColumn,
  ],
};

/** For the scale subresource of any kind. */
export const scaleColumns: readonly Column[] = [
  { ...nameColumn, format: '' },
  count('Desired', 'spec', 'replicas'),
  count('Available', 'status', 'replicas'),
  ageColumn,
];

/** For custom resources, where absent replicas are not 0. */
export const customScaleColumns: readonly Column[] = scaleColumns.map((each) =>
  each.name === 'Desired'
    ? {
        ...each,
        cell: (object) => (fieldAt(object, ['spec', 'replicas']) === undefined ? null : each.cell(object, 0)),
      }
    : each,
);
