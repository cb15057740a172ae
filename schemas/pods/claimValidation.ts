import { field, type FieldError } from './fieldErrors.ts';
import { isFields, sameValue, type Fields } from './fields.ts';
import { amountOf, amountText } from './amount.ts';
import {
  checkLabelSelector,
  fieldsOf,
  isSet,
  isMissing,
  listOf,
  named,
  oneOf,
  required,
  textOf,
} from './fieldChecks.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const volumeModes = ['Block', 'Filesystem'];

/** Access modes of claims and volumes. */
export function checkAccessModes(modes: unknown, path: string): FieldError[] {
  const list = listOf(modes);
  const errors = list.flatMap((mode) => oneOf(path, mode, accessModes));
  const others = list.some((mode) => mode !== 'ReadWriteOncePod' && accessModes.includes(textOf(mode)));
  return list.includes('ReadWriteOncePod') && others
    ? [...errors, field.forbidden(path, 'may not use ReadWriteOncePod with other access modes')]
    : errors;
}

export function checkVolumeMode(path: string, mode: unknown): FieldError[] {
  return oneOf(path, mode, volumeModes);
}

/** A positive quantity. */
export function positiveAmount(path: string, amount: unknown): FieldError[] {
  const size = amountOf(amount);
  return size === undefined || size.billionths > 0n
    ? []
    : [field.invalid(path, amountText(size), 'must be greater than zero')];
}

function checkSource(source: unknown, path: string): FieldError[] {
  if (!isFields(source)) return [];
  const { name, kind, apiGroup } = source;
  const errors = [...required(`${path}.name`, name), ...required(`${path}.kind`, kind)];
  if (isMissing(apiGroup)) {
    if (kind !== 'PersistentVolumeClaim')
      errors.push(
        field.invalid(
          path,
          textOf(kind),
          "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
        ),
      );
  } else errors.push(...named(`${path}.apiGroup`, apiGroup, 'subdomain'));
  return errors;
}

/** Valid data sources of a claim; the server ignores others, and other namespaces. */
function isSource(source: unknown): source is Fields {
  if (!isFields(source)) return false;
  const { apiGroup, kind } = source;
  return isMissing(apiGroup)
    ? kind === 'PersistentVolumeClaim'
    : apiGroup === 'snapshot.storage.k8s.io' && kind === 'VolumeSnapshot';
}

function checkSources({ dataSource, dataSourceRef }: Fields, path: string): FieldError[] {
  const of = (source: Fields) => [source['apiGroup'], textOf(source['kind']), textOf(source['name'])];
  if (isFields(dataSource) && !isSource(dataSource)) return [];
  const reference = isMissing(fieldsOf(dataSourceRef)['namespace']) ? dataSourceRef : undefined;
  const errors = [
    ...checkSource(dataSource, `${path}.dataSource`),
    ...checkSource(reference, `${path}.dataSourceRef`),
  ];
  return isFields(dataSource) && isFields(reference) && !sameValue(of(dataSource), of(reference))
    ? [...errors, field.invalid(path, {}, 'must match dataSourceRef')]
    : errors;
}

/** All validation errors of a claim spec, also in templates. */
export function checkClaimSpec(spec: unknown, path: string): FieldError[] {
  const claim = fieldsOf(spec);
  const { accessModes: modes, resources, storageClassName, volumeMode } = claim;
  const errors: FieldError[] = [];
  if (listOf(modes).length === 0)
    errors.push(field.required(`${path}.accessModes`, 'at least 1 access mode is required'));
  errors.push(
    ...checkLabelSelector(`${path}.selector`, claim['selector']),
    ...checkAccessModes(modes, `${path}.accessModes`),
  );
  const storage = fieldsOf(fieldsOf(resources)['requests'])['storage'];
  errors.push(
    ...(isSet(storage)
      ? positiveAmount(`${path}.resources[storage]`, storage)
      : [field.required(`${path}.resources[storage]`)]),
    ...named(`${path}.storageClassName`, storageClassName, 'subdomain'),
    ...checkVolumeMode(`${path}.volumeMode`, volumeMode),
  );
  return [
    ...errors,
    ...checkSources(claim, path),
    ...named(`${path}.volumeAttributesClassName`, claim['volumeAttributesClassName'], 'subdomain'),
  ];
}
