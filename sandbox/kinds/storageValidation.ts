import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { nameFaults } from '../../schemas/pods/names.ts';
import { sameValue, type Fields } from '../../schemas/pods/fields.ts';
import {
  checkLabels,
  entriesOf,
  fieldsOf,
  isSet,
  isMissing,
  items,
  labelKey,
  listOf,
  notNegative,
  oneOf,
  someOf,
  textOf,
} from '../../schemas/pods/fieldChecks.ts';
import { checkResources } from '../../schemas/pods/resourceValidation.ts';
import { checkTolerations } from '../../schemas/pods/schedulingValidation.ts';
import { checkDriverName } from '../../schemas/pods/volumeSourceValidation.ts';

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

/** Everything wrong with a RuntimeClass. */
export function checkRuntimeClass(object: KubeObject): FieldError[] {
  const handler = textOf(object['handler']);
  const { podFixed } = fieldsOf(object['overhead']);
  const { nodeSelector, tolerations } = fieldsOf(object['scheduling']);
  const seen: Fields[] = [];
  const errors = [
    ...nameFaults(handler, 'label').map((fault) => field.invalid('handler', handler, fault)),
    ...checkResources({ limits: podFixed }, 'overhead'),
    ...checkLabels('scheduling.nodeSelector', nodeSelector),
    ...checkTolerations(tolerations, 'scheduling.tolerations'),
  ];
  for (const [index, toleration] of items(tolerations).entries()) {
    const { tolerationSeconds = null } = toleration;
    const [Key, Operator, Value, Effect] = ['key', 'operator', 'value', 'effect'].map((name) =>
      textOf(toleration[name]),
    );
    const shown = { Key, Operator, Value, Effect };
    if (seen.some((other) => sameValue(other, shown)))
      errors.push(
        field.duplicate(`scheduling.tolerations[${index}]`, {
          ...shown,
          TolerationSeconds: tolerationSeconds,
        }),
      );
    seen.push(shown);
  }
  return errors;
}

/** Everything wrong with a CSINode. */
export function checkStorageNode(object: KubeObject): FieldError[] {
  const seen = new Set<string>();
  return items(fieldsOf(object['spec'])['drivers']).flatMap((driver, index) => {
    const path = `spec.drivers[${index}]`;
    const name = textOf(driver['name']);
    const id = textOf(driver['nodeID']);
    const errors = checkDriverName(`${path}.name`, name);
    if (id === '') errors.push(field.required(`${path}.nodeID`));
    if (id.length > 256) errors.push(field.invalid(`${path}.nodeID`, id, 'must be 256 characters or less'));
    errors.push(...notNegative(`${path}.allocatable.count`, fieldsOf(driver['allocatable'])['count']));
    if (seen.has(name)) errors.push(field.duplicate(`${path}.name`, name));
    seen.add(name);
    const keys = listOf(driver['topologyKeys']);
    for (const [position, key] of keys.entries()) {
      if (key === '') errors.push(field.required(path));
      if (keys.indexOf(key) < position) errors.push(field.duplicate(path, key));
      errors.push(...labelKey(path, key));
    }
    return errors;
  });
}

/** Everything wrong with a VolumeAttachment. */
export function checkVolumeAttachment(object: KubeObject): FieldError[] {
  const { attacher, source, nodeName } = fieldsOf(object['spec']);
  const { persistentVolumeName: volume, inlineVolumeSpec: inline } = fieldsOf(source);
  const path = 'spec.source';
  const one = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  const errors: FieldError[] = [];
  if (isMissing(attacher)) errors.push(field.required('spec.attacher'));
  if (isSet(volume) === isSet(inline))
    errors.push(isSet(volume) ? field.forbidden(path, one) : field.required(path, one));
  else if (volume === '')
    errors.push(
      field.required(`${path}.persistentVolumeName`, 'must specify non empty persistentVolumeName'),
    );
  const node = textOf(nodeName);
  const name = textOf(volume);
  return [
    ...errors,
    ...nameFaults(node, 'subdomain').map((fault) => field.invalid('spec.nodeName', node, fault)),
    ...checkDriverName('spec.attacher', attacher),
    ...(isSet(volume)
      ? nameFaults(name, 'subdomain').map((fault) =>
          field.invalid('spec.source.persistentVolumeName', name, fault),
        )
      : []),
  ];
}

/** Everything wrong with a CSIDriver. */
export function checkStorageDriver(object: KubeObject): FieldError[] {
  const spec = fieldsOf(object['spec']);
  const audiences = new Set<unknown>();
  const errors = oneOf('spec.fsGroupPolicy', spec['fsGroupPolicy'], [
    'File',
    'None',
    'ReadWriteOnceWithFSType',
  ]);
  for (const [index, { audience = '', expirationSeconds: seconds }] of items(
    spec['tokenRequests'],
  ).entries()) {
    const path = `spec.tokenRequests[${index}]`;
    if (audiences.has(audience)) errors.push(field.duplicate(`${path}.audience`, audience));
    audiences.add(audience);
    if (typeof seconds !== 'number') continue;
    const at = `${path}.expirationSeconds`;
    if (seconds < 600)
      errors.push(field.invalid(at, seconds, 'may not specify a duration less than 10 minutes'));
    if (seconds > 2 ** 32)
      errors.push(field.invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  return [
    ...errors,
    ...listOf(spec['volumeLifecycleModes']).flatMap((mode) =>
      oneOf('spec.volumeLifecycleModes', mode, ['Persistent', 'Ephemeral']),
    ),
  ];
}
