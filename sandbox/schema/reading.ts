import type { Patch } from '../../schemas/wire/cluster.ts';
import type { KubeObject, ObjectMeta } from '../../schemas/wire/object.ts';
import { field } from '../../schemas/pods/fieldErrors.ts';
import { refuse } from '../api/errors.ts';
import { apiVersionOf, type Served } from '../api/registry.ts';
import type { RequestOptions } from '../api/request.ts';
import { presenceOf, shapeOf, structNameOf } from '../kinds/shapes.ts';
import { consumedPatch } from '../patch/strategic.ts';
import { internValue } from '../store/value.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { DecodeFault, decodeTyped, goTypeOf, type GoTypes } from './decode.ts';
import { goText } from './goText.ts';
import { prune } from './prune.ts';
import type { StructuralSchema } from './structural.ts';

/** Options for decoding a body. */
export interface Reading extends Pick<RequestOptions, 'fieldValidation' | 'warn' | 'duplicates'> {
  /** The patch whose result is decoded; its errors have other messages. */
  patch?: Exclude<Patch, { type: 'apply' }>;
  /** What is thrown for a body that cannot be decoded. */
  refused?: (why: string) => Error;
}

interface Decoded {
  object: KubeObject;
  /** Unknown and duplicate fields, in the server's wording. */
  problems: string[];
}

const scheme = 'pkg/runtime/scheme.go:111';
const types: GoTypes = { nameOf: structNameOf, presenceOf };

/** Positions of duplicate YAML keys; JSON duplicates are paths. */
const yamlProblem = /^line \d+: key /;

/** The schema of `metadata`, common to all kinds. */
function metadataShape(): StructuralSchema {
  const shape = shapeOf('', 'v1', 'ConfigMap')?.properties?.['metadata'];
  if (shape === undefined) throw new Error('there is no shape of metadata');
  return shape;
}

function handled({ type }: Served, body: unknown, why: string) {
  const said: Fields = isFields(body) ? body : {};
  const kind = typeof said['kind'] === 'string' && said['kind'] !== '' ? said['kind'] : type.kind;
  const apiVersion = typeof said['apiVersion'] === 'string' ? said['apiVersion'] : '';
  const version = apiVersion.split('/').at(-1) || type.storageVersion;
  return refuse.badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${type.kind}: ${why}`,
  );
}

const unnamed = { group: '', plural: '', kind: '' };

/** The error for an undecodable body: 400, or 422 for a patch result. */
function refusal(served: Served, body: unknown, { patch, refused }: Reading, why: string): Error {
  if (refused !== undefined) return refused(why);
  if (patch === undefined) return handled(served, body, why);
  const shown = patch.type === 'strategic' ? goText(consumedPatch(patch.body)) : JSON.stringify(body);
  return refuse.invalid(unnamed, '', [field.invalid('patch', shown, why)]);
}

function textOr(value: unknown, otherwise: string): string {
  if (value === undefined || value === null || value === '') return otherwise;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The serialized empty object of a kind. */
export function emptyObject(schema: StructuralSchema): Fields {
  return decodeTyped(schema, {}, { types }).value as Fields;
}

/** Unserved versions that the server still decodes; bodies of these versions have the right kind. */
const formerVersions: Readonly<Record<string, readonly string[]>> = {
  'apps/v1beta1': ['ControllerRevision', 'Deployment', 'StatefulSet'],
  'autoscaling/v2beta2': ['HorizontalPodAutoscaler'],
  'batch/v1beta1': ['CronJob'],
  'coordination.k8s.io/v1beta1': ['Lease'],
  'discovery.k8s.io/v1beta1': ['EndpointSlice'],
  'networking.k8s.io/v1beta1': ['Ingress'],
  'policy/v1beta1': ['PodDisruptionBudget'],
  'rbac.authorization.k8s.io/v1beta1': ['Role'],
  'apps/v1beta2': ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
  'extensions/v1beta1': ['DaemonSet', 'Deployment', 'Ingress', 'NetworkPolicy', 'ReplicaSet'],
};

/** kind and apiVersion of built-in kinds default to those of the URL. */
function checkBuiltInEnvelope(served: Served, body: Fields, reading: Reading): void {
  const { type, version } = served;
  const expected = apiVersionOf(type.group, version.version);
  const kind = textOr(body['kind'], type.kind);
  const apiVersion = textOr(body['apiVersion'], expected);
  if (kind === type.kind && apiVersion === expected) return;
  if (
    reading.patch === undefined &&
    kind === type.kind &&
    formerVersions[apiVersion]?.includes(kind) === true
  )
    throw refuse.badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  const [group = '', said = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  if (reading.patch === undefined && shapeOf(group, said, kind) !== undefined)
    throw refusal(
      served,
      body,
      reading,
      `converting (${said}.${kind}) to (${type.group.split('.')[0] || 'core'}.${type.kind}): unknown conversion`,
    );
  throw refusal(
    served,
    body,
    reading,
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme ${JSON.stringify(scheme)}`,
  );
}

