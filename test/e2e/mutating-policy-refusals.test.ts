import { expect } from 'vitest';
import { boundMutating, bundle, mutableConfigMapRule, type Bound } from './bound-policies.ts';
import { apply, only, onlyEach, patch } from './mutations.ts';
import { suite } from './suite.ts';

const labels = 'jsonpath={.metadata.labels}';

suite(
  'mutating-policy-refusals',
  (test) => {
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
        await refused(
          { mutations: [apply('Object{}')], reinvocationPolicy: 'Never' },
          { rules: [{ resources: ['*', 'pods'], operations: ['X'], resourceNames: ['a'] }] },
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
        The MutatingAdmissionPolicy "NAMESPACE.bad" is invalid:
        * spec.matchConstraints: Required value
        * spec.mutations: Required value: mutations must contain at least one item
        * spec.reinvocationPolicy: Required value
        [exit 1]
        [stderr]
        The MutatingAdmissionPolicy "NAMESPACE.bad" is invalid:
        * spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"
        * spec.mutations: Required value: mutations must contain at least one item
        * spec.reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"
        [exit 1]
        [stderr]
        The MutatingAdmissionPolicy "NAMESPACE.bad" is invalid:
        * spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"
        * spec.mutations[0].patchType: Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"
        * spec.mutations[1].patchType: Required value
        [exit 1]
        [stderr]
        The MutatingAdmissionPolicy "NAMESPACE.bad" is invalid:
        * spec.matchConstraints.resourceRules.operations: Unsupported value: "X": supported values: "*", "CONNECT", "CREATE", "UPDATE"
        * spec.matchConstraints.resourceRules[0].apiGroups: Required value
        * spec.matchConstraints.resourceRules[0].apiVersions: Required value
        * spec.matchConstraints.resourceRules[0].operations[0]: Unsupported value: "X": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"
        * spec.matchConstraints.resourceRules[0].resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources
        [exit 1]
        [stderr]
        The MutatingAdmissionPolicy "NAMESPACE.bad" is invalid:
        * spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch
        * spec.mutations[1].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch
        * spec.mutations[2].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration
        * spec.mutations[3].applyConfiguration.expression: Required value
        [exit 1]
        [stderr]
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
        ...onlyEach(wrong),
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

    test('what identifies an object is not changed, and values keep their types', async (k) => {
      const ofUpdates = {
        name: apply("Object{metadata: Object.metadata{name: 'other'}}"),
        namespace: apply("Object{metadata: Object.metadata{namespace: 'other'}}"),
        uid: apply("Object{metadata: Object.metadata{uid: 'other'}}"),
        revision: apply("Object{metadata: Object.metadata{resourceVersion: '1'}}"),
      };
      const ofCreations = {
        created: apply("Object{metadata: Object.metadata{name: 'taken'}}"),
        moved: apply("Object{metadata: Object.metadata{namespace: 'other'}}"),
        nothing: apply('Object{data: null}'),
        unsigned: apply('Object{metadata: Object.metadata{generation: 3u}}'),
        literal: apply("Object{metadata: Object.metadata{ownerReferences: [{'uid': 'a'}]}}"),
      };
      const policies: Record<string, Bound> = {
        ...onlyEach(ofUpdates, (name) => ({
          matchConditions: [
            { name: 'only', expression: `object.metadata.name == '${name}'` },
            { name: 'update', expression: "request.operation == 'UPDATE'" },
          ],
        })),
        ...onlyEach(ofCreations),
      };
      await k.run('create configmap taken');
      for (const name of Object.keys(ofUpdates)) await k.run(`create configmap ${name}`);
      await boundMutating(k, policies, async () => {
        const answers: string[] = [];
        for (const name of Object.keys(ofUpdates)) answers.push(await k.run(`label configmap ${name} a=b`));
        for (const name of Object.keys(ofCreations)) answers.push(await k.run(`create configmap ${name}`));
        expect(answers.join('\n')).toMatchInlineSnapshot(`
          [stderr]
          The ConfigMap "other" is invalid: metadata.name: Invalid value: "other": field is immutable
          [exit 1]
          [stderr]
          Error from server (BadRequest): the namespace of the provided object does not match the namespace sent on the request
          [exit 1]
          [stderr]
          The ConfigMap "uid" is invalid: metadata.uid: Invalid value: "other": field is immutable
          [exit 1]
          [stderr]
          Error from server (Conflict): Operation cannot be fulfilled on configmaps "revision": the object has been modified; please apply your changes to the latest version and try again
          [exit 1]
          [stderr]
          error: failed to create configmap: configmaps "taken" already exists
          [exit 1]
          [stderr]
          error: failed to create configmap: the namespace of the provided object does not match the namespace sent on the request
          [exit 1]
          [stderr]
          error: failed to create configmap: policy 'NAMESPACE.nothing' with binding 'NAMESPACE.nothing' denied request: error applying patch: failed to convert patch object to typed object: .data: expected map, got &{NULL_VALUE}
          [exit 1]
          [stderr]
          error: failed to create configmap: policy 'NAMESPACE.unsigned' with binding 'NAMESPACE.unsigned' denied request: error applying patch: failed to convert patch object to typed object: .metadata.generation: expected numeric (int or float), got uint64
          [exit 1]
          [stderr]
          error: failed to create configmap: policy 'NAMESPACE.literal' with binding 'NAMESPACE.literal' denied request: error applying patch: failed to convert patch object to typed object: .metadata.ownerReferences: element 0: associative list with keys may not have non-map elements
          [exit 1]
        `);
      });
    });

    test('a Scale is changed by a patch, and not by a configuration', async (k) => {
      const scaled = {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        operations: ['UPDATE'],
        resources: ['deployments/scale'],
      };
      const rules = [mutableConfigMapRule, scaled];
      const policies: Record<string, Bound> = {
        one: {
          ...only('one', [
            patch("[JSONPatch{op: 'replace', path: '/spec/replicas', value: object.spec.replicas + 1}]"),
          ]),
          rules,
        },
        two: { ...only('two', [apply('Object{spec: Object.spec{replicas: 5}}')]), rules },
      };
      await k.run('create deployment one --image=nginx:1 --replicas=0');
      await k.run('create deployment two --image=nginx:1 --replicas=0');
      await boundMutating(k, policies, async () => {
        const answers = [
          await k.run('scale deployment one --replicas=3'),
          await k.run('get deployment one -o jsonpath={.spec.replicas}'),
          await k.run('scale deployment two --replicas=3'),
        ];
        expect(answers.join('\n')).toMatchInlineSnapshot(`
          deployment.apps/one scaled
          4
          [stderr]
          The deployments "two" is invalid: : policy 'NAMESPACE.two' with binding 'NAMESPACE.two' denied request: error applying patch: failed to convert patch object to typed object: no corresponding type for autoscaling/v1, Kind=Scale
          [exit 1]
        `);
      });
    });

    test('a policy that means another version than that of the request refuses it', async (k) => {
      const rules = [
        {
          apiGroups: ['autoscaling'],
          apiVersions: ['v1'],
          operations: ['CREATE'],
          resources: ['horizontalpodautoscalers'],
        },
      ];
      const more = apply('Object{spec: Object.spec{maxReplicas: 9}}');
      const scaler = (apiVersion: string) =>
        JSON.stringify({
          apiVersion,
          kind: 'HorizontalPodAutoscaler',
          metadata: { name: 'web' },
          spec: {
            maxReplicas: 3,
            scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          },
        });
      await boundMutating(k, { web: { ...only('web', [more]), rules } }, async () => {
        const answers = [
          await k.run('create -f -', scaler('autoscaling/v2')),
          await k.run('create -f - -o jsonpath={.spec.maxReplicas}', scaler('autoscaling/v1')),
        ];
        expect(answers.join('\n')).toMatchInlineSnapshot(`
          [stderr]
          The horizontalpodautoscalers "web" is invalid: : policy 'NAMESPACE.web' with binding 'NAMESPACE.web' denied request: converting (v1.HorizontalPodAutoscaler) to (v2.HorizontalPodAutoscaler): unknown conversion
          [exit 1]
          9
        `);
      });
    });
  },
  { mutatingPolicies: true },
);
