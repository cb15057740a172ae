import { afterAll, beforeAll, expect } from 'vitest';
import { boundMutating, bundle, mutableConfigMapRule, type Bound } from './bound-policies.ts';
import { hooked } from './hooked.ts';
import { apply, only, patch } from './mutations.ts';
import { suite, type StoredObject } from './suite.ts';
import { startWebhooks, type Handler, type WebhookServer } from './webhook-server.ts';

let webhooks: WebhookServer | undefined;

beforeAll(async () => {
  webhooks = await startWebhooks();
});

afterAll(async () => {
  await webhooks?.close();
});

const labels = 'jsonpath={.metadata.labels}';

suite(
  'mutating-policies',
  (test) => {
    test('policies and bindings are discovered, explained and read', async (k) => {
      const { out } = await k.raw('get --raw /apis/admissionregistration.k8s.io/v1beta1');
      expect(JSON.stringify(JSON.parse(out))).toMatchInlineSnapshot(
        `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"admissionregistration.k8s.io/v1beta1","resources":[{"name":"mutatingadmissionpolicies","singularName":"mutatingadmissionpolicy","namespaced":false,"kind":"MutatingAdmissionPolicy","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"categories":["api-extensions"],"storageVersionHash":"LYmCf+UMVdg="},{"name":"mutatingadmissionpolicybindings","singularName":"mutatingadmissionpolicybinding","namespaced":false,"kind":"MutatingAdmissionPolicyBinding","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"categories":["api-extensions"],"storageVersionHash":"90V5FRZZ3Zg="}]}`,
      );
      const explained = await k.raw('explain mutatingadmissionpolicy.spec.mutations --recursive');
      expect(explained.out.replaceAll(/DESCRIPTION:[^]*?(?=FIELDS)/g, '')).toMatchInlineSnapshot(`
        GROUP:      admissionregistration.k8s.io
        KIND:       MutatingAdmissionPolicy
        VERSION:    v1beta1

        FIELD: mutations <[]Mutation>


        FIELDS:
          applyConfiguration	<ApplyConfiguration>
            expression	<string>
          jsonPatch	<JSONPatch>
            expression	<string>
          patchType	<string> -required-
          enum: ApplyConfiguration, JSONPatch
      `);
      const rules = [mutableConfigMapRule];
      const bound = only('x', [apply('Object{}')]);
      const items = bundle(k, 'read', { rules, ...bound }, 'Mutating');
      const file = k.file('policies.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
      await k.raw(`apply --server-side -f ${file}`);
      const read = await k.raw(`get -o json -f ${file}`);
      const { items: stored } = JSON.parse(read.out) as { items: StoredObject[] };
      const shown = stored.map(({ metadata: { generation }, spec }) => ({ generation, spec }));
      expect(k.text({ ...read, err: '', out: shown.map((each) => JSON.stringify(each)).join('\n') }))
        .toMatchInlineSnapshot(`
          {"generation":1,"spec":{"failurePolicy":"Fail","matchConditions":[{"expression":"object.metadata.name == 'x'","name":"only"}],"matchConstraints":{"matchPolicy":"Equivalent","namespaceSelector":{},"objectSelector":{},"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE","UPDATE"],"resources":["configmaps"],"scope":"*"}]},"mutations":[{"applyConfiguration":{"expression":"Object{}"},"patchType":"ApplyConfiguration"}],"reinvocationPolicy":"Never"}}
          {"generation":1,"spec":{"matchResources":{"matchPolicy":"Equivalent","namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"NAMESPACE"}},"objectSelector":{}},"policyName":"NAMESPACE.read"}}
        `);
      await k.raw(`delete -f ${file}`);
    });

    test('a configuration is merged into an object, as server-side apply does', async (k) => {
      const rules = [{ ...mutableConfigMapRule, resources: ['pods', 'configmaps'] }];
      const policies: Record<string, Bound> = {
        labels: only('a', [apply("Object{metadata: Object.metadata{labels: {'by': 'policy'}}}")]),
        pod: {
          ...only('web', [
            apply(`Object{spec: Object.spec{
              containers: object.spec.containers.map(c, Object.spec.containers{
                name: c.name, imagePullPolicy: 'Always'
              }) + [Object.spec.containers{name: 'sidecar', image: 'sidecar:1'}]}}`),
          ]),
          rules,
        },
        data: only(
          'sized',
          [
            apply("Object{data: {'size': string(size(object.data)), 'who': variables.who}}"),
            apply("Object{data: {'sizes': string(size(object.data))}}"),
          ],
          { variables: [{ name: 'who', expression: "object.metadata.name + '!'" }] },
        ),
      };
      await boundMutating(k, policies, async () => {
        const pod = {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'web' },
          spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
        };
        const containers =
          'jsonpath={range.spec.containers[*]}{.name}:{.image}:{.imagePullPolicy}:{.terminationMessagePolicy}{"\\n"}{end}';
        const answers = [
          await k.run(`create configmap a -o ${labels}`),
          await k.run('label configmap a by-'),
          await k.run(`get configmap a -o ${labels}`),
          await k.run(`create configmap b -o ${labels}`),
          await k.run(`create -o ${containers} -f -`, JSON.stringify(pod)),
          await k.run('create configmap sized --from-literal=x=y -o jsonpath={.data}'),
        ];
        expect(answers.join('\n')).toMatchInlineSnapshot(`
          {"by":"policy"}
          configmap/a unlabeled
          {"by":"policy"}

          main:nginx:1:Always:File
          sidecar:sidecar:1:IfNotPresent:File
          {"size":"1","sizes":"3","who":"sized!","x":"y"}
        `);
      });
    });

    test('the operations of a patch are applied', async (k) => {
      const policies: Record<string, Bound> = {
        patched: only('patched', [
          patch(`(has(object.metadata.annotations) ? [] :
              [JSONPatch{op: 'add', path: '/metadata/annotations', value: {}}]) + [
            JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('example.com/a'), value: 'b'},
            JSONPatch{op: 'move', from: '/data/x', path: '/data/moved'},
            JSONPatch{op: 'copy', from: '/metadata/name', path: '/data/name'},
            JSONPatch{op: 'replace', path: '/data/new', value: 'set'}]`),
        ]),
        tested: only('tested', [
          patch(`[JSONPatch{op: 'add', path: '/data/y', value: 'z'},
            JSONPatch{op: 'test', path: '/data/x', value: 'other'}]`),
        ]),
        objects: only('objects', [
          patch(
            "[JSONPatch{op: 'add', path: '/metadata', value: Object.metadata{name: 'objects', labels: {'a': 'b'}}}]",
          ),
        ]),
      };
      await boundMutating(k, policies, async () => {
        const shown = '-o jsonpath={.metadata.annotations}{.data}';
        const answers = [
          await k.run(`create configmap patched --from-literal=x=y ${shown}`),
          await k.run(`create configmap tested --from-literal=x=y ${shown}`),
          await k.run(`create configmap objects -o ${labels}`),
        ];
        expect(answers.join('\n')).toMatchInlineSnapshot(`
          {"example.com/a":"b"}{"moved":"y","name":"patched","new":"set"}
          {"x":"y"}
          {"a":"b"}
        `);
      });
    });

    test('a policy is evaluated again when another one has changed the object', async (k) => {
      const policies: Record<string, Bound> = {
        looks: only('x', [apply("Object{data: {'seen': string(has(object.data.other))}}")], {
          reinvocationPolicy: 'IfNeeded',
        }),
        other: only('x', [apply("Object{data: {'other': 'here'}}")]),
      };
      // A server has no order of policies.
      await boundMutating(k, policies, async () => {
        expect(
          await k.run('create configmap x --from-literal=own=yes -o jsonpath={.data}'),
        ).toMatchInlineSnapshot(`{"other":"here","own":"yes","seen":"true"}`);
      });
    });

    test('policies change an object before webhooks, and are evaluated again after them', async (k) => {
      if (webhooks === undefined) throw new Error('there is no webhook server');
      const policies: Record<string, Bound> = {
        labels: only('x', [apply("Object{metadata: Object.metadata{labels: {'by': 'policy'}}}")]),
        looks: only(
          'x',
          [
            apply(
              "Object{data: {'hooked': string(has(object.metadata.labels) && has(object.metadata.labels.hooked))}}",
            ),
          ],
          {
            reinvocationPolicy: 'IfNeeded',
          },
        ),
      };
      const seen: unknown[] = [];
      const handler: Handler = ({ name, object }) => {
        if (name !== 'x') return {};
        seen.push(object?.metadata.labels);
        return { patch: [{ op: 'add', path: '/metadata/labels/hooked', value: 'yes' }] };
      };
      const server = webhooks;
      await boundMutating(k, policies, () =>
        hooked({ k, server }, { mutating: { hook: { handler } } }, async () => {
          const shown = '-o jsonpath={.metadata.labels}{.data}';
          const made = await k.run(`create configmap x --from-literal=own=yes ${shown}`);
          expect(`${JSON.stringify(seen)}\n${made}`).toMatchInlineSnapshot(`
            [{"by":"policy"}]
            {"by":"policy","hooked":"yes"}{"hooked":"true","own":"yes"}
          `);
        }),
      );
    });

    test(
      'parameters come from the binding',
      async (k) => {
        await k.run('create configmap settings --from-literal=label=set');
        const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
        const labelled = [apply("Object{metadata: Object.metadata{labels: {'by': params.data.label}}}")];
        const given = (name: string, parameterNotFoundAction: string) => ({
          paramRef: { name, namespace: k.namespace, parameterNotFoundAction },
        });
        const selector = {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': k.namespace } },
        };
        const bound = (name: string, param: string, action: string): Bound => ({
          ...only(name, labelled, { paramKind }),
          binding: { ...given(param, action), matchResources: selector },
        });
        await boundMutating(
          k,
          { found: bound('found', 'settings', 'Deny'), allowed: bound('allowed', 'none', 'Allow') },
          async () => {
            const answers = [
              await k.run(`create configmap found -o ${labels}`),
              await k.run(`create configmap allowed -o ${labels}`),
            ];
            expect(answers.join('\n')).toMatchInlineSnapshot(`{"by":"set"}`);
          },
        );
      },
      {
        // A server finds no parameters of a kind once the last policy with that kind was deleted.
        fromMinor: 35,
      },
    );
  },
  { mutatingPolicies: true },
);
