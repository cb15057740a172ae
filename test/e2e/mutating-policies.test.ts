import { afterAll, beforeAll, expect } from 'vitest';
import { boundMutating, bundle, mutableConfigMapRule, type Bound } from './bound-policies.ts';
import { hooked } from './hooked.ts';
import { suite, type StoredObject } from './suite.ts';
import { startWebhooks, type Handler, type WebhookServer } from './webhook-server.ts';

let webhooks: WebhookServer | undefined;

beforeAll(async () => {
  webhooks = await startWebhooks();
});

afterAll(async () => {
  await webhooks?.close();
});

const apply = (expression: string) => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

/** A policy about the objects of one name. */
const only = (name: string, mutations: object[], spec: object = {}): Bound => ({
  spec: {
    reinvocationPolicy: 'Never',
    matchConditions: [{ name: 'only', expression: `object.metadata.name == '${name}'` }],
    mutations,
    ...spec,
  },
});

const labels = 'jsonpath={.metadata.labels}';

suite(
  'mutating-policies',
  (test) => {
    test('policies and bindings are discovered, explained and read', async (k) => {
      const { out } = await k.raw('get --raw /apis/admissionregistration.k8s.io/v1beta1');
      expect(JSON.stringify(JSON.parse(out), undefined, 1)).toMatchInlineSnapshot(`
        {
         "kind": "APIResourceList",
         "apiVersion": "v1",
         "groupVersion": "admissionregistration.k8s.io/v1beta1",
         "resources": [
          {
           "name": "mutatingadmissionpolicies",
           "singularName": "mutatingadmissionpolicy",
           "namespaced": false,
           "kind": "MutatingAdmissionPolicy",
           "verbs": [
            "create",
            "delete",
            "deletecollection",
            "get",
            "list",
            "patch",
            "update",
            "watch"
           ],
           "categories": [
            "api-extensions"
           ],
           "storageVersionHash": "LYmCf+UMVdg="
          },
          {
           "name": "mutatingadmissionpolicybindings",
           "singularName": "mutatingadmissionpolicybinding",
           "namespaced": false,
           "kind": "MutatingAdmissionPolicyBinding",
           "verbs": [
            "create",
            "delete",
            "deletecollection",
            "get",
            "list",
            "patch",
            "update",
            "watch"
           ],
           "categories": [
            "api-extensions"
           ],
           "storageVersionHash": "90V5FRZZ3Zg="
          }
         ]
        }
      `);
      const explained = await k.raw('explain mutatingadmissionpolicy --recursive');
      expect(explained.out.replaceAll(/DESCRIPTION:[^]*?(?=FIELDS)/g, '')).toMatchInlineSnapshot(`
        GROUP:      admissionregistration.k8s.io
        KIND:       MutatingAdmissionPolicy
        VERSION:    v1beta1

        FIELDS:
          apiVersion	<string>
          kind	<string>
          metadata	<ObjectMeta>
            annotations	<map[string]string>
            creationTimestamp	<string>
            deletionGracePeriodSeconds	<integer>
            deletionTimestamp	<string>
            finalizers	<[]string>
            generateName	<string>
            generation	<integer>
            labels	<map[string]string>
            managedFields	<[]ManagedFieldsEntry>
              apiVersion	<string>
              fieldsType	<string>
              fieldsV1	<FieldsV1>
              manager	<string>
              operation	<string>
              subresource	<string>
              time	<string>
            name	<string>
            namespace	<string>
            ownerReferences	<[]OwnerReference>
              apiVersion	<string> -required-
              blockOwnerDeletion	<boolean>
              controller	<boolean>
              kind	<string> -required-
              name	<string> -required-
              uid	<string> -required-
            resourceVersion	<string>
            selfLink	<string>
            uid	<string>
          spec	<MutatingAdmissionPolicySpec>
            failurePolicy	<string>
            matchConditions	<[]MatchCondition>
              expression	<string> -required-
              name	<string> -required-
            matchConstraints	<MatchResources>
              excludeResourceRules	<[]NamedRuleWithOperations>
                apiGroups	<[]string>
                apiVersions	<[]string>
                operations	<[]string>
                resourceNames	<[]string>
                resources	<[]string>
                scope	<string>
                enum: *, Cluster, Namespaced
              matchPolicy	<string>
              namespaceSelector	<LabelSelector>
                matchExpressions	<[]LabelSelectorRequirement>
                  key	<string> -required-
                  operator	<string> -required-
                  values	<[]string>
                matchLabels	<map[string]string>
              objectSelector	<LabelSelector>
                matchExpressions	<[]LabelSelectorRequirement>
                  key	<string> -required-
                  operator	<string> -required-
                  values	<[]string>
                matchLabels	<map[string]string>
              resourceRules	<[]NamedRuleWithOperations>
                apiGroups	<[]string>
                apiVersions	<[]string>
                operations	<[]string>
                resourceNames	<[]string>
                resources	<[]string>
                scope	<string>
                enum: *, Cluster, Namespaced
            mutations	<[]Mutation>
              applyConfiguration	<ApplyConfiguration>
                expression	<string>
              jsonPatch	<JSONPatch>
                expression	<string>
              patchType	<string> -required-
              enum: ApplyConfiguration, JSONPatch
            paramKind	<ParamKind>
              apiVersion	<string>
              kind	<string>
            reinvocationPolicy	<string>
            enum: IfNeeded, Never
            variables	<[]Variable>
              expression	<string> -required-
              name	<string> -required-
      `);
      const rules = [mutableConfigMapRule];
      const bound = only('x', [apply('Object{}')]);
      const items = bundle(k, 'read', { rules, ...bound }, 'Mutating');
      const file = k.file('policies.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
      await k.raw(`apply --server-side -f ${file}`);
      const read = await k.raw(`get -o json -f ${file}`);
      const { items: stored } = JSON.parse(read.out) as { items: StoredObject[] };
      const shown = stored.map(({ metadata: { generation }, spec }) => ({ generation, spec }));
      expect(k.text({ ...read, err: '', out: JSON.stringify(shown, undefined, 1) })).toMatchInlineSnapshot(`
        [
         {
          "generation": 1,
          "spec": {
           "failurePolicy": "Fail",
           "matchConditions": [
            {
             "expression": "object.metadata.name == 'x'",
             "name": "only"
            }
           ],
           "matchConstraints": {
            "matchPolicy": "Equivalent",
            "namespaceSelector": {},
            "objectSelector": {},
            "resourceRules": [
             {
              "apiGroups": [
               ""
              ],
              "apiVersions": [
               "v1"
              ],
              "operations": [
               "CREATE",
               "UPDATE"
              ],
              "resources": [
               "configmaps"
              ],
              "scope": "*"
             }
            ]
           },
           "mutations": [
            {
             "applyConfiguration": {
              "expression": "Object{}"
             },
             "patchType": "ApplyConfiguration"
            }
           ],
           "reinvocationPolicy": "Never"
          }
         },
         {
          "generation": 1,
          "spec": {
           "matchResources": {
            "matchPolicy": "Equivalent",
            "namespaceSelector": {
             "matchLabels": {
              "kubernetes.io/metadata.name": "NAMESPACE"
             }
            },
            "objectSelector": {}
           },
           "policyName": "NAMESPACE.read"
          }
         }
        ]
      `);
      await k.raw(`delete -f ${file}`);
    });

    test('a policy that is not valid is refused', async (k) => {
      const refused = async (spec: object, bound: Partial<Bound> = {}) => {
        const rules = [mutableConfigMapRule];
        const [policy] = bundle(k, 'bad', { rules, spec, ...bound }, 'Mutating');
        return k.run('create --dry-run=server -f -', JSON.stringify(policy));
      };
      const answers = [
        await refused({ matchConstraints: undefined }),
        await refused({ mutations: [], reinvocationPolicy: 'Always', failurePolicy: 'Maybe' }),
        await refused(
          { mutations: [{ patchType: 'Merge' }, {}], reinvocationPolicy: 'Never' },
          { rules: [{ ...mutableConfigMapRule, operations: ['DELETE'] }] },
        ),
        await refused({
          reinvocationPolicy: 'Never',
          mutations: [
            { patchType: 'JSONPatch' },
            { ...patch('[JSONPatch{}]'), applyConfiguration: { expression: 'Object{}' } },
            { ...apply('Object{}'), jsonPatch: { expression: '[JSONPatch{}]' } },
            apply(' '),
          ],
        }),
        await refused({
          reinvocationPolicy: 'Never',
          variables: [{ name: 'a', expression: 'Object{}' }],
          mutations: [
            apply('1'),
            apply('Object.spec{}'),
            apply('Object{spec: Objekt{}}'),
            apply('Object{spec: object.nothing'),
            patch('[1]'),
            patch('[]'),
            patch("[JSONPatch{op: 1, path: 'x'}]"),
            patch("['a', JSONPatch{}]"),
            patch('jsonpatch.escape(1)'),
            patch('[JSONPatch{path: jsonpatch.escapeKey(1)}]'),
          ],
        }),
      ];
      expect(answers.join('\n')).toMatchInlineSnapshot(`
        [stderr]
        Warning: admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy is deprecated in v1.37+, unavailable in v1.40+
        The MutatingAdmissionPolicy "NAMESPACE.bad" is invalid:
        * spec.matchConstraints: Required value
        * spec.mutations: Required value: mutations must contain at least one item
        * spec.reinvocationPolicy: Required value
        [exit 1]
        [stderr]
        Warning: admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy is deprecated in v1.37+, unavailable in v1.40+
        The MutatingAdmissionPolicy "NAMESPACE.bad" is invalid:
        * spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"
        * spec.mutations: Required value: mutations must contain at least one item
        * spec.reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"
        [exit 1]
        [stderr]
        Warning: admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy is deprecated in v1.37+, unavailable in v1.40+
        The MutatingAdmissionPolicy "NAMESPACE.bad" is invalid:
        * spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"
        * spec.mutations[0].patchType: Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"
        * spec.mutations[1].patchType: Required value
        [exit 1]
        [stderr]
        Warning: admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy is deprecated in v1.37+, unavailable in v1.40+
        The MutatingAdmissionPolicy "NAMESPACE.bad" is invalid:
        * spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch
        * spec.mutations[1].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch
        * spec.mutations[2].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration
        * spec.mutations[3].applyConfiguration.expression: Required value
        [exit 1]
        [stderr]
        Warning: admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy is deprecated in v1.37+, unavailable in v1.40+
        The MutatingAdmissionPolicy "NAMESPACE.bad" is invalid:
        * spec.variables[0].expression: Invalid value: "Object{}": compilation failed: ERROR: <input>:1:7: undeclared reference to 'Object' (in container '')
         | Object{}
         | ......^
        * spec.mutations[0].applyConfiguration.expression: Invalid value: "1": must evaluate to Object but got int
        * spec.mutations[1].applyConfiguration.expression: Invalid value: "Object.spec{}": must evaluate to Object but got Object.spec
        * spec.mutations[2].applyConfiguration.expression: Invalid value: "Object{spec: Objekt{}}": compilation failed: ERROR: <input>:1:20: undeclared reference to 'Objekt' (in container '')
         | Object{spec: Objekt{}}
         | ...................^
        * spec.mutations[3].applyConfiguration.expression: Invalid value: "Object{spec: object.nothing": compilation failed: ERROR: <input>:1:28: Syntax error: mismatched input '<EOF>' expecting {'}', ','}
         | Object{spec: object.nothing
         | ...........................^
        * spec.mutations[4].jsonPatch.expression: Invalid value: "[1]": must evaluate to list(JSONPatch) but got list(int)
        * spec.mutations[5].jsonPatch.expression: Invalid value: "[]": must evaluate to list(JSONPatch) but got list(dyn)
        * spec.mutations[6].jsonPatch.expression: Invalid value: "[JSONPatch{op: 1, path: 'x'}]": compilation failed: ERROR: <input>:1:14: expected type of field 'op' is 'string' but provided type is 'int'
         | [JSONPatch{op: 1, path: 'x'}]
         | .............^
        * spec.mutations[7].jsonPatch.expression: Invalid value: "['a', JSONPatch{}]": compilation failed: ERROR: <input>:1:16: expected type 'string' but found 'JSONPatch'
         | ['a', JSONPatch{}]
         | ...............^
        * spec.mutations[8].jsonPatch.expression: Invalid value: "jsonpatch.escape(1)": compilation failed: ERROR: <input>:1:1: undeclared reference to 'jsonpatch' (in container '')
         | jsonpatch.escape(1)
         | ^
        ERROR: <input>:1:17: undeclared reference to 'escape' (in container '')
         | jsonpatch.escape(1)
         | ................^
        * spec.mutations[9].jsonPatch.expression: Invalid value: "[JSONPatch{path: jsonpatch.escapeKey(1)}]": compilation failed: ERROR: <input>:1:37: found no matching overload for 'jsonpatch.escapeKey' applied to '(int)'
         | [JSONPatch{path: jsonpatch.escapeKey(1)}]
         | ....................................^
        [exit 1]
      `);
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

    test('a mutation that fails refuses the write, unless the policy ignores it', async (k) => {
      const wrong = {
        value: apply('Object{data: Object.data{x: object.data.nothing}}'),
        name: apply('Object{metadata: Object.meta{}}'),
        field: apply('Object{wrong: 1}'),
        type: apply("Object{metadata: Object.metadata{labels: 'a'}}"),
        atomic: apply('Object{metadata: Object.metadata{managedFields: []}}'),
        remove: patch("[JSONPatch{op: 'remove', path: '/data/nothing'}]"),
        parent: patch("[JSONPatch{op: 'add', path: '/metadata/labels/a', value: 'b'}]"),
        replaced: patch("[JSONPatch{op: 'replace', path: '/metadata/labels/a', value: 'b'}]"),
        index: patch("[JSONPatch{op: 'add', path: '/metadata/finalizers/5', value: 'a.b/c'}]"),
        unknown: patch("[JSONPatch{op: 'add', path: '/wrong', value: 1}]"),
        mistyped: patch("[JSONPatch{op: 'add', path: '/data/a', value: 1}]"),
        invalid: apply("Object{metadata: Object.metadata{labels: {'a': '-'}}}"),
      };
      const policies: Record<string, Bound> = {
        ...Object.fromEntries(Object.entries(wrong).map(([name, each]) => [name, only(name, [each])])),
        ignored: only(
          'ignored',
          [wrong.value, apply("Object{metadata: Object.metadata{labels: {'by': 'policy'}}}")],
          { failurePolicy: 'Ignore' },
        ),
        twice: only('twice', [wrong.remove, wrong.parent]),
        condition: only('condition', [wrong.remove], {
          matchConditions: [
            { name: 'only', expression: "object.metadata.name == 'condition'" },
            { name: 'data', expression: "object.data.x == 'y'" },
          ],
        }),
      };
      await boundMutating(k, policies, async () => {
        const answers: string[] = [];
        for (const name of [...Object.keys(wrong), 'ignored', 'twice', 'condition'])
          answers.push(await k.run(`create configmap ${name} -o ${labels}`));
        expect(answers.join('\n')).toMatchInlineSnapshot(`
          [stderr]
          error: failed to create configmap: policy 'NAMESPACE.value' with binding 'NAMESPACE.value' denied request: expression 'Object{data: Object.data{x: object.data.nothing}}' resulted in error: no such key: data
          [exit 1]
          [stderr]
          error: failed to create configmap: policy 'NAMESPACE.name' with binding 'NAMESPACE.name' denied request: type mismatch: unexpected type name "Object.meta", expected "Object.metadata", which matches field name path from root Object type
          [exit 1]
          [stderr]
          error: failed to create configmap: policy 'NAMESPACE.field' with binding 'NAMESPACE.field' denied request: error applying patch: failed to convert patch object to typed object: .wrong: field not declared in schema
          [exit 1]
          [stderr]
          error: failed to create configmap: policy 'NAMESPACE.type' with binding 'NAMESPACE.type' denied request: error applying patch: failed to convert patch object to typed object: .metadata.labels: expected map, got &{a}
          [exit 1]
          [stderr]
          error: failed to create configmap: policy 'NAMESPACE.atomic' with binding 'NAMESPACE.atomic' denied request: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .metadata.managedFields
          [exit 1]
          [stderr]
          error: failed to create configmap: policy 'NAMESPACE.remove' with binding 'NAMESPACE.remove' denied request: JSON Patch: remove operation does not apply: doc is missing path: "/data/nothing": missing value
          [exit 1]
          [stderr]
          error: failed to create configmap: policy 'NAMESPACE.parent' with binding 'NAMESPACE.parent' denied request: JSON Patch: add operation does not apply: doc is missing path: "/metadata/labels/a": missing value
          [exit 1]
          [stderr]
          error: failed to create configmap: policy 'NAMESPACE.replaced' with binding 'NAMESPACE.replaced' denied request: JSON Patch: replace operation does not apply: doc is missing path: /metadata/labels/a: missing value
          [exit 1]
          [stderr]
          error: failed to create configmap: policy 'NAMESPACE.index' with binding 'NAMESPACE.index' denied request: JSON Patch: add operation does not apply: doc is missing path: "/metadata/finalizers/5": missing value
          [exit 1]
          [stderr]
          error: failed to create configmap: Internal error occurred: strict decoding error: unknown field "wrong"
          [exit 1]
          [stderr]
          error: failed to create configmap: policy 'NAMESPACE.mistyped' with binding 'NAMESPACE.mistyped' denied request: JSON Patch: add operation does not apply: doc is missing path: "/data/a": missing value
          [exit 1]
          [stderr]
          error: failed to create configmap: ConfigMap "invalid" is invalid: metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',   or 'my_value',   or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')
          [exit 1]
          {"by":"policy"}
          [stderr]
          error: failed to create configmap: policy 'NAMESPACE.twice' with binding 'NAMESPACE.twice' denied request: JSON Patch: remove operation does not apply: doc is missing path: "/data/nothing": missing value
          [exit 1]
          [stderr]
          error: failed to create configmap: policy 'NAMESPACE.condition' with binding 'NAMESPACE.condition' denied request: expression 'object.data.x == 'y'' resulted in error: no such key: data
          [exit 1]
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
