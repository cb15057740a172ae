import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { qualifiedNameFaults } from '../../schemas/pods/names.ts';
import type { KindRules } from '../api/registry.ts';
import type { SelectableFields } from '../api/selector.ts';
import { fieldAt, sameValue } from '../../schemas/pods/fields.ts';
import { textAt } from '../store/value.ts';

const about = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

/** Selectable fields of Events; their names differ between the groups, the stored fields do not. */
function selectable(object: string, controller: string): SelectableFields {
  return {
    ...Object.fromEntries(about.map((name) => [`${object}.${name}`, textAt(['involvedObject', name])])),
    reason: textAt(['reason']),
    [controller]: textAt(['reportingComponent']),
    type: textAt(['type']),
  };
}

function source(event: KubeObject): string {
  return textAt(['source', 'component'])(event) || textAt(['reportingComponent'])(event);
}

/** Errors of the namespace, and missing fields of Events with eventTime. */
function checkEvent(object: KubeObject, controllerField: string): FieldError[] {
  const { reportingComponent, reportingInstance, action, reason, message, eventTime } = object;
  const { namespace } = object.metadata;
  const aboutNamespace = fieldAt(object, ['involvedObject', 'namespace']) ?? '';
  const isNew = typeof eventTime === 'string';
  // Events about cluster-scoped objects are in the namespace default.
  const free = ['default', ...(isNew ? ['kube-system'] : [])];
  const belongs =
    aboutNamespace === '' ? free.includes(namespace ?? '') : isNew || aboutNamespace === namespace;
  const errors = belongs
    ? []
    : [field.invalid('involvedObject.namespace', aboutNamespace, 'does not match event.namespace')];
  if (!isNew) return errors;
  const controller = typeof reportingComponent === 'string' ? reportingComponent : '';
  if (controller === '') errors.push(field.required(controllerField));
  errors.push(
    ...qualifiedNameFaults(controller).map((fault) => field.invalid(controllerField, controller, fault)),
  );
  for (const [name, value] of Object.entries({ reportingInstance, action, reason })) {
    if (typeof value !== 'string' || value === '') errors.push(field.required(name));
    else if (value.length > 128) errors.push(field.invalid(name, '', 'can have at most 128 characters'));
  }
  if (typeof message === 'string' && message.length > 1024)
    errors.push(field.invalid('message', '', 'can have at most 1024 characters'));
  return errors;
}

function checkSeries({ series }: KubeObject): FieldError[] {
  if (series === undefined || series === null) return [];
  const errors: FieldError[] = [];
  if (Number(fieldAt(series, ['count']) ?? 0) < 2)
    errors.push(field.invalid('series.count', '', 'should be at least 2'));
  if (typeof fieldAt(series, ['lastObservedTime']) !== 'string')
    errors.push(field.required('series.lastObservedTime'));
  return errors;
}

/** Events of the core group. */
export const eventRules: KindRules = {
  createsOnUpdate: true,
  check: (object) => checkEvent(object, 'reportingComponent'),
  fields: { ...selectable('involvedObject', 'reportingComponent'), source },
};

const fixed = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
];

/** Events of events.k8s.io in stored form: new ones need the new fields, and only the series is mutable. */
export const newEventRules: KindRules = {
  createsOnUpdate: true,
  checkCreate(object) {
    const { type, eventTime } = object;
    return [
      ...checkEvent(object, 'reportingController'),
      ...checkSeries(object),
      ...(typeof eventTime === 'string' ? [] : [field.required('eventTime')]),
      ...(type === 'Normal' || type === 'Warning'
        ? []
        : [field.invalid('type', '', `has invalid value: ${typeof type === 'string' ? type : ''}`)]),
      ...['firstTimestamp', 'lastTimestamp', 'count']
        .filter((name) => Boolean(object[name]))
        .map((name) => field.invalid(name, '', 'needs to be unset')),
      ...(textAt(['source', 'component'])(object) + textAt(['source', 'host'])(object) === ''
        ? []
        : [field.invalid('source', '', 'needs to be unset')]),
    ];
  },
  checkUpdate: (next, current) => [
    ...(sameValue(next['series'], current['series']) ? [] : checkSeries(next)),
    ...fixed
      .filter((name) => !sameValue(next[name], current[name]))
      .map((name) => field.invalid(name, next[name], 'field is immutable')),
  ],
  fields: selectable('regarding', 'reportingController'),
};
