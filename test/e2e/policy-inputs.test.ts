import { expect } from 'vitest';
import { bound, configMapRule, untilDenied, type Bound } from './bound-policies.ts';
import { suite } from './suite.ts';

const map = (name: string, data: object, more: object = {}) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more }, data });

suite('policy-inputs', (test) => {
  test(
    'parameters come by name and by label',
    async (k) => {
      const validations = [
        {
          expression: 'params == null || object == null || !(object.metadata.name in params.data)',
          messageExpression: "params.metadata.name + ' forbids it'",
        },
      ];
      const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
      const matchResources = {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': k.namespace } },
      };
      const withParam = (paramRef: object): Bound => ({
        spec: { paramKind, validations },
        binding: { matchResources, paramRef },
      });
      await k.run('create -f -', map('rules', { one: '' }));
      await k.run('create -f -', map('rules-2', { two: '' }, { labels: { rules: 'yes' } }));
      const policies: Record<string, Bound> = {
        named: withParam({ name: 'rules', parameterNotFoundAction: 'Deny' }),
        labelled: withParam({
          selector: { matchLabels: { rules: 'yes' } },
          parameterNotFoundAction: 'Allow',
        }),
        absent: withParam({ name: 'absent', parameterNotFoundAction: 'Allow' }),
        none: { spec: { paramKind, validations }, binding: { matchResources } },
      };
      await bound(k, policies, async () => {
        await untilDenied(k, 'one', 'rules forbids');
        await untilDenied(k, 'two', 'rules-2 forbids');
        const answers: string[] = [];
        for (const name of ['one', 'two', 'three']) answers.push(await k.run(`create configmap ${name}`));
        expect(answers.join('\n')).toMatchInlineSnapshot(`
        [stderr]
        error: failed to create configmap: configmaps "one" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.named' with binding 'NAMESPACE.named' denied request: rules forbids it
        [exit 1]
        [stderr]
        error: failed to create configmap: configmaps "two" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.labelled' with binding 'NAMESPACE.labelled' denied request: rules-2 forbids it
        [exit 1]
        configmap/three created
      `);
      });
      const missing = withParam({ name: 'absent', parameterNotFoundAction: 'Deny' });
      await bound(k, { missing }, async () => {
        await untilDenied(k, 'four', 'no params');
        expect(await k.run('create configmap four')).toMatchInlineSnapshot(`
        [stderr]
        error: failed to create configmap: configmaps "four" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.missing' with binding 'NAMESPACE.missing' denied request: failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction
        [exit 1]
      `);
      });
    },
    {
      // A server on which the last policy with parameters of a kind was deleted does not find those of the next: played once.
      fromMinor: 35,
    },
  );

  test('expressions see the request, its namespace and its rights', async (k) => {
    const shown = (expression: string) => ({ expression: 'false', messageExpression: expression });
    const policies: Record<string, Bound> = {
      request: {
        rules: [
          {
            apiGroups: ['', 'apps', 'policy'],
            apiVersions: ['v1'],
            operations: ['*'],
            resources: ['secrets', 'pods/eviction', 'deployments/scale', 'deployments/status'],
          },
        ],
        spec: {
          validations: [
            shown(
              "[request.operation, request.kind.group, request.kind.version, request.kind.kind, request.resource.group, request.resource.resource, request.?subResource.orValue('-'), request.?name.orValue('-'), string(request.namespace == namespaceObject.metadata.name), string(request.dryRun), string(request.?options.kind.orValue('-')), object == null ? '-' : string(object.kind), oldObject == null ? '-' : string(oldObject.kind)].join(' ')",
            ),
          ],
        },
      },
      rights: {
        rules: [{ ...configMapRule, resourceNames: ['rights'] }],
        spec: {
          validations: [
            {
              expression:
                "authorizer.group('').resource('pods').namespace('x').check('get').allowed() && authorizer.requestResource.check('create').allowed()",
            },
            {
              expression:
                "!authorizer.serviceAccount('x', 'nobody').group('apps').resource('deployments').subresource('scale').name('y').check('update').allowed()",
            },
            { expression: "authorizer.path('/metrics').check('get').allowed()" },
            {
              expression: "authorizer.serviceAccount('x', 'nobody').path('/metrics').check('get').allowed()",
            },
          ],
        },
      },
    };
    await k.run('create deployment web --image=example.com/web:1 --replicas=0');
    await bound(k, policies, async () => {
      const answers: string[] = [];
      const run = async (line: string, stdin?: string) =>
        answers.push(`> ${line}\n${await k.run(line, stdin)}`);
      await run('create configmap rights');
      await run('create secret generic s --dry-run=server');
      await run('create secret generic s');
      await run('create -f -', '{"apiVersion":"v1","kind":"Secret","metadata":{"generateName":"some-"}}');
      await run('scale deployment web --replicas=3');
      await run('patch deployment web --subresource=status -p {"status":{"replicas":1}}');
      expect(answers.join('\n').replaceAll(/some-\w{5}/g, 'some-NAME')).toMatchInlineSnapshot(`
        > create configmap rights
        [stderr]
        error: failed to create configmap: configmaps "rights" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.rights' with binding 'NAMESPACE.rights' denied request: failed expression: authorizer.serviceAccount('x', 'nobody').path('/metrics').check('get').allowed()
        [exit 1]
        > create secret generic s --dry-run=server
        [stderr]
        error: failed to create secret secrets "s" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.request' with binding 'NAMESPACE.request' denied request: CREATE   v1 Secret   secrets - s true true CreateOptions Secret -
        [exit 1]
        > create secret generic s
        [stderr]
        error: failed to create secret secrets "s" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.request' with binding 'NAMESPACE.request' denied request: CREATE   v1 Secret   secrets - s true false CreateOptions Secret -
        [exit 1]
        > create -f -
        [stderr]
        The secrets "some-NAME" is invalid: : ValidatingAdmissionPolicy 'NAMESPACE.request' with binding 'NAMESPACE.request' denied request: CREATE   v1 Secret   secrets - some-NAME true false CreateOptions Secret -
        [exit 1]
        > scale deployment web --replicas=3
        [stderr]
        The deployments "web" is invalid: : ValidatingAdmissionPolicy 'NAMESPACE.request' with binding 'NAMESPACE.request' denied request: UPDATE autoscaling v1 Scale apps deployments scale web true false UpdateOptions Scale Scale
        [exit 1]
        > patch deployment web --subresource=status -p {"status":{"replicas":1}}
        [stderr]
        The deployments "web" is invalid: : ValidatingAdmissionPolicy 'NAMESPACE.request' with binding 'NAMESPACE.request' denied request: UPDATE apps v1 Deployment apps deployments status web true false UpdateOptions Deployment Deployment
        [exit 1]
      `);
    });
  });
});