function decodeBuiltIn(
  served: Served,
  body: Fields,
  current: KubeObject | undefined,
  reading: Reading,
): Decoded {
  const { type, version } = served;
  const envelope = { apiVersion: apiVersionOf(type.group, version.version), kind: type.kind };
  checkBuiltInEnvelope(served, body, reading);
  const named = { ...body, ...envelope, metadata: body['metadata'] ?? {} };
  if (version.schema === undefined) return { object: named as unknown as KubeObject, problems: [] };
  const inJson = (reading.duplicates ?? []).filter((text) => !yamlProblem.test(text));
  const { value, problems } = decodeTyped(version.schema, named, {
    types,
    previous: current,
    duplicates: new Set(inJson),
    restored: reading.patch?.type === 'strategic',
  });
  return { object: value as KubeObject, problems };
}

/** 400 for a body of another version, 422 for another kind, like for custom resources. */
function checkCustomEnvelope(served: Served, body: Fields, { patch }: Reading): void {
  const { type, version } = served;
  const { apiVersion, kind } = body;
  const expected = apiVersionOf(type.group, version.version);
  const metadata = isFields(body['metadata']) ? body['metadata'] : {};
  const name = typeof metadata['name'] === 'string' ? metadata['name'] : '';
  if (typeof kind !== 'string' || kind === '')
    throw refuse.badRequest(
      `the object provided is unrecognized (must be of type ${type.kind}): Object 'Kind' is missing in '${JSON.stringify(body)}'`,
    );
  if (apiVersion !== expected) {
    const said = typeof apiVersion === 'string' ? apiVersion : '';
    if (patch === undefined)
      throw refuse.badRequest(
        `the API version in the data (${said}) does not match the expected API version (${expected})`,
      );
    const [group = ''] = said.includes('/') ? said.split('/') : [''];
    throw refuse.invalid({ ...type, group }, name, [
      field.invalid('apiVersion', said, `must be ${expected}`),
    ]);
  }
  if (kind !== type.kind)
    throw refuse.invalid({ ...type, kind }, name, [field.invalid('kind', kind, `must be ${type.kind}`)]);
}

function decodeCustom(
  served: Served,
  body: Fields,
  current: KubeObject | undefined,
  reading: Reading,
): Decoded {
  const { schema } = served.version;
  checkCustomEnvelope(served, body, reading);
  const duplicates = (reading.duplicates ?? [])
    .filter((text) => !yamlProblem.test(text))
    .map((path) => `duplicate field "${path}"`);
  const rawMetadata = body['metadata'] ?? {};
  if (!isFields(rawMetadata))
    throw new DecodeFault(
      `json: cannot unmarshal ${goTypeOf(rawMetadata)} into Go value of type v1.ObjectMeta`,
    );
  const metadata = decodeTyped(metadataShape(), rawMetadata, {
    types,
    previous: current?.metadata,
    at: ['metadata'],
  });
  const named = { ...body, metadata: metadata.value as ObjectMeta } as unknown as KubeObject;
  const unknown: string[] = [];
  const embedded: string[] = [];
  const object =
    schema === undefined
      ? named
      : (prune(schema, named, {
          unknown: (path) => unknown.push(path),
          embedded: (path, value) => decodeEmbeddedMetadata(path, value, embedded),
        }) as KubeObject);
  return {
    object,
    problems: [
      ...duplicates,
      ...metadata.problems.sort(),
      ...unknown.sort().map((path) => `unknown field "${path}"`),
      ...embedded.sort(),
    ],
  };
}

function decodeEmbeddedMetadata(path: string, value: unknown, problems: string[]): unknown {
  try {
    const decoded = decodeTyped(metadataShape(), value ?? {}, { types, at: [path] });
    problems.push(...decoded.problems);
    return decoded.value;
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error;
    throw new DecodeFault(`${path}: Invalid value: ${JSON.stringify(value)}: ${error.message}`);
  }
}

/** The problems that strict validation rejects and lenient validation warns about, those of YAML first. */
function report(served: Served, body: unknown, reading: Reading, problems: readonly string[]): void {
  const { fieldValidation = 'Warn', warn } = reading;
  const inYaml = (reading.duplicates ?? []).filter((text) => yamlProblem.test(text));
  if (fieldValidation === 'Ignore' || inYaml.length + problems.length === 0) return;
  if (fieldValidation === 'Warn') {
    for (const text of [...inYaml, ...problems]) warn?.(text);
    return;
  }
  const yaml =
    inYaml.length === 0 ? [] : [`yaml: unmarshal errors:\n${inYaml.map((text) => `  ${text}`).join('\n')}`];
  throw refusal(served, body, reading, `strict decoding error: ${[...yaml, ...problems].join(', ')}`);
}

/**
 * Decodes an object of the served kind and version: checks types, and drops unknown fields (reported by
 * `fieldValidation`). Shares structure with `current`. ApiError 400, or 422 for a patch result.
 */
export function decodeBody(
  served: Served,
  rawBody: unknown,
  current: KubeObject | undefined,
  reading: Reading,
): KubeObject {
  const adopted: unknown = internValue(rawBody, current) ?? {};
  if (!isFields(adopted)) throw refuse.badRequest('the body of the request is no object');
  const { type } = served;
  // A strategic merge patch cannot change apiVersion and kind.
  const body =
    reading.patch?.type === 'strategic' && current !== undefined
      ? { ...adopted, apiVersion: current.apiVersion, kind: current.kind }
      : adopted;
  try {
    const { object, problems } = type.custom
      ? decodeCustom(served, body, current, reading)
      : decodeBuiltIn(served, body, current, reading);
    report(served, body, reading, problems);
    return object;
  } catch (error) {
    if (error instanceof DecodeFault) throw refusal(served, body, reading, error.message);
    throw error;
  }
}
