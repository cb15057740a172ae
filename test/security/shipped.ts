import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import {
  ApiError,
  createVirtualClock,
  createWorld,
  serviceAccount,
  type UserInfo,
  type World,
} from 'kruise-sandbox';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { root } from '../deploy/cluster.ts';
import { COMPONENTS } from '../deploy/roles.ts';

/** The objects that `deploy/` installs, from the files of these folders. */
export function shipped(...folders: readonly string[]): KubeObject[] {
  return folders.flatMap((folder) => {
    const files = readdirSync(join(root, 'deploy', folder)).filter(
      (file) => file.endsWith('.yaml') && file !== 'kustomization.yaml',
    );
    return files.flatMap((file) =>
      parseAllDocuments(readFileSync(join(root, 'deploy', folder, file), 'utf8')).map(
        (document) => document.toJS() as KubeObject,
      ),
    );
  });
}

const addresses: Readonly<Record<string, { group: string; version: string; plural: string }>> = {
  Namespace: resources.Namespace,
  ...Object.fromEntries(
    (['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'] as const).map((kind) => [
      kind,
      { group: 'rbac.authorization.k8s.io', version: 'v1', plural: `${kind.toLowerCase()}s` },
    ]),
  ),
  ValidatingAdmissionPolicy: {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'validatingadmissionpolicies',
  },
  ValidatingAdmissionPolicyBinding: {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'validatingadmissionpolicybindings',
  },
};

/** The folders of the components that add rights of the runtime: all that overlays/full has. */
export const ADDED = ['distributions', ...COMPONENTS].map((name) => `components/${name}`);

export const Job: Resource = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true };

export const RUNTIME = serviceAccount('kruise-system', 'kruise-runtime');

/** A cluster with roles and policies, in which everybody has only their own rights. */
export interface ShippedWorld {
  world: World;
  install(objects: readonly KubeObject[]): void;
  /** Binds a role of the cluster: in a namespace, or everywhere. */
  bind(role: string, user: UserInfo, namespace?: string): void;
  /** Whether a user may do it: `allowed`, or the refusal. Nothing is stored. */
  creates(user: UserInfo, resource: Resource, object: object): string;
  replaces(user: UserInfo, resource: Resource, object: object, subresource?: 'status'): string;
  deletes(user: UserInfo, resource: Resource, at: { namespace?: string; name: string }): string;
}

/** @param objects what is installed: default, the roles and policies as they are shipped */
export function shippedWorld(objects: readonly KubeObject[] = shipped('rbac', 'policy')): ShippedWorld {
  const world = createWorld({
    clock: createVirtualClock(Date.UTC(2026, 0, 1)),
    nodes: 0,
    bootstrapped: true,
    namespaces: ['default', 'shop', 'argocd', 'flux-system', 'kruise-system', 'other'],
  });
  const install = (all: readonly KubeObject[]): void => {
    for (const object of all) {
      const address = addresses[object.kind];
      if (address === undefined) throw new Error(`no address of ${object.kind}`);
      world.server.create('admin', address, object);
    }
  };
  install(objects);
  let bound = 0;

  function outcome(
    user: UserInfo,
    verb: string,
    resource: Resource,
    at: { namespace?: string; name?: string },
    attempt: () => void,
    subresource = '',
  ): string {
    const { namespace = '', name = '' } = at;
    const asked = { verb, group: resource.group, resource: resource.plural, subresource, namespace, name };
    if (!world.server.authorizer.authorize(user, asked).allowed) return 'refused by its roles';
    try {
      attempt();
      return 'allowed';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return `refused: ${error.message.replace(/^.*denied request: /s, '')}`;
    }
  }

  return {
    world,
    install,
    bind(role, user, namespace) {
      const { group } = addresses['Role'] ?? { group: '' };
      const kind = namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding';
      install([
        {
          apiVersion: `${group}/v1`,
          kind,
          metadata: { name: `bound-${++bound}`, ...(namespace !== undefined && { namespace }) },
          roleRef: { apiGroup: group, kind: 'ClusterRole', name: role },
          subjects: [{ apiGroup: group, kind: 'User', name: user.name }],
        },
      ]);
    },
    creates(user, resource, object) {
      const { metadata } = object as KubeObject;
      return outcome(user, 'create', resource, metadata, () =>
        world.server.create(user.name, resource, object, { requester: user, dryRun: true }),
      );
    },
    replaces(user, resource, object, subresource) {
      const { metadata } = object as KubeObject;
      const options = { requester: user, dryRun: true, ...(subresource !== undefined && { subresource }) };
      return outcome(
        user,
        'patch',
        resource,
        metadata,
        () => world.server.replace(user.name, resource, object, options),
        subresource,
      );
    },
    deletes(user, resource, at) {
      return outcome(user, 'delete', resource, at, () =>
        world.server.delete(user.name, resource, at, { requester: user, dryRun: true }),
      );
    },
  };
}
