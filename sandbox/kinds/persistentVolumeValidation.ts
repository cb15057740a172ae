import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { isFields } from '../../schemas/pods/fields.ts';
import { amountOf, amountText } from '../../schemas/pods/amount.ts';
import { checkAccessModes, checkVolumeMode, positiveAmount } from '../../schemas/pods/claimValidation.ts';
import {
  entriesOf,
  fieldsOf,
  isSet,
  isMissing,
  listOf,
  named,
  noParentSegments,
  oneOf,
  required,
  textOf,
} from '../../schemas/pods/fieldChecks.ts';
import { checkNodeSelector } from '../../schemas/pods/schedulingValidation.ts';
import {
  checkDriverName,
  checkOneSource,
  commonSources,
  type CheckSource,
} from '../../schemas/pods/volumeSourceValidation.ts';

function checkSecret(secret: unknown, path: string): FieldError[] {
  if (!isFields(secret)) return [];
  const { name, namespace } = secret;
  return [
    ...(isMissing(name) ? [field.required(`${path}.name`)] : named(`${path}.name`, name, 'subdomain')),
    ...(isMissing(namespace)
      ? [field.required(`${path}.namespace`)]
      : named(`${path}.namespace`, namespace, 'label')),
  ];
}

const secrets = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
];

const checkDriver: CheckSource = (source, path) => [
  ...checkDriverName(`${path}.driver`, source['driver']),
  ...required(`${path}.volumeHandle`, source['volumeHandle']),
  ...secrets.flatMap((name) => checkSecret(source[name], `${path}.${name}`)),
];

const checkLocal: CheckSource = (source, path) =>
  isMissing(source['path'])
    ? [field.required(`${path}.path`)]
    : noParentSegments(`${path}.path`, source['path']);

const order = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
];

const sources: Readonly<Record<string, CheckSource>> = Object.fromEntries(
  order.flatMap((name) => {
    const check = { ...commonSources, local: checkLocal, csi: checkDriver }[name];
    return check === undefined ? [] : [[name, check]];
  }),
);

/** Everything wrong with a PersistentVolume. */
export function checkPersistentVolume(object: KubeObject): FieldError[] {
  const spec = fieldsOf(object['spec']);
  const { capacity, nodeAffinity, hostPath, persistentVolumeReclaimPolicy: reclaim } = spec;
  const amounts = entriesOf(capacity);
  const errors: FieldError[] = [];
  if (listOf(spec['accessModes']).length === 0) errors.push(field.required('spec.accessModes'));
  errors.push(...checkAccessModes(spec['accessModes'], 'spec.accessModes'));
  if (amounts.length === 0) errors.push(field.required('spec.capacity'));
  if (amounts.length !== 1 || amounts[0]?.[0] !== 'storage')
    errors.push(
      field.notSupported('spec.capacity', isFields(capacity) ? Object.fromEntries(amounts) : null, [
        'storage',
      ]),
    );
  for (const [name, amount] of amounts) {
    const path = `spec.capacity[${name}]`;
    const size = amountOf(amount);
    if (size !== undefined && size.billionths < 0n)
      errors.push(
        field.invalid(path, Number(size.billionths / 1_000_000_000n), 'must be a valid resource quantity'),
      );
    errors.push(...positiveAmount(path, size === undefined ? undefined : amountText(size)));
  }
  if (!isMissing(reclaim))
    errors.push(...oneOf('spec.persistentVolumeReclaimPolicy', reclaim, ['Delete', 'Recycle', 'Retain']));
  const affinity = 'spec.nodeAffinity';
  if (isFields(nodeAffinity))
    errors.push(
      ...(isFields(nodeAffinity['required'])
        ? checkNodeSelector(nodeAffinity['required'], `${affinity}.required`)
        : [field.required(`${affinity}.required`, 'must specify required node constraints')]),
    );
  const [first] = order.filter((name) => isSet(spec[name]));
  const made = checkOneSource(spec, 'spec', sources);
  if (first === 'local' && !isFields(fieldsOf(nodeAffinity)['required']))
    made.splice(
      checkLocal(fieldsOf(spec['local']), '').length,
      0,
      field.required(affinity, 'Local volume requires node affinity'),
    );
  errors.push(...made);
  const root = textOf(fieldsOf(hostPath)['path']);
  if (reclaim === 'Recycle' && /^\/[/.]*$/.test(root))
    errors.push(
      field.forbidden(
        'spec.persistentVolumeReclaimPolicy',
        "may not be 'recycle' for a hostPath mount of '/'",
      ),
    );
  const { volumeAttributesClassName: attributes } = spec;
  errors.push(
    ...named('spec.storageClassName', spec['storageClassName'], 'subdomain'),
    ...checkVolumeMode('spec.volumeMode', spec['volumeMode']),
  );
  if (!isSet(attributes)) return errors;
  const at = 'spec.volumeAttributesClassName';
  return [
    ...errors,
    ...(attributes === ''
      ? [field.required(at, 'an empty string is disallowed')]
      : named(at, attributes, 'subdomain')),
    ...(isSet(spec['csi'])
      ? []
      : [field.required('spec.csi', 'has to be specified when using volumeAttributesClassName')]),
  ];
}
