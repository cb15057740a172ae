import type { ApiSubresource } from '../discovery/resources.ts';
import { referenceTo, type OpenApiSchema } from './components.ts';

/** A resource or subresource with operations. */
export interface OperationSubject {
  /** The kind of the bodies, such as a Scale of a Deployment. */
  of: { group: string; version: string; kind: string };
  namespaced: boolean;
  custom: boolean;
  component: string;
}

const methods: Readonly<Record<string, string>> = {
  get: 'get',
  create: 'post',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
};

const query = (name: string, type: string): OpenApiSchema => ({ name, in: 'query', schema: { type } });
const writing = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => query(name, 'string'));
const inPath = (name: string): OpenApiSchema => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
});

/** The media types of a body. kubectl looks here whether a kind has strategic merge patches. */
function mediaTypes(method: string, isCustom: boolean): string[] {
  if (method !== 'patch') return ['application/json', 'application/yaml'];
  const patches = ['apply-patch+yaml', 'json-patch+json', 'merge-patch+json'];
  return [...patches, ...(isCustom ? [] : ['strategic-merge-patch+json'])].map(
    (type) => `application/${type}`,
  );
}

/** An operation: what clients look for in it, and no more. */
function operation(method: string, subject: OperationSubject, action = method): OpenApiSchema {
  const schema = referenceTo(subject.component);
  const isWrite = method === 'post' || method === 'put' || method === 'patch';
  const types = mediaTypes(method, subject.custom);
  return {
    ...(isWrite
      ? {
          parameters: method === 'patch' ? [...writing, query('force', 'boolean')] : writing,
          requestBody: { content: Object.fromEntries(types.map((type) => [type, { schema }])) },
        }
      : {}),
    responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': subject.of,
  };
}

function pathItem(
  subject: OperationSubject,
  inPaths: readonly string[],
  ofMethods: readonly string[],
): OpenApiSchema {
  return {
    ...Object.fromEntries(ofMethods.map((method) => [method, operation(method, subject)])),
    parameters: inPaths.map(inPath),
  };
}

/** The paths of a resource and its subresources below its group version. */
export function resourcePaths(
  base: string,
  plural: string,
  verbs: readonly string[],
  subject: OperationSubject,
): Record<string, OpenApiSchema> {
  const location = subject.namespaced ? ['namespace'] : [];
  const root = `${base}${subject.namespaced ? '/namespaces/{namespace}' : ''}/${plural}`;
  if (!verbs.includes('get')) return { [root]: pathItem(subject, location, ['post']) };
  const list = operation('get', { ...subject, component: `${subject.component}List` }, 'list');
  return {
    ...(subject.namespaced ? { [`${base}/${plural}`]: { get: list } } : {}),
    [root]: { ...pathItem(subject, location, ['post']), get: list },
    [`${root}/{name}`]: pathItem(subject, ['name', ...location], ['get', 'put', 'delete', 'patch']),
  };
}

/** The path of a subresource with its operations. */
export function subresourcePath(
  base: string,
  plural: string,
  { name, verbs }: ApiSubresource,
  subject: OperationSubject,
): Record<string, OpenApiSchema> {
  const location = subject.namespaced ? ['namespace'] : [];
  const path = `${base}${subject.namespaced ? '/namespaces/{namespace}' : ''}/${plural}/{name}/${name}`;
  const ofMethods = verbs.flatMap((verb) => methods[verb] ?? []);
  return { [path]: pathItem(subject, ['name', ...location], ofMethods) };
}
