import { field, type FieldError } from './fieldErrors.ts';
import type { Fields } from './fields.ts';
import {
  relativePath,
  entriesOf,
  fieldsOf,
  isSet,
  isMissing,
  listOf,
  named,
  noParentSegments,
  notTooLong,
  oneOf,
  required,
  requiredName,
  textOf,
  within,
} from './fieldChecks.ts';

export type CheckSource = (source: Fields, path: string) => FieldError[];

/** Required fields only. */
function needs(...names: string[]): CheckSource {
  return (source, path) =>
    names.flatMap((name) => {
      const value = source[name];
      return Array.isArray(value) && value.length === 0
        ? [field.required(`${path}.${name}`)]
        : required(`${path}.${name}`, value);
    });
}

/** The name of a CSI driver. */
export function checkDriverName(path: string, name: unknown): FieldError[] {
  if (isMissing(name)) return [field.required(path)];
  return [
    ...notTooLong(path, name, 63),
    ...named(path, textOf(name).toLowerCase(), 'subdomain').map((error) => ({
      ...error,
      message: error.message.replace(JSON.stringify(textOf(name).toLowerCase()), JSON.stringify(name)),
    })),
  ];
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

const checkHostPath: CheckSource = (source, path) => {
  if (isMissing(source['path'])) return [field.required(`${path}.path`)];
  return [
    ...noParentSegments(`${path}.path`, source['path']),
    ...oneOf(`${path}.type`, source['type'], hostPathTypes),
  ];
};

const checkNfs: CheckSource = (source, path) => [
  ...needs('server', 'path')(source, path),
  ...(textOf(source['path']).startsWith('/')
    ? []
    : [field.invalid(`${path}.path`, textOf(source['path']), 'must be an absolute path')]),
];

const initiators: Readonly<Record<string, RegExp>> = {
  iqn: /^iqn\.\d{4}-\d{2}\.([A-Za-z0-9.-]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Fa-f0-9]{16}$/,
  naa: /^naa.[A-Fa-f0-9]{32}$/,
};

function checkInitiator(path: string, value: unknown): FieldError[] {
  const name = textOf(value);
  const form = initiators[name.slice(0, 3)];
  if (form === undefined)
    return [field.invalid(path, name, 'must be valid format starting with iqn, eui, or naa')];
  return form.test(name) ? [] : [field.invalid(path, name, 'must be valid format')];
}

const checkIscsi: CheckSource = (source, path) => {
  const { targetPortal, iqn, lun, initiatorName } = source;
  const secret = source['chapAuthDiscovery'] === true || source['chapAuthSession'] === true;
  return [
    ...required(`${path}.targetPortal`, targetPortal),
    ...(isMissing(iqn) ? [field.required(`${path}.iqn`)] : checkInitiator(`${path}.iqn`, iqn)),
    ...within(`${path}.lun`, lun, 0, 255),
    ...(secret && !isSet(source['secretRef']) ? [field.required(`${path}.secretRef`)] : []),
    ...(isSet(initiatorName) ? checkInitiator(`${path}.initiatorname`, initiatorName) : []),
  ];
};

const checkFibre: CheckSource = (source, path) => {
  const { targetWWNs, wwids, lun } = source;
  const [names, ids] = [listOf(targetWWNs), listOf(wwids)];
  const at = `${path}.targetWWNs`;
  if (names.length === 0)
    return ids.length === 0
      ? [field.required(at, 'must specify either targetWWNs or wwids, but not both')]
      : [];
  return [
    ...(ids.length === 0
      ? []
      : [field.invalid(at, names, 'targetWWNs and wwids can not be specified simultaneously')]),
    ...(isSet(lun)
      ? within(`${path}.lun`, lun, 0, 255)
      : [field.required(`${path}.lun`, 'lun is required if targetWWNs is specified')]),
  ];
};

const checkFlocker: CheckSource = (source, path) => {
  const [name, uuid] = [textOf(source['datasetName']), textOf(source['datasetUUID'])];
  if (name === '')
    return uuid === '' ? [field.required(path, 'one of datasetName and datasetUUID is required')] : [];
  return [
    ...(uuid === ''
      ? []
      : [field.invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')]),
    ...(name.includes('/') ? [field.invalid(`${path}.datasetName`, name, "must not contain '/'")] : []),
  ];
};

const reservedOption = /\.(kubernetes|k8s)\.io$/;

const checkFlex: CheckSource = (source, path) => [
  ...required(`${path}.driver`, source['driver']),
  ...entriesOf(source['options'])
    .map(([key]) => key)
    .filter((key) => reservedOption.test(`.${(key.split('/')[0] ?? '').toLowerCase()}`))
    .map((key) =>
      field.invalid(`${path}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved'),
    ),
];

const registryRule = 'must be a host:port pair or multiple pairs separated by commas';

const checkQuobyte: CheckSource = (source, path) => {
  const registry = textOf(source['registry']);
  const errors: FieldError[] = [];
  if (registry === '') errors.push(field.required(`${path}.registry`, registryRule));
  else if (textOf(source['tenant']).length >= 65)
    errors.push(
      field.required(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'),
    );
  else
    for (const pair of registry.split(','))
      if (!/^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair))
        errors.push(field.invalid(`${path}.registry`, registry, registryRule));
  return [...errors, ...required(`${path}.volume`, source['volume'])];
};

const managedDisk =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

const checkAzureDisk: CheckSource = (source, path) => {
  const { kind, diskURI } = source;
  const uri = textOf(diskURI);
  const [prefix, form] = kind === 'Managed' ? ['/subscriptions/', managedDisk] : ['https://', blobDisk];
  return [
    ...needs('diskName', 'diskURI')(source, path),
    ...oneOf(`${path}.cachingMode`, source['cachingMode'], ['None', 'ReadOnly', 'ReadWrite']),
    ...oneOf(`${path}.kind`, kind, ['Dedicated', 'Managed', 'Shared']),
    ...(isSet(kind) && !uri.startsWith(prefix) ? [field.notSupported(`${path}.diskURI`, uri, [form])] : []),
  ];
};

/** A disk partition. */
function disk(name: string): CheckSource {
  return (source, path) => {
    const { partition } = source;
    const rule = 'must be between 1 and 255, inclusive';
    return [
      ...required(`${path}.${name}`, source[name]),
      ...(typeof partition === 'number' && (partition < 0 || partition > 255)
        ? [field.invalid(`${path}.partition`, partition, rule)]
        : []),
    ];
  };
}

const secretName: CheckSource = (source, path) =>
  isSet(source['secretRef']) ? required(`${path}.secretRef.name`, fieldsOf(source['secretRef'])['name']) : [];

/** The sources common to pod volumes and PersistentVolumes, with the path of their errors. */
export const commonSources: Readonly<Record<string, CheckSource>> = {
  hostPath: checkHostPath,
  gcePersistentDisk: disk('pdName'),
  awsElasticBlockStore: disk('volumeID'),
  glusterfs: needs('endpoints', 'path'),
  flocker: checkFlocker,
  nfs: checkNfs,
  rbd: needs('monitors', 'image'),
  quobyte: checkQuobyte,
  cephfs: needs('monitors'),
  iscsi: checkIscsi,
  cinder: (source, path) => [...needs('volumeID')(source, path), ...secretName(source, path)],
  fc: checkFibre,
  flexVolume: checkFlex,
  azureFile: needs('secretName', 'shareName'),
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk: checkAzureDisk,
  scaleIO: needs('gateway', 'system', 'volumeName'),
  storageos: (source, path) => [
    ...requiredName(`${path}.volumeName`, source['volumeName'], 'label'),
    ...named(`${path}.volumeNamespace`, source['volumeNamespace'], 'label'),
    ...secretName(source, path),
  ],
};

/** The path in the error about a second source; the server uses another name for one of them there. */
export function pathOfSource(path: string, name: string): string {
  return name === 'gcePersistentDisk' ? `${path}.persistentDisk` : `${path}.${name}`;
}

/** Exactly one source, checked in the server's order. */
export function checkOneSource(
  volume: Fields,
  path: string,
  sources: Readonly<Record<string, CheckSource>>,
): FieldError[] {
  const [first, ...more] = Object.keys(sources).filter((name) => isSet(volume[name]));
  if (first === undefined) return [field.required(path, 'must specify a volume type')];
  return [
    ...(sources[first]?.(fieldsOf(volume[first]), pathOfSource(path, first)) ?? []),
    ...more.map((name) => field.forbidden(`${path}.${name}`, 'may not specify more than 1 volume type')),
  ];
}

/** A git repository volume. */
export const checkRepository: CheckSource = (source, path) => [
  ...required(`${path}.repository`, source['repository']),
  ...relativePath(`${path}.directory`, source['directory']),
];
