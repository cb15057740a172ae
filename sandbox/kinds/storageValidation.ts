import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { sameValue, type Fields } from '../../schemas/pods/fields.ts';
import {
  entriesOf,
  isMissing,
  items,
  labelKey,
  listOf,
  oneOf,
  someOf,
  textOf,
} from '../../schemas/pods/fieldChecks.ts';

function checkTopologies(topologies: unknown): FieldError[] {
  // As in the server, the list of known terms starts with an empty one, so an empty term is a duplicate.
  const known: Fields[] = [{}];
  return items(topologies).flatMap((term, index) => {
    const path = `allowedTopologies[${index}].matchLabelExpressions`;
    const seen: Fields = {};
    const errors = items(term['matchLabelExpressions']).flatMap((each, termIndex) => {
      const at = `${path}[${termIndex}]`;
      const key = textOf(each['key']);
      const values = listOf(each['values']);
      const found: FieldError[] = values.length === 0 ? [field.required(`${at}.values`)] : [];
      for (const [position, value] of values.entries())
        if (values.indexOf(value) < position) found.push(field.duplicate(`${at}.values[${position}]`, value));
      found.push(...labelKey(`${at}.key`, key));
      if (seen[key] !== undefined) found.push(field.duplicate(`${at}.key`, key));
      seen[key] = [...new Set(values.map(textOf))].sort((a, b) => (a < b ? -1 : 1));
      return found;
    });
    if (known.some((other) => sameValue(other, seen))) errors.push(field.duplicate(path, ''));
    known.push(seen);
    return errors;
  });
}

/** Everything wrong with a StorageClass. */
export function checkStorageClass(object: KubeObject): FieldError[] {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode } = object;
  return [
    ...(isMissing(provisioner)
      ? [field.required('provisioner')]
      : labelKey('provisioner', textOf(provisioner).toLowerCase())),
    ...entriesOf(parameters)
      .filter(([key]) => key === '')
      .map(([key]) => field.invalid('parameters', key, 'field can not be empty.')),
    ...oneOf('reclaimPolicy', reclaimPolicy, ['Delete', 'Retain']),
    ...someOf('volumeBindingMode', volumeBindingMode, ['Immediate', 'WaitForFirstConsumer']),
    ...checkTopologies(object['allowedTopologies']),
  ];
}
