import { describe, expect, it } from 'vitest';
import { json } from '../http/front.ts';
import { readRows } from '../rows.ts';
import { binding, rbacFixture, role, type RbacFixture } from './rbac-fixture.ts';

const core = '/api/v1/namespaces/default';
const inDefault = 'in the namespace "default"';

async function usual(): Promise<RbacFixture> {
  return rbacFixture([
    role('some', [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['patch', 'update', 'get'] },
      { apiGroups: [''], resources: ['pods'], resourceNames: ['a'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['apps'], resources: ['*/scale'], verbs: ['get'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] },
    ]),
    binding('some', 'Role', 'some', ['joe', 'group:dev']),
    role(
      'nodes',
      [
        { apiGroups: ['*'], resources: ['nodes'], verbs: ['list'] },
        { nonResourceURLs: ['/metrics/*'], verbs: ['get'] },
      ],
      false,
    ),
    binding('nodes', 'ClusterRole', 'nodes', ['joe'], true),
  ]);
}

describe('a request', () => {
  it.each(readRows<[string, string, string]>('forbidden-requests'))(
    'that nobody allowed is 403: %s %s',
    async (method, path, message) => {
      const { as } = await usual();
      expect(await as('joe', method, path, { headers: json })).toMatchObject({ code: 403, message });
    },
  );

  it.each([
    ['its rule', 'joe', 'GET', `${core}/configmaps/x`, 404],
    ['a group of his', 'jane', 'GET', `${core}/configmaps/x`, 404],
    ['a rule for one name', 'joe', 'GET', `${core}/pods/a`, 404],
    ['a list of that name alone', 'joe', 'GET', `${core}/pods?fieldSelector=metadata.name%3Da`, 200],
    [
      'a rule for a subresource of all',
      'joe',
      'GET',
      '/apis/apps/v1/namespaces/default/deployments/a/scale',
      404,
    ],
    ['a rule for all verbs', 'joe', 'DELETE', '/apis/coordination.k8s.io/v1/namespaces/default/leases', 200],
    ['a binding for the cluster', 'joe', 'GET', '/api/v1/nodes', 200],
    ['a rule for paths', 'joe', 'GET', '/metrics/x', 404],
    ['what everybody may', 'jane', 'GET', '/apis', 200],
    ['what everybody may see of health', 'jane', 'GET', '/healthz', 200],
  ])('is allowed by %s', async (_title, user, method, path, code) => {
    const { as } = await usual();
    expect(await as(user, method, path)).toMatchObject({ code });
  });

  it('is not allowed by a deleted role, and the error names it', async () => {
    const { as } = await rbacFixture([binding('dangling', 'Role', 'nosuch', ['joe'])]);
    const { code, message } = await as('joe', 'GET', `${core}/configmaps/x`);
    expect([code, message]).toEqual([
      403,
      `configmaps "x" is forbidden: User "joe" cannot get resource "configmaps" in API group "" ${inDefault}: RBAC: role.rbac.authorization.k8s.io "nosuch" not found`,
    ]);
  });

  it('stops being allowed when its binding is deleted', async () => {
    const { as, ask } = await usual();
    expect((await as('joe', 'GET', '/api/v1/nodes')).code).toBe(200);
    await ask('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/nodes', { method: 'DELETE' });
    expect((await as('joe', 'GET', '/api/v1/nodes')).code).toBe(403);
  });

  it('that creates an object by patch or put needs the permission to create', async () => {
    const { as } = await usual();
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: nn }\n';
    const applied = await as('joe', 'PATCH', `${core}/configmaps/nn?fieldManager=x`, { headers, body });
    expect([applied.code, applied.message]).toEqual([
      403,
      `configmaps "nn" is forbidden: User "joe" cannot create resource "configmaps" in API group "" ${inDefault}`,
    ]);
    const put = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'nn' } };
    expect((await as('joe', 'PUT', `${core}/configmaps/nn`, { body: put })).code).toBe(404);
  });

  it('that was refused is in the log', async () => {
    const { as, world } = await usual();
    await as('joe', 'PATCH', `${core}/pods/x/status`, { headers: json });
    expect(world.log.at(-1)).toMatchObject({
      user: 'joe',
      verb: 'patch',
      resource: 'pods',
      subresource: 'status',
      namespace: 'default',
      name: 'x',
      code: 403,
    });
  });
});

