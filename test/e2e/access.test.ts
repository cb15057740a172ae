import { expect } from 'vitest';
import { suite } from './suite.ts';

suite('access', (test) => {
  test('a role grants its rules and nothing else', async (k) => {
    await k.run('create role reader --verb=get,list --resource=configmaps');
    await k.run('create rolebinding reader --role=reader --user=joe --group=dev --serviceaccount=shop:robot');
    await k.run('create configmap a --from-literal=x=1');
    expect(await k.run('get configmap a -o name --as joe')).toMatchInlineSnapshot(`configmap/a`);
    expect(await k.run('get configmap a -o name --as zed --as-group dev')).toMatchInlineSnapshot(
      `configmap/a`,
    );
    expect(
      await k.run('get configmap a -o name --as system:serviceaccount:shop:robot'),
    ).toMatchInlineSnapshot(`configmap/a`);
    expect(await k.run('get configmap a --as zed')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): configmaps "a" is forbidden: User "zed" cannot get resource "configmaps" in API group "" in the namespace "NAMESPACE"
      [exit 1]
    `);
    expect(await k.run('get pods --as joe')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): pods is forbidden: User "joe" cannot list resource "pods" in API group "" in the namespace "NAMESPACE"
      [exit 1]
    `);
    expect(await k.run('get pods -A --as joe')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): pods is forbidden: User "joe" cannot list resource "pods" in API group "" at the cluster scope
      [exit 1]
    `);
    expect(await k.run('label configmap a x=y --as joe')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): configmaps "a" is forbidden: User "joe" cannot patch resource "configmaps" in API group "" in the namespace "NAMESPACE"
      [exit 1]
    `);
    expect(await k.run('delete configmap a --as joe')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): configmaps "a" is forbidden: User "joe" cannot delete resource "configmaps" in API group "" in the namespace "NAMESPACE"
      [exit 1]
    `);
    expect(await k.run('create configmap b --as joe')).toMatchInlineSnapshot(`
      [stderr]
      error: failed to create configmap: configmaps is forbidden: User "joe" cannot create resource "configmaps" in API group "" in the namespace "NAMESPACE"
      [exit 1]
    `);
    expect(await k.run('get nodes/x --as joe')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): nodes "x" is forbidden: User "joe" cannot get resource "nodes" in API group "" at the cluster scope
      [exit 1]
    `);
    expect(await k.run('get --raw /metrics --as joe')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): forbidden: User "joe" cannot get path "/metrics"
      [exit 1]
    `);
  });

  test('auth can-i agrees with what the server allows', async (k) => {
    await k.run('create role some --verb=patch --resource=pods,pods/status --resource-name=a');
    await k.run('create rolebinding some --role=some --user=joe');
    expect(await k.run('auth can-i patch pods/a --as joe')).toMatchInlineSnapshot(`yes`);
    expect(await k.run('auth can-i patch pods --as joe')).toMatchInlineSnapshot(`
      no
      [exit 1]
    `);
    expect(await k.run('auth can-i patch pods/a --subresource=status --as joe')).toMatchInlineSnapshot(`yes`);
    expect(await k.run('auth can-i list pods --as joe')).toMatchInlineSnapshot(`
      no
      [exit 1]
    `);
    expect(await k.run('auth can-i list pods')).toMatchInlineSnapshot(`yes`);
    expect(await k.run('auth can-i get /healthz --as joe')).toMatchInlineSnapshot(`yes`);
    expect(await k.run('auth whoami --as joe --as-group dev --as-uid 7')).toMatchInlineSnapshot(`
      ATTRIBUTE   VALUE
      Username   joe
      UID   7
      Groups   [dev system:authenticated]
    `);
  });

  test('an apply of a new object requires the right to create', async (k) => {
    await k.run('create role patcher --verb=get,patch --resource=configmaps');
    await k.run('create rolebinding patcher --role=patcher --user=joe');
    const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: m }\ndata: { x: "1" }\n';
    expect(await k.run('apply --server-side -f - --as joe', map)).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): configmaps "m" is forbidden: User "joe" cannot create resource "configmaps" in API group "" in the namespace "NAMESPACE"
      [exit 1]
    `);
    await k.run('apply --server-side -f -', map);
    expect(
      await k.run('apply --server-side --force-conflicts -f - --as joe', map.replace('1"', '2"')),
    ).toMatchInlineSnapshot(`configmap/m serverside-applied`);
  });

  test('a user cannot grant rights of which they have none', async (k) => {
    await k.run('create role writer --verb=create,get --resource=roles,rolebindings');
    await k.run('create rolebinding writer --role=writer --user=joe');
    expect(await k.run('create role more --verb=get --resource=secrets --as joe')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): roles.rbac.authorization.k8s.io "more" is forbidden: user "joe" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:
      {APIGroups:[""], Resources:["secrets"], Verbs:["get"]}
      [exit 1]
    `);
    expect(await k.run('create rolebinding more --clusterrole=cluster-admin --user=joe --as joe'))
      .toMatchInlineSnapshot(`
      [stderr]
      error: failed to create rolebinding: rolebindings.rbac.authorization.k8s.io "more" is forbidden: user "joe" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:
      {APIGroups:["*"], Resources:["*"], Verbs:["*"]}
      {NonResourceURLs:["*"], Verbs:["*"]}
      [exit 1]
    `);
    expect(await k.run('create role same --verb=get --resource=roles --as joe')).toMatchInlineSnapshot(
      `role.rbac.authorization.k8s.io/same created`,
    );
    expect(await k.run('create rolebinding same --role=same --user=jane --as joe')).toMatchInlineSnapshot(
      `rolebinding.rbac.authorization.k8s.io/same created`,
    );
  });

  test('impersonation requires the right to it', async (k) => {
    expect(await k.run('get pods --as joe --as-group system:masters')).toMatchInlineSnapshot(`
      [stderr]
      No resources found in NAMESPACE namespace.
    `);
    expect(await k.run('create token nobody')).toMatchInlineSnapshot(`
      [stderr]
      error: failed to create token: serviceaccounts "nobody" not found
      [exit 1]
    `);
    await k.run('create serviceaccount robot');
    const token = (await k.raw('create token robot')).out.trim();
    // Over plain HTTP kubectl sends no token but that of the address.
    const server = new URL(k.server.url);
    const secure = server.protocol === 'https:';
    const by = secure ? `--token ${token}` : `--server ${server.protocol}//robot:${token}@${server.host}`;
    const as = (line: string) => k.raw(`${line} ${by}`);
    expect(token.length).toBeGreaterThan(20);
    expect(await k.run('create token robot --duration 5s')).toMatchInlineSnapshot(`
      [stderr]
      error: failed to create token: TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes
      [exit 1]
    `);
    await k.run('create role pods --verb=list --resource=pods');
    await k.run(`create rolebinding pods --role=pods --serviceaccount=${k.namespace}:robot`);
    expect(k.text(await as('get pods'))).toMatchInlineSnapshot(`
      [stderr]
      No resources found in NAMESPACE namespace.
    `);
    expect(k.text(await as('get secrets'))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): secrets is forbidden: User "system:serviceaccount:NAMESPACE:robot" cannot list resource "secrets" in API group "" in the namespace "NAMESPACE"
      [exit 1]
    `);
    expect(k.text(await as('get pods --as joe'))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): users "joe" is forbidden: User "system:serviceaccount:NAMESPACE:robot" cannot impersonate resource "users" in API group "" at the cluster scope
      [exit 1]
    `);
  });
});
