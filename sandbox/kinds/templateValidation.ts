import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { isFields, sameValue, type Fields } from '../../schemas/pods/fields.ts';
import {
  checkLabelSelector,
  entriesOf,
  fieldsOf,
  isSet,
  isUsable,
  items,
} from '../../schemas/pods/fieldChecks.ts';
import type { LabelSelector } from '../../schemas/pods/pod.ts';
import { checkPodTemplate } from '../../schemas/pods/podTemplate.ts';
import { selects } from './selectors.ts';

/** A selector in the format of messages. */
export function selectorText(selector: Fields): Fields {
  const { matchLabels, matchExpressions } = selector;
  const expressions = items(matchExpressions).map(({ key = '', operator = '', values }) => ({
    key,
    operator,
    ...(Array.isArray(values) && values.length > 0 ? { values: values as unknown[] } : {}),
  }));
  return {
    ...(entriesOf(matchLabels).length === 0
      ? {}
      : { matchLabels: Object.fromEntries(entriesOf(matchLabels)) }),
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions }),
  };
}

function isEmpty(selector: Fields): boolean {
  return sameValue(selectorText(selector), {});
}

/** Whether the selector matches the template's labels. */
export function checkMatch(selector: unknown, template: unknown, path = 'spec.template'): FieldError[] {
  const labels = fieldsOf(fieldsOf(template)['metadata'])['labels'];
  return selects(selector as LabelSelector | undefined, labels as Record<string, string> | undefined)
    ? []
    : [
        field.invalid(
          `${path}.metadata.labels`,
          labels ?? null,
          '`selector` does not match template `labels`',
        ),
      ];
}

/** The selector is required and must not be empty; `kind` is the name used in messages. */
export function checkSelector(selector: unknown, kind: string): FieldError[] {
  if (!isFields(selector)) return [field.required('spec.selector')];
  const errors = checkLabelSelector('spec.selector', selector);
  if (isEmpty(selector))
    errors.push(field.invalid('spec.selector', {}, `empty selector is invalid for ${kind}`));
  return errors;
}

/** An invalid selector is reported again with the message of the kind. */
export function checkSelectorRequired(selector: unknown, detail: string): FieldError[] | undefined {
  if (!isFields(selector) || isUsable(selector)) return undefined;
  const error = field.invalid('spec.selector', selectorText(selector), detail);
  return [{ ...error, message: error.message.replace(/: $/, '') }];
}

/** restartPolicy must be Always, without activeDeadlineSeconds. */
export function checkRestartsAlways(template: unknown, kind: string): FieldError[] {
  const spec = fieldsOf(fieldsOf(template)['spec']);
  const { restartPolicy: policy, activeDeadlineSeconds } = spec;
  const path = 'spec.template.spec';
  return [
    ...(policy === 'Always' || !isFields(fieldsOf(template)['spec'])
      ? []
      : [field.notSupported(`${path}.restartPolicy`, policy, ['Always'])]),
    ...(isSet(activeDeadlineSeconds)
      ? [
          field.forbidden(
            `${path}.activeDeadlineSeconds`,
            `activeDeadlineSeconds in ${kind} is not Supported`,
          ),
        ]
      : []),
  ];
}

/** The template of a workload: selected by its selector, a valid pod spec, restartPolicy Always. */
export function checkSelectedTemplate(object: KubeObject, kind: string): FieldError[] {
  const { selector, template } = fieldsOf(object['spec']);
  return (
    checkSelectorRequired(selector, 'invalid label selector') ?? [
      ...(isFields(selector) && isEmpty(selector) ? [] : checkMatch(selector, template)),
      ...checkPodTemplate(template, 'spec.template'),
      ...checkRestartsAlways(template, kind),
    ]
  );
}
