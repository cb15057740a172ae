import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createVirtualClock, type VirtualClock } from '../clock/virtual.ts';
import type { Pod } from '../../schemas/pods/pod.ts';
import { createWorld, type World, type WorldOptions } from '../world.ts';

export const noon = Date.UTC(2026, 0, 1, 12, 0, 0);

/** A world on a virtual clock, with the client of a user called alice. */
export interface Stage {
  clock: VirtualClock;
  world: World;
  alice: Cluster;
}

export function stage(options: Partial<WorldOptions> = {}): Stage {
  const clock = createVirtualClock(noon);
  const world = createWorld({ clock, crds: [widgetDefinition], ...options });
  return { clock, world, alice: world.cluster('alice') };
}

export function pod(name: string, image = 'web:1', spec: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'main', image }], ...spec },
  };
}

export async function readPod(cluster: Cluster, name: string): Promise<Pod> {
  return (await cluster.get(resources.Pod, { namespace: 'default', name })) as Pod;
}

export function configMap(name: string, metadata: Record<string, unknown> = {}, data = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', ...metadata },
    data,
  };
}

export const configMaps = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

/** The error of a rejected call; fails if the call succeeds. */
export async function refusal(call: Promise<unknown>): Promise<ApiError['status']> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
  throw new Error('the call was not refused');
}

/** The error of a direct server call; fails if it succeeds. */
export function refusalOf(call: () => unknown): ApiError['status'] {
  try {
    call();
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
  throw new Error('the call was not refused');
}

export const definitions = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

const widgetSchema = {
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 0, maximum: 10, format: 'int32' },
        color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
        code: { type: 'string', pattern: '^[a-z]+$', maxLength: 3 },
        share: {
          'x-kubernetes-int-or-string': true,
          anyOf: [{ type: 'integer' }, { type: 'string' }],
          default: '20%',
        },
        replicas: { type: 'integer', default: 1 },
        parts: {
          type: 'array',
          maxItems: 2,
          items: {
            type: 'object',
            properties: { id: { type: 'string' }, on: { type: 'boolean', default: true } },
          },
        },
        names: { type: 'object', additionalProperties: { type: 'string' } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        options: { type: 'object', properties: { deep: { type: 'integer', default: 7 } } },
      },
    },
    status: {
      type: 'object',
      properties: { replicas: { type: 'integer' }, selector: { type: 'string' }, note: { type: 'string' } },
    },
  },
};

/** A custom kind in two served versions, with both subresources. */
export const widgetDefinition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.test.example' },
  spec: {
    group: 'test.example',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: ['v1', 'v1beta1'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: widgetSchema },
      subresources: {
        status: {},
        scale: {
          specReplicasPath: '.spec.replicas',
          statusReplicasPath: '.status.replicas',
          labelSelectorPath: '.status.selector',
        },
      },
    })),
  },
};

export const widgets = {
  group: 'test.example',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

export function widget(name: string, spec: Record<string, unknown> = { size: 1 }): KubeObject {
  return { apiVersion: 'test.example/v1', kind: 'Widget', metadata: { name, namespace: 'default' }, spec };
}

/** The status of a pod's first container. */
export function main(object: Pod) {
  const [status] = object.status?.containerStatuses ?? [];
  if (status === undefined) throw new Error('the pod has no container status');
  return status;
}

export function setImage({ alice }: Stage, name: string, image: string, container = 'main') {
  return alice.patch(
    resources.Pod,
    { namespace: 'default', name },
    {
      type: 'strategic',
      body: { spec: { containers: [{ name: container, image }] } },
    },
  );
}
