import { ApiError, type Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { ApiServer, ServedVersion } from 'kruise-sandbox';
import { positionOf } from '../../compiler/diagnostics/position.ts';
import { isObject } from '../../compiler/load/identity.ts';
import { createLocator } from '../../compiler/load/locate.ts';
import type { Origin } from '../../compiler/load/locate.ts';
import { byText } from '../../compiler/text/order.ts';
import { suggest } from '../../compiler/text/suggest.ts';
import { faultsOf, type Fault } from './load-refusal.ts';
import type { Loadable } from './files.ts';

/** A reason why an object could not be applied. */
export interface LoadProblem {
  /** `web.yaml:12:3` */
  location: string;
  /** `Pod shop/web` */
  subject: string;
  message: string;
}

/** Kinds that are applied first, because others need them. */
const FIRST = ['CustomResourceDefinition', 'Namespace'];

function rank({ value }: Loadable): number {
  const kind = isObject(value) ? value['kind'] : undefined;
  const index = typeof kind === 'string' ? FIRST.indexOf(kind) : -1;
  return index < 0 ? FIRST.length : index;
}

const MANAGER = 'kruise-sandbox';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Applies objects like `kubectl apply`: definitions and namespaces first, the others in their order. Updates objects that
 * exist. Reports everything that the server refuses.
 */
export function applyLoadables(
  server: ApiServer,
  user: string,
  objects: readonly Loadable[],
): { applied: number; problems: LoadProblem[] } {
  const problems: LoadProblem[] = [];
  const locate = createLocator();
  const locationOf = (at: Origin, path: readonly string[] = ['metadata', 'name'], isName = false): string => {
    const { line, column } = positionOf(locate(at, path, isName ? 'key' : 'value'));
    return `${at.source.file}:${line}:${column}`;
  };
  const declared = new Map<string, Origin>();
  const ordered = objects.toSorted((a, b) => rank(a) - rank(b));
  let applied = 0;
  for (const { value, at } of ordered) {
    const identity = identityOf(value);
    const first = identity === undefined ? undefined : declared.get(identity);
    if (identity !== undefined) declared.set(identity, first ?? at);
    const faults =
      first === undefined
        ? applyOne(server, user, value)
        : [fault(`it is declared twice, first at ${locationOf(first)}`)];
    if (faults.length === 0) applied += 1;
    const subject = subjectOf(value);
    for (const { path, isName, message } of faults)
      problems.push({
        location: locationOf(at, path.length === 0 ? undefined : path, isName),
        subject,
        message,
      });
  }
  return { applied, problems };
}

function fault(message: string, ...path: string[]): Fault {
  return { path, message };
}

/** Applies one object; returns what prevents it, or nothing if it was applied. */
function applyOne(server: ApiServer, user: string, value: JsonObject[string]): Fault[] {
  const form = 'a Kubernetes object has apiVersion, kind and metadata.name';
  if (!isObject(value)) return [fault(`it is ${Array.isArray(value) ? 'a list' : 'text'}; ${form}`)];
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    const missing = [['apiVersion', apiVersion] as const, ['kind', kind] as const].filter(
      ([, text]) => typeof text !== 'string',
    );
    return [fault(`it has no ${missing.map(([name]) => name).join(' and no ')}; ${form}`)];
  }
  if (apiVersion.startsWith('kustomize.config.k8s.io/'))
    return [fault('it is a kustomization, not an object; load the output of kubectl kustomize FOLDER')];
  const resource = resourceOf(server, apiVersion, kind);
  if (typeof resource === 'string') return [fault(resource, 'kind')];
  const meta = isObject(metadata) ? metadata : {};
  const name = meta['name'];
  if (typeof name === 'number' || typeof name === 'boolean')
    return [
      fault(`metadata.name must be text, found ${name}; write it in quotes: "${name}"`, 'metadata', 'name'),
    ];
  if (typeof name !== 'string' || name === '') {
    const isGenerated = typeof meta['generateName'] === 'string';
    return [
      fault(isGenerated ? 'it has a generateName only; give it a metadata.name' : 'it has no metadata.name'),
    ];
  }
  const namespace = typeof meta['namespace'] === 'string' ? meta['namespace'] : 'default';
  const at: { name: string; namespace?: string } = resource.namespaced ? { name, namespace } : { name };
  const body = withLastApplied({ ...value, metadata: { ...ofItsOwn(meta), ...(at as JsonObject) } });
  try {
    server.patch(
      user,
      resource,
      at,
      { type: 'apply', body, force: true },
      { fieldManager: MANAGER, fieldValidation: 'Strict' },
    );
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status.code === 404 && error.message.startsWith('namespaces "'))
      return [
        fault(
          `there is no namespace ${namespace}; load a Namespace of that name, too`,
          'metadata',
          'namespace',
        ),
      ];
    return faultsOf(error, value, resource.served);
  }
}

