import type { ApiSubresource } from '../discovery/resources.ts';
import { referenceTo, type OpenApiSchema } from './components.ts';
import {
  deleteCollectionParameters,
  deleteParameters,
  force,
  listEverywhereParameters,
  listParameters,
  nameIn,
  namespace,
  pretty,
  resourceVersion,
  writeParameters,
  type Parameter,
} from './parameters.ts';

/** A resource or subresource with operations. */
export interface OperationSubject {
  group: string;
  version: string;
  /** The kind in the operations, such as a Scale of a Deployment. */
  kind: string;
  of: { group: string; version: string; kind: string };
  namespaced: boolean;
  custom: boolean;
  component: string;
  /** `Scale` in `readAppsV1NamespacedDeploymentScale`. */
  suffix: string;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `core`, `rbacAuthorization`, `appsKruiseIo`. */
function groupName(group: string): string {
  const parts = group.replace(/\.k8s\.io$/, '').split('.');
  return group === ''
    ? 'core'
    : parts.map((word, index) => (index === 0 ? word : capitalised(word))).join('');
}

type Verb = 'read' | 'list' | 'create' | 'replace' | 'patch' | 'delete' | 'deleteCollection';

const actions: Readonly<Record<Verb, string>> = {
  read: 'get',
  list: 'list',
  create: 'post',
  replace: 'put',
  patch: 'patch',
  delete: 'delete',
  deleteCollection: 'deletecollection',
};

function withArticle(kind: string): string {
  if (kind.endsWith('Endpoints')) return kind;
  return `${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

function sentence(verb: Verb, { kind, suffix, custom }: OperationSubject): string {
  const part = suffix === '' ? '' : `${suffix.toLowerCase()} of `;
  switch (verb) {
    case 'read':
      return `read ${part}the specified ${kind}`;
    case 'list':
      return `list ${custom ? '' : 'or watch '}objects of kind ${kind}`;
    case 'create':
      return `create ${part}${withArticle(kind)}`;
    case 'replace':
      return `replace ${part}the specified ${kind}`;
    case 'patch':
      return `partially update ${part}the specified ${kind}`;
    case 'delete':
      return `delete ${withArticle(kind)}`;
    case 'deleteCollection':
      return `delete collection of ${kind}`;
  }
}

function content(mediaTypes: readonly string[], component: string): OpenApiSchema {
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema: referenceTo(component) }]));
}

const read = ['application/json', 'application/yaml'];
const listed = ['application/json', 'application/json;stream=watch', 'application/yaml'];

interface Body {
  mediaTypes: readonly string[];
  component: string;
  required: boolean;
}

function operation(
  verb: Verb,
  subject: OperationSubject,
  parameters: readonly Parameter[],
  answers: { codes: readonly number[]; component: string; mediaTypes?: readonly string[] },
  body?: Body,
  everywhere = false,
): OpenApiSchema {
  const { group, version, kind, namespaced, suffix, of } = subject;
  const word = groupName(group);
  const collection = verb === 'deleteCollection' ? 'Collection' : '';
  const name = `${collection}${namespaced && !everywhere ? 'Namespaced' : ''}${kind}${suffix}`;
  const texts: Record<number, string> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };
  return {
    tags: [`${word}_${version}`],
    description: sentence(verb, subject),
    operationId: `${verb === 'deleteCollection' ? 'delete' : verb}${capitalised(word)}${capitalised(version)}${name}${everywhere ? 'ForAllNamespaces' : ''}`,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            content: content(body.mediaTypes, body.component),
            ...(body.required ? { required: true } : {}),
          },
        }),
    responses: Object.fromEntries([
      ...answers.codes.map((code) => [
        code,
        { description: texts[code], content: content(answers.mediaTypes ?? read, answers.component) },
      ]),
      [401, { description: 'Unauthorized' }],
    ]),
    'x-kubernetes-action': actions[verb],
    'x-kubernetes-group-version-kind': { group: of.group, version: of.version, kind: of.kind },
  };
}

/** Shared components of operations. */
export interface MetaComponents {
  deleteOptions: string;
  patch: string;
  status: string;
}

/** Kinds whose deletion returns the object; all others return a Status. */
const answeringDeletions = new Set([
  'CSIDriver',
  'CSINode',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'PodTemplate',
  'ResourceQuota',
  'Service',
  'ServiceAccount',
  'StorageClass',
  'VolumeAttachment',
]);

function patchOperation(subject: OperationSubject, { patch }: MetaComponents): OpenApiSchema {
  const mediaTypes = [
    'application/apply-patch+yaml',
    'application/json-patch+json',
    'application/merge-patch+json',
    ...(subject.custom ? [] : ['application/strategic-merge-patch+json']),
  ];
  return operation(
    'patch',
    subject,
    [...writeParameters, force],
    { codes: subject.custom ? [200] : [200, 201], component: subject.component },
    { mediaTypes, component: patch, required: true },
  );
}

function written({ custom, component }: OperationSubject): Body {
  return { mediaTypes: custom ? read : ['*/*'], component, required: true };
}

function readOperation(subject: OperationSubject): OpenApiSchema {
  const answers = { codes: [200], component: subject.component };
  return operation('read', subject, subject.custom ? [resourceVersion] : [], answers);
}

function replaceOperation(subject: OperationSubject): OpenApiSchema {
  const answers = { codes: [200, 201], component: subject.component };
  return operation('replace', subject, writeParameters, answers, written(subject));
}

function createOperation(subject: OperationSubject): OpenApiSchema {
  const answers = { codes: [200, 201, 202], component: subject.component };
  return operation('create', subject, writeParameters, answers, written(subject));
}

/** The paths of a resource below its group version. */
export function resourcePaths(
  base: string,
  plural: string,
  verbs: readonly string[],
  subject: OperationSubject,
  meta: MetaComponents,
): Record<string, OpenApiSchema> {
  const list = (everywhere: boolean, parameters: readonly Parameter[]) =>
    operation(
      'list',
      subject,
      parameters,
      { codes: [200], component: `${subject.component}List`, mediaTypes: listed },
      undefined,
      everywhere,
    );
  const location = subject.namespaced ? [namespace] : [];
  const root = `${base}${subject.namespaced ? '/namespaces/{namespace}' : ''}/${plural}`;
  if (!verbs.includes('get'))
    return { [root]: { post: createOperation(subject), parameters: [...location, pretty] } };
  const deleteOptions: Body = {
    mediaTypes: subject.custom ? read : ['*/*'],
    component: meta.deleteOptions,
    required: false,
  };
  const deleted = answeringDeletions.has(subject.kind) && !subject.custom ? subject.component : meta.status;
  return {
    ...(subject.namespaced
      ? { [`${base}/${plural}`]: { get: list(true, []), parameters: listEverywhereParameters } }
      : {}),
    [root]: {
      get: list(false, listParameters),
      post: createOperation(subject),
      ...(verbs.includes('deletecollection')
        ? {
            delete: operation(
              'deleteCollection',
              subject,
              subject.custom ? listParameters : deleteCollectionParameters,
              { codes: [200], component: meta.status },
              subject.custom ? undefined : deleteOptions,
            ),
          }
        : {}),
      parameters: [...location, pretty],
    },
    [`${root}/{name}`]: {
      get: readOperation(subject),
      put: replaceOperation(subject),
      delete: operation(
        'delete',
        subject,
        deleteParameters,
        { codes: [200, 202], component: deleted },
        deleteOptions,
      ),
      patch: patchOperation(subject, meta),
      parameters: [nameIn(subject.kind), ...location, pretty],
    },
  };
}

/** The path of a subresource with its operations. */
export function subresourcePath(
  base: string,
  plural: string,
  { name, verbs }: ApiSubresource,
  subject: OperationSubject,
  meta: MetaComponents,
): Record<string, OpenApiSchema> {
  const location = subject.namespaced ? [namespace] : [];
  const path = `${base}${subject.namespaced ? '/namespaces/{namespace}' : ''}/${plural}/{name}/${name}`;
  return {
    [path]: {
      ...(verbs.includes('get') ? { get: readOperation(subject) } : {}),
      ...(verbs.includes('create') ? { post: createOperation(subject) } : {}),
      ...(verbs.includes('update') ? { put: replaceOperation(subject) } : {}),
      ...(verbs.includes('patch') ? { patch: patchOperation(subject, meta) } : {}),
      parameters: [nameIn(subject.kind), ...location, pretty],
    },
  };
}
