import { noon, stage } from './world.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { WriteOptions } from '../../schemas/wire/cluster.ts';
import type { VirtualClock } from '../clock/virtual.ts';

const text = { type: 'string' };

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        text: { ...text, default: 'none' },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        atoms: { type: 'array', items: text },
        named: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', required: ['name'], properties: { name: text, value: text } },
        },
        labels: { type: 'object', additionalProperties: text },
        whole: {
          type: 'object',
          'x-kubernetes-map-type': 'atomic',
          properties: { a: text, b: text },
        },
        deep: { type: 'object', properties: { a: text, b: text } },
      },
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' }, note: text } },
  },
};

/** A custom kind with lists and maps of every sort, in two versions, with both subresources. */
export const gadgetDefinition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.test.example' },
  spec: {
    group: 'test.example',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: schema },
      subresources: {
        status: {},
        scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
      },
    })),
  },
};

const kinds = {
  Gadget: { group: 'test.example', version: 'v1', plural: 'gadgets' },
  ConfigMap: { group: '', version: 'v1', plural: 'configmaps' },
  Deployment: { group: 'apps', version: 'v1', plural: 'deployments' },
  Pod: { group: '', version: 'v1', plural: 'pods' },
} as const;

export type Kind = keyof typeof kinds;

/** The field owners of an object: `MANAGER OPERATION [SUBRESOURCE]` with their fields. */
export type Owners = Record<string, unknown>;

export interface Bench {
  clock: VirtualClock;
  create(manager: string, fields?: JsonObject): KubeObject;
  put(manager: string, fields: JsonObject, options?: Options): KubeObject;
  merge(manager: string, body: JsonObject, options?: Options): KubeObject;
  apply(manager: string, fields: JsonObject, options?: Options & { force?: boolean }): KubeObject;
  get(subresource?: 'scale'): KubeObject;
  revision(): string | undefined;
}

type Options = Pick<WriteOptions, 'subresource' | 'dryRun'> & { version?: string };

/** An object named `a` of a kind, and the ways to write it. */
export function bench(kind: Kind = 'Gadget'): Bench {
  const { clock, world } = stage({ crds: [gadgetDefinition], nodes: 0 });
  const { server } = world;
  const at = { namespace: 'default', name: 'a' };
  const resourceOf = ({ version }: Options) => ({ ...kinds[kind], version: version ?? kinds[kind].version });
  const bodyOf = (fields: JsonObject, options: Options): KubeObject => {
    const { group, version } = resourceOf(options);
    const isScale = options.subresource === 'scale';
    const { metadata, ...rest } = fields as { metadata?: object };
    return {
      apiVersion: isScale ? 'autoscaling/v1' : group === '' ? version : `${group}/${version}`,
      kind: isScale ? 'Scale' : kind,
      metadata: { name: 'a', namespace: 'default', ...metadata },
      ...rest,
    };
  };
  const written = (manager: string, { version: _version, ...options }: Options) => ({
    ...options,
    fieldManager: manager,
  });
  return {
    clock,
    create: (manager, fields = {}) =>
      server.create('alice', resourceOf({}), bodyOf(fields, {}), { fieldManager: manager }),
    put(manager, fields, options = {}) {
      const { metadata, ...rest } = bodyOf(fields, options);
      const { resourceVersion } = server.get('alice', resourceOf({}), at).metadata;
      const body = { ...rest, metadata: { ...metadata, resourceVersion } };
      return server.replace('alice', resourceOf(options), body, written(manager, options));
    },
    merge: (manager, body, options = {}) =>
      server.patch('alice', resourceOf(options), at, { type: 'merge', body }, written(manager, options)),
    apply: (manager, fields, { force = false, ...options } = {}) =>
      server.patch(
        'alice',
        resourceOf(options),
        at,
        { type: 'apply', body: bodyOf(fields, options) as unknown as JsonObject, force },
        written(manager, options),
      ),
    get: (subresource) => server.get('alice', resourceOf({}), at, subresource),
    revision: () => server.get('alice', resourceOf({}), at).metadata.resourceVersion,
  };
}

/** The owners of an object in order. */
export function ownersOf(object: KubeObject): Owners {
  const entries = object.metadata.managedFields ?? [];
  return Object.fromEntries(
    entries.map(({ manager, operation, subresource, fieldsV1 }) => [
      [manager, operation, subresource].filter((part) => part !== undefined).join(' '),
      fieldsV1,
    ]),
  );
}

/** The owned fields of a spec. */
export const spec = (fields: object) => ({ 'f:spec': fields });

export { noon };