const FROM_A_SERVER = new Set([
  'creationTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
]);

/** Removes the metadata set by a server, so that the output of `kubectl get -o yaml` can be loaded. */
function ofItsOwn(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !FROM_A_SERVER.has(name)));
}

function resourceOf(
  server: ApiServer,
  apiVersion: string,
  kind: string,
): (Resource & { served: ServedVersion }) | string {
  const [group, version] = apiVersion.includes('/')
    ? [apiVersion.slice(0, apiVersion.indexOf('/')), apiVersion.slice(apiVersion.indexOf('/') + 1)]
    : ['', apiVersion];
  const types = server.registry.types();
  const type = types.find((each) => each.group === group && each.kind === kind);
  const served = type?.versions.get(version);
  if (type !== undefined && served !== undefined)
    return { group, version, plural: type.plural, kind, namespaced: type.namespaced, served };
  if (type !== undefined) {
    const versions = [...type.versions.keys()].map((each) => (group === '' ? each : `${group}/${each}`));
    return `there is no ${kind} in ${apiVersion}; use ${versions.join(' or ')}`;
  }
  const elsewhere = types.find((each) => each.kind === kind);
  if (elsewhere !== undefined) {
    const right = [elsewhere.group, elsewhere.storageVersion].filter((part) => part !== '').join('/');
    return `there is no ${kind} in ${apiVersion}; did you mean ${right}?`;
  }
  const suggestion = suggest(
    kind,
    types.filter((each) => each.group === group).map((each) => each.kind),
  );
  const hint =
    suggestion === undefined ? 'load its CustomResourceDefinition, too' : `did you mean ${suggestion}?`;
  return `there is no kind ${kind} in ${apiVersion}; ${hint}`;
}

/** Adds the annotation of `kubectl apply`, so that a later apply knows which fields it may remove. */
function withLastApplied(object: JsonObject & { metadata: JsonObject }): JsonObject {
  const { metadata } = object;
  const { [LAST_APPLIED]: _, ...annotations } = isObject(metadata['annotations'])
    ? metadata['annotations']
    : {};
  const plain = { ...object, metadata: { ...metadata, annotations } };
  const text = `${JSON.stringify(sorted(plain))}\n`;
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, [LAST_APPLIED]: text } } };
}

function sorted(value: JsonObject[string]): JsonObject[string] {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort(byText)
      .map((key) => [key, sorted(value[key] ?? null)]),
  );
}

/** Objects with the same identity are the same one, in whatever version they are declared. */
function identityOf(value: JsonObject[string]): string | undefined {
  if (!isObject(value)) return undefined;
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  if (metadata['name'] === undefined) return undefined;
  const group = typeof value['apiVersion'] === 'string' ? value['apiVersion'].split('/').slice(0, -1) : [];
  return JSON.stringify([group, value['kind'], metadata['namespace'] ?? 'default', metadata['name']]);
}

function subjectOf(value: JsonObject[string]): string {
  if (!isObject(value)) return 'document';
  const kind = typeof value['kind'] === 'string' ? value['kind'] : 'document';
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  const parts = [metadata['namespace'], metadata['name']].filter((part) => typeof part === 'string');
  return parts.length === 0 ? kind : `${kind} ${parts.join('/')}`;
}