describe('another user', () => {
  const self = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const whoami = { method: 'POST', body: {} };

  it.each([
    ['a user', { 'impersonate-user': 'eve' }, { username: 'eve', groups: ['system:authenticated'] }],
    [
      'a service account',
      { 'impersonate-user': 'system:serviceaccount:shop:web' },
      {
        username: 'system:serviceaccount:shop:web',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
      },
    ],
    [
      'a user with a group, a uid and more',
      {
        'impersonate-user': 'eve',
        'impersonate-group': 'dev',
        'impersonate-uid': 'u1',
        'impersonate-extra-scopes': 'a',
      },
      { username: 'eve', uid: 'u1', groups: ['dev', 'system:authenticated'], extra: { scopes: ['a'] } },
    ],
  ])('is who an administrator says he is: %s', async (_title, headers, userInfo) => {
    const { ask } = await usual();
    const { json: answer } = await ask(self, { ...whoami, headers });
    expect((answer as { status: object }).status).toEqual({ userInfo });
  });

  it('may do what he may, and no more', async () => {
    const { ask } = await usual();
    const as = { 'impersonate-user': 'joe' };
    expect((await ask('/api/v1/nodes', { headers: as })).code).toBe(200);
    const refused = await ask('/api/v1/secrets', { headers: as });
    expect([refused.code, refused.json]).toMatchObject([
      403,
      {
        message:
          'secrets is forbidden: User "joe" cannot list resource "secrets" in API group "" at the cluster scope',
      },
    ]);
  });

  it('needs permission, and groups need a user', async () => {
    const { ask, as } = await usual();
    const user = await as('joe', 'GET', '/api/v1/nodes', { headers: { 'impersonate-user': 'eve' } });
    expect([user.code, user.message]).toEqual([
      403,
      'users "eve" is forbidden: User "joe" cannot impersonate resource "users" in API group "" at the cluster scope',
    ]);
    const account = await as('joe', 'GET', '/api/v1/nodes', {
      headers: { 'impersonate-user': 'system:serviceaccount:a:b' },
    });
    expect(account.message).toBe(
      'serviceaccounts "b" is forbidden: User "joe" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "a"',
    );
    const { code, json: answer } = await ask('/api/v1/pods', {
      headers: { 'impersonate-group': 'system:masters' },
    });
    expect([code, answer]).toMatchObject([
      400,
      { message: 'requested [{Group  system:masters    }] without impersonating a user' },
    ]);
  });

  it('with a role for it', async () => {
    const { as } = await rbacFixture([
      role(
        'deputy',
        [{ apiGroups: [''], resources: ['users'], resourceNames: ['eve'], verbs: ['impersonate'] }],
        false,
      ),
      binding('deputy', 'ClusterRole', 'deputy', ['joe'], true),
    ]);
    const me = (name: string) => as('joe', 'POST', self, { body: {}, headers: { 'impersonate-user': name } });
    expect((await me('eve')).code).toBe(201);
    expect((await me('mallory')).code).toBe(403);
    for (const [header, value, refused] of [
      ['impersonate-group', 'system:masters', 'groups "system:masters"'],
      ['impersonate-uid', '7', 'uids.authentication.k8s.io "7"'],
      ['impersonate-extra-scopes', 'all', 'userextras.authentication.k8s.io "all"'],
    ] as const) {
      const headers = { 'impersonate-user': 'eve', [header]: value };
      const { code, message } = await as('joe', 'POST', self, { body: {}, headers });
      expect([code, message]).toEqual([403, expect.stringContaining(`${refused} is forbidden`)]);
    }
  });
});

it.each([
  [['create'], 'cannot get resource "pods/exec"'],
  [['get'], 'cannot create resource "pods/exec"'],
  [['get', 'create'], undefined],
])('a connection to a container by a GET needs both verbs: with %s', async (verbs, lacking) => {
  const { as } = await rbacFixture([
    role('runs', [{ apiGroups: [''], resources: ['pods/exec'], verbs }]),
    binding('runs', 'Role', 'runs', ['joe']),
  ]);
  const answer = await as('joe', 'GET', `${core}/pods/p/exec?command=ls`);
  if (lacking === undefined) expect(answer).toMatchObject({ code: 404 });
  else expect(answer).toMatchObject({ code: 403, message: expect.stringContaining(lacking) as string });
});
