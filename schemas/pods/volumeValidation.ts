import { field, type FieldError } from './fieldErrors.ts';
import { checkCommonMetadata } from './commonMetadata.ts';
import { nameFaults } from './names.ts';
import { isFields, type Fields } from './fields.ts';
import { amountOf } from './amount.ts';
import { checkClaimSpec } from './claimValidation.ts';
import { checkPullPolicy } from './containerValidation.ts';
import { checkFieldRef, checkResourceRef } from './envValidation.ts';
import {
  relativeUnreservedPath,
  fieldsOf,
  fileMode,
  isSet,
  isMissing,
  items,
  required,
  requiredName,
  textOf,
} from './fieldChecks.ts';
import {
  checkDriverName,
  checkOneSource,
  checkRepository,
  commonSources,
  type CheckSource,
} from './volumeSourceValidation.ts';

function checkKeys(list: unknown, path: string): FieldError[] {
  return items(list).flatMap(({ key, path: file, mode }, index) => {
    const at = `${path}[${index}]`;
    return [
      ...required(`${at}.key`, key),
      ...required(`${at}.path`, file),
      ...relativeUnreservedPath(`${at}.path`, file),
      ...fileMode(`${at}.mode`, mode),
    ];
  });
}

/** ConfigMap and Secret volumes; `name` is the name field. */
function files(name: string): CheckSource {
  return (source, path) => [
    ...required(`${path}.${name}`, source[name]),
    ...fileMode(`${path}.defaultMode`, source['defaultMode']),
    ...checkKeys(source['items'], `${path}.items`),
  ];
}

function checkPodFile(file: Fields, path: string): FieldError[] {
  const { fieldRef, resourceFieldRef, mode } = file;
  const errors = [
    ...required(`${path}.path`, file['path']),
    ...relativeUnreservedPath(`${path}.path`, file['path']),
  ];
  if (isFields(fieldRef)) {
    errors.push(...checkFieldRef(fieldRef, `${path}.fieldRef`, 'volume'));
    if (isSet(resourceFieldRef))
      errors.push(
        field.invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'),
      );
  } else if (isFields(resourceFieldRef))
    errors.push(...checkResourceRef(resourceFieldRef, `${path}.resourceFieldRef`, 'volume'));
  else errors.push(field.required(path, 'one of fieldRef and resourceFieldRef is required'));
  return [...errors, ...fileMode(`${path}.mode`, mode)];
}

const projections = [
  'secret',
  'configMap',
  'downwardAPI',
  'serviceAccountToken',
  'clusterTrustBundle',
  'podCertificate',
];
const longestToken = 2 ** 32;

function checkToken({ expirationSeconds, path: file }: Fields, path: string, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const seconds = typeof expirationSeconds === 'number' ? expirationSeconds : 0;
  const refuse = (why: string) => errors.push(field.invalid(`${at}.expirationSeconds`, seconds, why));
  if (seconds < 600) refuse('may not specify a duration less than 10 minutes');
  if (seconds > longestToken) refuse('may not specify a duration larger than 2^32 seconds');
  return isMissing(file)
    ? [...errors, field.required(`${path}.path`)]
    : [...errors, ...relativeUnreservedPath(`${path}.path`, file)];
}

const checkProjected: CheckSource = (source, path) => {
  const taken = new Set<string>();
  const take = (file: unknown, shown: unknown): FieldError[] => {
    const name = textOf(file);
    if (name === '') return [];
    if (taken.has(name)) return [field.invalid(path, shown, 'conflicting duplicate paths')];
    taken.add(name);
    return [];
  };
  const errors = fileMode(`${path}.defaultMode`, source['defaultMode']);
  for (const [index, each] of items(source['sources']).entries()) {
    const at = `${path}.sources[${index}]`;
    for (const kind of ['secret', 'configMap']) {
      const given = each[kind];
      if (!isFields(given)) continue;
      errors.push(...required(`${at}.${kind}.name`, given['name']));
      for (const [place, item] of items(given['items']).entries())
        errors.push(
          ...checkKeys([item], `${at}.${kind}.items`).map((error) => ({
            ...error,
            field: error.field.replace('.items[0]', `.items[${place}]`),
          })),
          ...take(item['path'], textOf(given['name'])),
        );
    }
    for (const file of items(fieldsOf(each['downwardAPI'])['items']))
      errors.push(...checkPodFile(file, `${at}.downwardAPI`), ...take(file['path'], file['path']));
    if (isFields(each['serviceAccountToken']))
      errors.push(...checkToken(each['serviceAccountToken'], path, `${at}.serviceAccountToken`));
    if (projections.filter((name) => isSet(each[name])).length > 1)
      errors.push(field.forbidden(at, 'may not specify more than 1 volume type per source'));
  }
  return errors;
};

