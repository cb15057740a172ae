import { checkCommonMetadata } from './commonMetadata.ts';
import { checkLabels, fieldsOf, items } from './fieldChecks.ts';
import { field, type FieldError } from './fieldErrors.ts';
import { isFields } from './fields.ts';
import { checkPodSpec } from './podValidation.ts';

/** The metadata of a pod template. */
export function checkTemplateMetadata(template: unknown, path: string): FieldError[] {
  const { labels, annotations } = fieldsOf(fieldsOf(template)['metadata']);
  return [
    ...checkLabels(`${path}.labels`, labels),
    ...(isFields(annotations)
      ? checkCommonMetadata({ annotations: annotations as Record<string, string> }, path)
      : []),
  ];
}

/**
 * All validation errors of a pod template.
 *
 * @param metadata the path of labels and annotations; the server leaves `metadata` out of it
 */
export function checkPodTemplate(template: unknown, path: string, metadata = path): FieldError[] {
  const { spec } = fieldsOf(template);
  const { ephemeralContainers } = fieldsOf(spec);
  return [
    ...checkTemplateMetadata(template, metadata),
    ...checkPodSpec(spec, `${path}.spec`),
    ...(items(ephemeralContainers).length > 0
      ? [
          field.forbidden(
            `${path}.spec.ephemeralContainers`,
            'ephemeral containers not allowed in pod template',
          ),
        ]
      : []),
  ];
}
