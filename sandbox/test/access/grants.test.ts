import { describe, expect, it } from 'vitest';
import { binding, rbacFixture, rbac, role, type RbacFixture } from './rbac-fixture.ts';

const group = 'rbac.authorization.k8s.io';
const authorization = '/apis/authorization.k8s.io/v1';

async function roleWriter(more: object[] = [], verbs: string[] = []): Promise<RbacFixture> {
  return rbacFixture([
    role('writer', [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['patch', 'update'] },
      {
        apiGroups: [group],
        resources: ['roles', 'rolebindings'],
        verbs: ['create', 'update', 'patch', ...verbs],
      },
    ]),
    binding('writer', 'Role', 'writer', ['joe']),
    role('reader', [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] }], false),
    ...more,
  ]);
}

const secrets = [
  { apiGroups: [''], resources: ['secrets'], resourceNames: ['a', 'b'], verbs: ['get', 'list'] },
];
const attempting =
  'user "joe" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:';

describe('nobody can grant permissions that he does not have', () => {
  it('in a role', async () => {
    const { as, ask } = await roleWriter();
    const more = role('more', [
      { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['get', 'patch'] },
    ]);
    const { code, message } = await as('joe', 'POST', `${rbac}/roles`, { body: more });
    expect([code, message]).toEqual([
      403,
      `roles.${group} "more" is forbidden: ${attempting}\n{APIGroups:[""], Resources:["configmaps"], Verbs:["get"]}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "patch"]}`,
    ]);
    expect((await ask(`${rbac}/roles/more`)).code).toBe(404);
  });

  it('in a role that is put where there was none, by name', async () => {
    const { as } = await roleWriter();
    const { message } = await as('joe', 'PUT', `${rbac}/roles/more`, { body: role('more', secrets) });
    expect(message).toBe(
      `roles.${group} "more" is forbidden: ${attempting}\n{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get" "list"]}\n{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get" "list"]}`,
    );
  });

  it('in a patch, which changes nothing then', async () => {
    const { as, ask } = await roleWriter();
    const own = role('own', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] }]);
    expect((await as('joe', 'POST', `${rbac}/roles`, { body: own })).code).toBe(201);
    const headers = { 'content-type': 'application/merge-patch+json' };
    const patched = await as('joe', 'PATCH', `${rbac}/roles/own`, {
      headers,
      body: { rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }] },
    });
    expect(patched.message).toContain(`${attempting}\n{APIGroups:[""], Resources:["secrets"], Verbs:["*"]}`);
    expect((await ask(`${rbac}/roles/own`)).json).toMatchObject({ rules: own['rules'] });
    const labeled = await as('joe', 'PATCH', `${rbac}/roles/own`, {
      headers,
      body: { metadata: { labels: { a: 'b' } } },
    });
    expect(labeled.code).toBe(200);
  });

  it('in a binding, unless he may bind that role', async () => {
    const body = binding('self', 'ClusterRole', 'reader', ['joe']);
    const { as } = await roleWriter([binding('dangling', 'Role', 'nosuch', ['joe'])]);
    const refused = await as('joe', 'POST', `${rbac}/rolebindings`, { body });
    expect([refused.code, refused.message]).toEqual([
      403,
      `rolebindings.${group} "self" is forbidden: ${attempting}\n{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}; resolution errors: [rolebindings.${group} "nosuch" not found]`,
    ]);
    const missing = await as('joe', 'POST', `${rbac}/rolebindings`, {
      body: binding('self', 'ClusterRole', 'nosuch', ['joe']),
    });
    expect([missing.code, missing.message]).toEqual([404, `rolebindings.${group} "nosuch" not found`]);

    const binder = role('binder', [
      { apiGroups: [group], resources: ['clusterroles'], resourceNames: ['reader'], verbs: ['bind'] },
    ]);
    const { as: asBinder } = await roleWriter([binder, binding('binder', 'Role', 'binder', ['joe'])]);
    expect((await asBinder('joe', 'POST', `${rbac}/rolebindings`, { body })).code).toBe(201);
    expect((await asBinder('joe', 'GET', '/apis/apps/v1/namespaces/default/deployments')).code).toBe(200);
  });

  it('unless he may escalate', async () => {
    const { as } = await roleWriter([], ['escalate']);
    expect((await as('joe', 'POST', `${rbac}/roles`, { body: role('more', secrets) })).code).toBe(201);
  });
});

