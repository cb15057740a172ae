import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { fieldAt, isFields, sameValue, type Fields } from '../../schemas/pods/fields.ts';
import type { PodSpec } from '../../schemas/pods/pod.ts';
import { withTemplateDefaults } from '../../schemas/pods/podDefaults.ts';

/** The spec of an object; empty if absent. */
export function specOf(object: KubeObject): Fields {
  return isFields(object['spec']) ? object['spec'] : {};
}

/** Applies pod defaults to a template. */
export function completeTemplate(template: unknown): unknown {
  if (!isFields(template) || !isFields(template['spec'])) return template;
  return { ...template, spec: withTemplateDefaults(template['spec'] as PodSpec) };
}

/** Labels default to those of the template. */
export function withTemplateLabels(object: KubeObject): KubeObject {
  const labels = fieldAt(object, ['spec', 'template', 'metadata', 'labels']);
  if (object.metadata.labels !== undefined || !isFields(labels) || Object.keys(labels).length === 0)
    return object;
  return { ...object, metadata: { ...object.metadata, labels: labels as Record<string, string> } };
}

/** Applies defaults to the spec and its template. */
export function withSpecDefaults(object: KubeObject, defaults: Fields): KubeObject {
  const spec = specOf(object);
  const completed = spec['template'] === undefined ? {} : { template: completeTemplate(spec['template']) };
  const given = Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
  return { ...object, spec: { ...defaults, ...given, ...completed } };
}

/** Defaults of a rolling update strategy. */
export function withRollingDefaults(strategy: unknown, defaults: Fields): Fields {
  const given = isFields(strategy) ? strategy : {};
  const type = given['type'] ?? 'RollingUpdate';
  if (type !== 'RollingUpdate') return { ...given, type };
  const parameters = isFields(given['rollingUpdate']) ? given['rollingUpdate'] : {};
  return { ...given, type, rollingUpdate: { ...defaults, ...parameters } };
}

/** The selector is immutable. */
export function selectorIsFixed(next: KubeObject, current: KubeObject): FieldError[] {
  const selector = fieldAt(next, ['spec', 'selector']);
  return sameValue(selector, fieldAt(current, ['spec', 'selector']))
    ? []
    : [field.invalid('spec.selector', selector, 'field is immutable')];
}

/** A new object starts with an empty status. */
export function withEmptyStatus(object: KubeObject, status: Fields): KubeObject {
  return { ...object, status };
}
