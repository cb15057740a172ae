import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { checkCommonMetadata } from '../../schemas/pods/commonMetadata.ts';
import { label1035Faults } from '../../schemas/pods/names.ts';
import { isFields, ownField, type Fields } from '../../schemas/pods/fields.ts';
import { fieldSchema, type StructuralSchema } from './structural.ts';

function checkResource(object: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const apiVersion = ownField(object, 'apiVersion');
  const kind = ownField(object, 'kind');
  if (typeof apiVersion !== 'string' || apiVersion === '') errors.push(field.required(`${path}.apiVersion`));
  else if (apiVersion.split('/').length > 2)
    errors.push(
      field.invalid(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`),
    );
  if (typeof kind !== 'string' || kind === '') errors.push(field.required(`${path}.kind`));
  else
    for (const fault of label1035Faults(kind.toLowerCase()))
      errors.push(
        field.invalid(`${path}.kind`, kind, `may have mixed case, but should otherwise match: ${fault}`),
      );
  const metadata = ownField(object, 'metadata');
  if (isFields(metadata)) errors.push(...checkCommonMetadata(metadata, `${path}.metadata`));
  return errors;
}

/** Validates embedded resources (`x-kubernetes-embedded-resource`): apiVersion, kind and metadata. */
export function checkEmbedded(schema: StructuralSchema, value: unknown, path = ''): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, index) => checkEmbedded(items, item, `${path}[${index}]`));
  }
  if (!isFields(value)) return [];
  const errors = schema['x-kubernetes-embedded-resource'] === true ? checkResource(value, path) : [];
  for (const key of Object.keys(value)) {
    const property = fieldSchema(schema, key);
    if (property !== undefined)
      errors.push(...checkEmbedded(property, value[key], path === '' ? key : `${path}.${key}`));
  }
  return errors;
}