describe('an aggregated role', () => {
  const labeled = (name: string, label: string, resources: string[]) => {
    const made = role(
      name,
      resources.map((each) => ({ apiGroups: [''], resources: [each], verbs: ['get'] })),
      false,
    );
    return { ...made, metadata: { ...made.metadata, labels: { to: label } } };
  };

  it('has the rules of the roles that it selects, and lets its users do what they name', async () => {
    const { as, ask, clock } = await rbacFixture([
      {
        ...role('all', [], false),
        aggregationRule: {
          clusterRoleSelectors: [{ matchLabels: { to: 'y' } }, { matchLabels: { to: 'z' } }],
        },
      },
      labeled('b', 'y', ['pods', 'secrets']),
      labeled('a', 'z', ['services', 'pods']),
      labeled('c', 'x', ['nodes']),
      binding('all', 'ClusterRole', 'all', ['joe']),
    ]);
    const path = `/apis/${group}/v1/clusterroles`;
    const resources = async () => {
      await clock.advance(1_000);
      const { rules } = (await ask(`${path}/all`)).json as { rules: { resources: string[] }[] };
      return rules.flatMap((rule) => rule.resources);
    };
    expect(await resources()).toEqual(['pods', 'secrets', 'services']);
    expect((await as('joe', 'GET', '/api/v1/namespaces/default/services/x')).code).toBe(404);
    expect((await as('joe', 'GET', '/api/v1/namespaces/default/configmaps/x')).code).toBe(403);
    await ask(`${path}/b`, { method: 'DELETE' });
    expect(await resources()).toEqual(['services', 'pods']);
  });
});

describe('reviews of permission', () => {
  const asked = (verb: string) => ({
    spec: { resourceAttributes: { verb, resource: 'configmaps', namespace: 'default' } },
  });
  const byWriter = `RBAC: allowed by RoleBinding "writer/default" of Role "writer" to User "joe"`;

  it.each([
    ['patch', { allowed: true, reason: byWriter }],
    ['get', { allowed: false }],
  ])('of oneself are true: %s', async (verb, status) => {
    const { as } = await roleWriter();
    const { json } = await as('joe', 'POST', `${authorization}/selfsubjectaccessreviews`, {
      body: asked(verb),
    });
    expect((json as { status: object }).status).toEqual(status);
  });

  it.each([
    ['a user', { user: 'joe' }, { allowed: true, reason: byWriter }],
    ['a user who may not', { user: 'eve' }, { allowed: false }],
    [
      'a group',
      { user: 'zed', groups: ['dev'] },
      {
        allowed: true,
        reason: 'RBAC: allowed by RoleBinding "others/default" of Role "writer" to Group "dev"',
      },
    ],
    [
      'a service account',
      { user: 'system:serviceaccount:shop:web' },
      {
        allowed: true,
        reason: 'RBAC: allowed by RoleBinding "others/default" of Role "writer" to ServiceAccount "web/shop"',
      },
    ],
    [
      'a service account of another namespace',
      { user: 'system:serviceaccount:default:web' },
      { allowed: false },
    ],
    ['an administrator', { user: 'zed', groups: ['system:masters'] }, { allowed: true }],
  ])('of others are true: %s', async (_title, subject, status) => {
    const { ask } = await roleWriter([
      binding('others', 'Role', 'writer', ['group:dev', 'account:shop/web']),
    ]);
    const { spec } = asked('patch');
    for (const [path, key] of [
      ['subjectaccessreviews', 'subjectaccessreviews'],
      ['namespaces/default/localsubjectaccessreviews', 'localsubjectaccessreviews'],
    ]) {
      const metadata = key === 'localsubjectaccessreviews' ? { namespace: 'default' } : {};
      const { json } = await ask(`${authorization}/${path}`, {
        method: 'POST',
        body: { metadata, spec: { ...spec, ...subject } },
      });
      expect((json as { status: object }).status).toEqual(status);
    }
  });

  it('of rules name those of a namespace, and deleted roles', async () => {
    const { as } = await roleWriter([binding('dangling', 'Role', 'nosuch', ['joe'])]);
    const { json } = await as('joe', 'POST', `${authorization}/selfsubjectrulesreviews`, {
      body: { spec: { namespace: 'default' } },
    });
    const { status } = json as { status: { resourceRules: unknown[]; evaluationError: string } };
    expect(status.resourceRules).toContainEqual({
      verbs: ['patch', 'update'],
      apiGroups: [''],
      resources: ['configmaps'],
    });
    expect(status.resourceRules).not.toContainEqual({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] });
    expect(status.evaluationError).toBe(`role.${group} "nosuch" not found`);
  });
});

