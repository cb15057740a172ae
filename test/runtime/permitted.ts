import type { Connection } from '../../runtime/api/connection.ts';
import type { World } from 'kruise-sandbox';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Rule } from '../deploy/roles.ts';
import type { Site } from './process-world.ts';

const group = 'rbac.authorization.k8s.io';
const roles: Resource = {
  group,
  version: 'v1',
  plural: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
};
const bindings: Resource = { ...roles, plural: 'clusterrolebindings', kind: 'ClusterRoleBinding' };

/** Grants a user these rules in the whole cluster, until the returned function is called. */
export function permit(world: World, user: string, rules: readonly Rule[]): () => void {
  const metadata = { name: user };
  const role: KubeObject = { apiVersion: `${group}/v1`, kind: roles.kind, metadata, rules };
  const roleRef = { apiGroup: group, kind: roles.kind, name: user };
  const subjects = [{ apiGroup: group, kind: 'User', name: user }];
  const binding: KubeObject = { apiVersion: `${group}/v1`, kind: bindings.kind, metadata, roleRef, subjects };
  world.server.create('admin', roles, role);
  world.server.create('admin', bindings, binding);
  return () => {
    world.server.delete('admin', bindings, { name: user });
    world.server.delete('admin', roles, { name: user });
  };
}

/** The connection of a site as a user whom its authorizer checks. */
export function accountConnection({ connection }: Site, user: string): Connection {
  return {
    ...connection,
    user,
    headers: async () => ({ ...(await connection.headers()), 'impersonate-user': user }),
  };
}
