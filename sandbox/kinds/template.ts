import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../api/errors.ts';
import { fieldAt, isFields, sameValue, type Fields } from '../store/value.ts';
import type { PodSpec } from './pod.ts';
import { withTemplateDefaults } from './podDefaults.ts';

/** The spec of an object; an empty one where there is none. */
export function specOf(object: KubeObject): Fields {
  return isFields(object['spec']) ? object['spec'] : {};
}

/** A template with the defaults of its pods. */
export function completeTemplate(template: unknown): unknown {
  if (!isFields(template) || !isFields(template['spec'])) return template;
  return { ...template, spec: withTemplateDefaults(template['spec'] as PodSpec) };
}

/** An object without labels has those of its template. */
export function withTemplateLabels(object: KubeObject): KubeObject {
  const labels = fieldAt(object, ['spec', 'template', 'metadata', 'labels']);
  if (object.metadata.labels !== undefined || !isFields(labels) || Object.keys(labels).length === 0)
    return object;
  return { ...object, metadata: { ...object.metadata, labels: labels as Record<string, string> } };
}

/** An object whose spec has these fields where it has none, and a complete template. */
export function withSpecDefaults(object: KubeObject, defaults: Fields): KubeObject {
  const spec = specOf(object);
  const completed = spec['template'] === undefined ? {} : { template: completeTemplate(spec['template']) };
  const given = Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
  return { ...object, spec: { ...defaults, ...given, ...completed } };
}

/** A rolling strategy with what it leaves open. */
export function withRollingDefaults(strategy: unknown, defaults: Fields): Fields {
  const given = isFields(strategy) ? strategy : {};
  const type = given['type'] ?? 'RollingUpdate';
  if (type !== 'RollingUpdate') return { ...given, type };
  const parameters = isFields(given['rollingUpdate']) ? given['rollingUpdate'] : {};
  return { ...given, type, rollingUpdate: { ...defaults, ...parameters } };
}

/** What an object selects stays. */
export function selectorIsFixed(next: KubeObject, current: KubeObject): FieldError[] {
  const selector = fieldAt(next, ['spec', 'selector']);
  return sameValue(selector, fieldAt(current, ['spec', 'selector']))
    ? []
    : [field.invalid('spec.selector', selector, 'field is immutable')];
}

/** A new object says nothing of itself yet. */
export function withEmptyStatus(object: KubeObject, status: Fields): KubeObject {
  return { ...object, status };
}
