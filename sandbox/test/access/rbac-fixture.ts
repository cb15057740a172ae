import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { UserInfo } from '../../access/users.ts';
import { front, token, type Ask, type Front } from '../http/front.ts';

const group = 'rbac.authorization.k8s.io';
export const rbac = `/apis/${group}/v1/namespaces/default`;

export interface Rule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

/** A Role of namespace default, or a ClusterRole. */
export function role(name: string, rules: Rule[], namespaced = true): KubeObject {
  return {
    apiVersion: `${group}/v1`,
    kind: namespaced ? 'Role' : 'ClusterRole',
    metadata: { name, ...(namespaced ? { namespace: 'default' } : {}) },
    rules,
  };
}

/** A binding of a role to users, groups (`group:NAME`) and service accounts (`account:NAMESPACE/NAME`). */
export function binding(name: string, kind: string, roleName: string, subjects: string[], cluster = false) {
  return {
    apiVersion: `${group}/v1`,
    kind: cluster ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name, ...(cluster ? {} : { namespace: 'default' }) },
    roleRef: { apiGroup: group, kind, name: roleName },
    subjects: subjects.map((each) => {
      const [, type, rest = ''] = /^(group|account):(.*)$/.exec(each) ?? [];
      const [namespace, account] = rest.split('/');
      if (type === 'account') return { kind: 'ServiceAccount', namespace, name: account };
      return {
        apiGroup: group,
        kind: type === 'group' ? 'Group' : 'User',
        name: type === undefined ? each : rest,
      };
    }),
  };
}

const plurals: Readonly<Record<string, string>> = {
  Role: 'roles',
  ClusterRole: 'clusterroles',
  RoleBinding: 'rolebindings',
  ClusterRoleBinding: 'clusterrolebindings',
};

export interface RbacFixture extends Front {
  /** The responses for the user of a token; of an error the code and the message. */
  as(
    user: string,
    method: string,
    path: string,
    more?: Ask,
  ): Promise<{ code: number; message: string; json: unknown }>;
}

/** A world in which joe has a few permissions, and the group dev of jane some others. */
export async function rbacFixture(objects: readonly object[]): Promise<RbacFixture> {
  const users: UserInfo[] = [
    { name: 'joe', groups: ['system:authenticated'] },
    { name: 'jane', groups: ['dev', 'system:authenticated'] },
  ];
  const made = await front(
    {},
    {
      tokens: new Map<string, string | UserInfo>([
        [token, 'kubernetes-admin'],
        ...users.map((user) => [`token-of-${user.name}`, user] as const),
      ]),
    },
  );
  for (const object of objects as KubeObject[]) {
    const { namespace } = object.metadata;
    const place = namespace === undefined ? '' : `/namespaces/${namespace}`;
    const path = `/apis/${group}/v1${place}/${plurals[object.kind]}`;
    const { code, text } = await made.ask(path, { method: 'POST', body: object });
    if (code !== 201) throw new Error(text);
  }
  return {
    ...made,
    async as(user, method, path, more = {}) {
      const headers = { authorization: `Bearer token-of-${user}`, ...more.headers };
      const { code, text } = await made.ask(path, { ...more, method, headers });
      const json: unknown = text.startsWith('{') ? JSON.parse(text) : text;
      const message = (json as { message?: string }).message ?? '';
      return { code, message, json };
    },
  };
}
