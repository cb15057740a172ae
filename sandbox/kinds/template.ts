import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../api/errors.ts';
import { fieldAt, isFields, sameValue, type Fields } from '../store/value.ts';
import type { LabelSelector, PodSpec } from './pod.ts';
import { withTemplateDefaults } from './podDefaults.ts';
import { checkPodSpec } from './podValidation.ts';
import { selects } from './selectors.ts';

const selectorRule = '`selector` does not match template `labels`';

/** The spec of an object; an empty one where there is none. */
export function specOf(object: KubeObject): Fields {
  return isFields(object['spec']) ? object['spec'] : {};
}

/** A template with the defaults of its pods. */
export function completeTemplate(template: unknown): unknown {
  if (!isFields(template) || !isFields(template['spec'])) return template;
  return { ...template, spec: withTemplateDefaults(template['spec'] as PodSpec) };
}

/** An object whose spec has these fields where it has none, and a complete template. */
export function filled(object: KubeObject, defaults: Fields): KubeObject {
  const spec = specOf(object);
  const completed = spec['template'] === undefined ? {} : { template: completeTemplate(spec['template']) };
  const given = Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
  return { ...object, spec: { ...defaults, ...given, ...completed } };
}

/** A rolling strategy with what it leaves open. */
export function rolling(strategy: unknown, defaults: Fields): Fields {
  const given = isFields(strategy) ? strategy : {};
  const type = given['type'] ?? 'RollingUpdate';
  if (type !== 'RollingUpdate') return { ...given, type };
  const parameters = isFields(given['rollingUpdate']) ? given['rollingUpdate'] : {};
  return { ...given, type, rollingUpdate: { ...defaults, ...parameters } };
}

/** A number is not less than nothing. */
export function checkCount(path: string, value: unknown): FieldError[] {
  if (typeof value !== 'number' || value >= 0) return [];
  return [field.invalid(path, value, 'must be greater than or equal to 0')];
}

/** There is a selector, and it selects something. */
export function checkSelector(object: KubeObject, kind: string): FieldError[] {
  const selector = fieldAt(object, ['spec', 'selector']);
  if (!isFields(selector)) return [field.required('spec.selector')];
  return sameValue(selector, {})
    ? [field.invalid('spec.selector', selector, `empty selector is invalid for ${kind}`)]
    : [];
}

/** The template: selected by the selector, a pod that may be, restarted as the kind wants it. */
export function checkTemplate(object: KubeObject): FieldError[] {
  const { selector, template } = specOf(object);
  const labels = fieldAt(template, ['metadata', 'labels']);
  const isEmpty = isFields(selector) && sameValue(selector, {});
  const mismatch =
    isEmpty || selects(selector as LabelSelector | undefined, labels as Record<string, string> | undefined)
      ? []
      : [field.invalid('spec.template.metadata.labels', labels ?? null, selectorRule)];
  return [...mismatch, ...checkPodSpec(fieldAt(template, ['spec']), 'spec.template.spec')];
}

/** Pods that run for good start again. */
export function checkAlways(object: KubeObject): FieldError[] {
  const policy = fieldAt(object, ['spec', 'template', 'spec', 'restartPolicy']);
  const known =
    policy === undefined ||
    policy === 'Always' ||
    !(['Never', 'OnFailure'] as readonly unknown[]).includes(policy);
  return known ? [] : [field.notSupported('spec.template.spec.restartPolicy', policy, ['Always'])];
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