const checkEphemeral: CheckSource = ({ volumeClaimTemplate: template }, path) => {
  const at = `${path}.volumeClaimTemplate`;
  if (!isFields(template)) return [field.required(at)];
  const { labels, annotations, ...more } = fieldsOf(template['metadata']);
  return [
    ...checkCommonMetadata(
      {
        ...(isFields(annotations) ? { annotations: annotations as Record<string, string> } : {}),
        ...(isFields(labels) ? { labels: labels as Record<string, string> } : {}),
      },
      `${at}.metadata`,
    ),
    ...Object.keys(more)
      .filter((name) => !isMissing(more[name]))
      .map((name) => field.forbidden(`${at}.metadata.${name}`, 'cannot be set')),
    ...checkClaimSpec(template['spec'], `${at}.spec`),
  ];
};

const checkDriver: CheckSource = ({ driver, nodePublishSecretRef: secret }, path) => [
  ...checkDriverName(`${path}.driver`, driver),
  ...(isFields(secret) ? requiredName(`${path}.nodePublishSecretRef.name`, secret['name'], 'subdomain') : []),
];

/** The sources of a pod volume in the server's order. */
function sourcesOf(isPod: boolean): Readonly<Record<string, CheckSource>> {
  const common = commonSources;
  const pick = (...names: string[]) =>
    Object.fromEntries(names.flatMap((name) => (common[name] === undefined ? [] : [[name, common[name]]])));
  return {
    emptyDir: ({ sizeLimit }, path) =>
      (amountOf(sizeLimit)?.billionths ?? 0n) < 0n
        ? [field.forbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
        : [],
    ...pick('hostPath'),
    gitRepo: checkRepository,
    ...pick('gcePersistentDisk', 'awsElasticBlockStore'),
    secret: files('secretName'),
    ...pick('nfs', 'iscsi', 'glusterfs', 'flocker'),
    persistentVolumeClaim: ({ claimName }, path) => required(`${path}.claimName`, claimName),
    ...pick('rbd', 'cinder', 'cephfs', 'quobyte'),
    downwardAPI: (source, path) => [
      ...fileMode(`${path}.defaultMode`, source['defaultMode']),
      ...items(source['items']).flatMap((file) => checkPodFile(file, path)),
    ],
    ...pick('fc', 'flexVolume'),
    configMap: files('name'),
    ...pick('azureFile', 'vsphereVolume', 'photonPersistentDisk', 'portworxVolume', 'azureDisk', 'storageos'),
    projected: checkProjected,
    ...pick('scaleIO'),
    csi: checkDriver,
    ephemeral: checkEphemeral,
    image: ({ reference, pullPolicy }, path) => [
      ...(isPod ? required(`${path}.reference`, reference) : []),
      ...checkPullPolicy(`${path}.pullPolicy`, pullPolicy),
    ],
  };
}

const sources = { pod: sourcesOf(true), template: sourcesOf(false) };

/** The claim name of an ephemeral volume. */
function checkClaimName(pod: string, volume: Fields, path: string): FieldError[] {
  const name = textOf(volume['name']);
  if (!isFields(volume['ephemeral']) || pod === '' || name === '') return [];
  const claim = `${pod}-${name}`;
  return nameFaults(claim, 'subdomain').map((fault) =>
    field.invalid(`${path}.name`, name, `PVC name ${JSON.stringify(claim)}: ${fault}`),
  );
}

/** Errors of volumes, and the valid volumes; `pod` is the name of a pod, absent for a template. */
export function checkVolumes(
  volumes: unknown,
  path: string,
  pod: string | undefined,
): { errors: FieldError[]; valid: Map<unknown, Fields> } {
  const errors: FieldError[] = [];
  const valid = new Map<unknown, Fields>();
  for (const [index, volume] of items(volumes).entries()) {
    const at = `${path}[${index}]`;
    const name = textOf(volume['name']);
    const found = [
      ...checkOneSource(volume, at, pod === undefined ? sources.template : sources.pod),
      ...checkClaimName(pod ?? '', volume, at),
      ...requiredName(`${at}.name`, name, 'label'),
    ];
    if (valid.has(name)) found.push(field.duplicate(`${at}.name`, name));
    if (found.length === 0) valid.set(name, volume);
    errors.push(...found);
  }
  return { errors, valid };
}
