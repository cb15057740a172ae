import {
  authorized,
  createVirtualClock,
  createWorld,
  type ResourceAttributes,
  type World,
} from 'kruise-sandbox';
import { createProtection, type Protection } from '../../runtime/protect/protection.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { PROTECTION_LABEL } from '../../semantics/protection/label.ts';
import { recordedFact } from '../../semantics/protection/contents.ts';
import { RUNTIME, shipped } from '../security/shipped.ts';

export const Widget: Resource = {
  group: 'example.com',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

const policyAddress = (kind: string): { group: string; version: string; plural: string } => {
  const plural = kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`;
  const group = kind.startsWith('Cluster') ? 'rbac.authorization.k8s.io' : 'admissionregistration.k8s.io';
  return { group, version: 'v1', plural: plural.toLowerCase() };
};

export const COMPONENTS = ['components/deletion-protection', 'components/cascading-protection'];

export const definition = (value: string | undefined): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'widgets.example.com',
    ...(value !== undefined && { labels: { [PROTECTION_LABEL]: value } }),
  },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

export const widget = (name: string): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'shop' },
});

/** The role by which an administrator lets the runtime count widgets. */
export const widgetReader: KubeObject = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'widgets', labels: { 'plan.kruise.io/aggregate-to-protected-objects': 'true' } },
  rules: [{ apiGroups: ['example.com'], resources: ['widgets'], verbs: ['list', 'watch'] }],
};

export interface ProtectionWorld {
  world: World;
  admin: Cluster;
  protection: Protection;
  /** What the runtime has asked for, each once, and what of it was refused. */
  asked: ResourceAttributes[];
  refused: ResourceAttributes[];
  errors: string[];
  install(objects: readonly KubeObject[]): void;
  /** Lets time pass, as watches and writes need it. */
  pass(ms?: number): Promise<void>;
  /** What a deletion would say: `deleted`, or the refusal. */
  deletes(resource: Resource, name: string, namespace?: string): Promise<string>;
  label(resource: Resource, name: string, value: string | null): Promise<void>;
  /** What is recorded on an object. */
  fact(resource: Resource, name: string): Promise<Record<string, string>>;
  stop(): Promise<void>;
}

/**
 * A cluster with the policies of both components, and the part of the runtime that looks what is in protected objects, under the role of
 * the component alone.
 *
 * @param objects what is installed; default: both components
 */
export function createProtectionWorld(
  objects: readonly KubeObject[] = shipped(...COMPONENTS),
): ProtectionWorld {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({
    ...{ clock, nodes: 0, bootstrapped: true, workloads: true },
    namespaces: ['default', 'shop', 'kruise-system'],
  });
  const admin = world.cluster('admin');
  const asked: ResourceAttributes[] = [];
  const refused: ResourceAttributes[] = [];
  const errors: string[] = [];
  const known = new Set<string>();
  const install = (all: readonly KubeObject[]): void => {
    for (const object of all) world.server.create('admin', policyAddress(object.kind), object);
  };
  install(objects);
  const cluster = authorized(world, RUNTIME, (each, isAllowed) => {
    if (!isAllowed) refused.push(each);
    const text = JSON.stringify(each);
    if (!known.has(text)) asked.push(each);
    known.add(text);
  });
  const protection = createProtection({
    cluster,
    clock,
    onError: (plural, error) =>
      void errors.push(`${plural}: ${error instanceof Error ? error.message : String(error)}`),
  });
  return {
    ...{ world, admin, protection, asked, refused, errors, install },
    pass: (ms = 2_000) => clock.advance(ms),
    async deletes(resource, name, namespace) {
      try {
        const at = { name, ...(namespace !== undefined && { namespace }) };
        await admin.delete(resource, at, { dryRun: true });
        return 'deleted';
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return `${error.status.code}: ${error.message.replace(/^.*denied request: /s, '')}`;
      }
    },
    async label(resource, name, value) {
      const body: JsonObject = { metadata: { labels: { [PROTECTION_LABEL]: value } } };
      await admin.patch(resource, { name }, { type: 'merge', body });
    },
    fact: async (resource, name) => recordedFact(await admin.get(resource, { name })),
    async stop() {
      await protection.stop();
      world.stop();
    },
  };
}

export const pod = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop' },
  spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
});

export const claim = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'shop' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: 'by-hand',
  },
});

/** Sets the phase, as a kubelet or the volume controller does. */
export async function setPhase(
  admin: Cluster,
  resource: Resource,
  name: string,
  phase: string,
): Promise<void> {
  const at = { namespace: 'shop', name };
  await admin.patch(resource, at, { type: 'merge', body: { status: { phase } } }, { subresource: 'status' });
}