describe('a token of a service account', () => {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  const nodes = '/api/v1/nodes';

  async function withAccount(): Promise<RbacFixture> {
    const made = await rbacFixture([
      role('nodes', [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }], false),
      binding('nodes', 'ClusterRole', 'nodes', ['account:default/robot'], true),
    ]);
    await made.ask(accounts, {
      method: 'POST',
      body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } },
    });
    return made;
  }
  const issue = (made: RbacFixture, spec: object = {}) =>
    made.ask(`${accounts}/robot/token`, { method: 'POST', body: { spec } });
  const tokenIn = (answer: unknown) => (answer as { status: { token: string } }).status.token;
  const code = async (made: RbacFixture, token: string, path = nodes) =>
    (await made.ask(path, { headers: { authorization: `Bearer ${token}` } })).code;

  it('lets its bearer do what the account may', async () => {
    const made = await withAccount();
    const { code: issued, json } = await issue(made);
    expect(issued).toBe(201);
    expect(json).toMatchObject({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: 'robot', namespace: 'default' },
      spec: { audiences: ['https://kubernetes.default.svc'], expirationSeconds: 3600, boundObjectRef: null },
      status: { expirationTimestamp: '2026-01-01T13:00:00Z' },
    });
    const token = tokenIn(json);
    expect(await code(made, token)).toBe(200);
    expect(await code(made, token, '/api/v1/pods')).toBe(403);
    const self = await made.ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      method: 'POST',
      body: {},
      headers: { authorization: `Bearer ${token}` },
    });
    expect((self.json as { status: object }).status).toMatchObject({
      userInfo: {
        username: 'system:serviceaccount:default:robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      },
    });
  });

  it('ends with its time, and with its account', async () => {
    const made = await withAccount();
    const short = tokenIn((await issue(made, { expirationSeconds: 600 })).json);
    const long = tokenIn((await issue(made)).json);
    await made.clock.advance(600_000);
    expect([await code(made, short), await code(made, long)]).toEqual([401, 200]);
    await made.ask(`${accounts}/robot`, { method: 'DELETE' });
    expect(await code(made, long)).toBe(401);
  });

  it('for another audience is not accepted', async () => {
    const made = await withAccount();
    expect(await code(made, tokenIn((await issue(made, { audiences: ['x'] })).json))).toBe(401);
  });

  it('requires an existing service account and at least ten minutes', async () => {
    const made = await withAccount();
    const missing = await made.ask(`${accounts}/nosuch/token`, { method: 'POST', body: {} });
    expect([missing.code, missing.json]).toMatchObject([
      404,
      { message: 'serviceaccounts "nosuch" not found' },
    ]);
    const tooShort = await issue(made, { expirationSeconds: 5 });
    expect([tooShort.code, tooShort.json]).toMatchObject([
      422,
      {
        message:
          'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
      },
    ]);
    expect((await made.ask(`${accounts}/robot/token`)).code).toBe(405);
  });
});
