import { expect } from 'vitest';
import { bound, bundle, configMapRule, type Bound } from './bound-policies.ts';
import { suite } from './suite.ts';

const map = (name: string, data: object, more: object = {}) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more }, data });

suite('policies', (test) => {
  test('a policy whose expressions do not compile is refused', async (k) => {
    const refused = async (spec: object) => {
      const [policy] = bundle(k, 'bad', { spec });
      return k.run('create --dry-run=server -f -', JSON.stringify(policy));
    };
    expect(await refused({ validations: [{ expression: 'object.spec.a ==' }] })).toMatchInlineSnapshot(`
      [stderr]
      The ValidatingAdmissionPolicy "NAMESPACE.bad" is invalid: spec.validations[0].expression: Invalid value: "object.spec.a ==": compilation failed: ERROR: <input>:1:17: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
       | object.spec.a ==
       | ................^
      [exit 1]
    `);
    expect(
      await refused({
        validations: [
          { expression: 'variables.a' },
          { expression: 'params.x == 1' },
          { expression: '1 + 1' },
          { expression: 'object.data.a' },
          { expression: 'request.nothing == 1' },
          { expression: 'true', messageExpression: '1' },
          { expression: 'true', messageExpression: "authorizer.path('/x').check('get').reason()" },
        ],
      }),
    ).toMatchInlineSnapshot(`
      [stderr]
      The ValidatingAdmissionPolicy "NAMESPACE.bad" is invalid:
      * spec.validations[0].expression: Invalid value: "variables.a": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')
       | variables.a
       | ^
      * spec.validations[1].expression: Invalid value: "params.x == 1": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')
       | params.x == 1
       | ^
      * spec.validations[2].expression: Invalid value: "1 + 1": must evaluate to bool but got int
      * spec.validations[3].expression: Invalid value: "object.data.a": must evaluate to bool but got dyn
      * spec.validations[4].expression: Invalid value: "request.nothing == 1": compilation failed: ERROR: <input>:1:8: undefined field 'nothing'
       | request.nothing == 1
       | .......^
      * spec.validations[5].messageExpression: Invalid value: "1": must evaluate to string but got int
      * spec.validations[6].messageExpression: Invalid value: "authorizer.path('/x').check('get').reason()": compilation failed: ERROR: <input>:1:1: undeclared reference to 'authorizer' (in container '')
       | authorizer.path('/x').check('get').reason()
       | ^
      [exit 1]
    `);
    expect(
      await refused({
        variables: [
          { name: 'a', expression: '1' },
          { name: 'b c', expression: 'variables.a + 1' },
          { name: 'd', expression: 'variables.e' },
        ],
        matchConditions: [{ name: 'x', expression: 'variables.a == 1' }],
        validations: [{ expression: "variables.a == 'x'" }],
      }),
    ).toMatchInlineSnapshot(`
      [stderr]
      The ValidatingAdmissionPolicy "NAMESPACE.bad" is invalid:
      * spec.matchConditions[0].expression: Invalid value: "variables.a == 1": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')
       | variables.a == 1
       | ^
      * spec.variables[1].name: Invalid value: "b c": must be a valid CEL identifier
      * spec.variables[2].expression: Invalid value: "variables.e": compilation failed: ERROR: <input>:1:10: undefined field 'e'
       | variables.e
       | .........^
      * spec.validations[0].expression: Invalid value: "variables.a == 'x'": compilation failed: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(int, string)'
       | variables.a == 'x'
       | ............^
      [exit 1]
    `);
    expect(
      await refused({
        validations: [{ expression: ' ', reason: 'Teapot' }],
        auditAnnotations: [{ key: 'k', valueExpression: '1' }],
      }),
    ).toMatchInlineSnapshot(`
      [stderr]
      The ValidatingAdmissionPolicy "NAMESPACE.bad" is invalid:
      * spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int
      * spec.validations[0].expression: Required value: expression is not specified
      * spec.validations[0].reason: Unsupported value: "Teapot": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"
      [exit 1]
    `);
  });

  test('a violation is denied with its message and its reason', async (k) => {
    const policies: Record<string, Bound> = {
      plain: { spec: { validations: [{ expression: "object.metadata.name != 'plain'" }] } },
      message: {
        spec: {
          validations: [{ expression: "object.metadata.name != 'message'", message: ' it is so ' }],
        },
      },
      computed: {
        spec: {
          variables: [{ name: 'name', expression: 'object.metadata.name' }],
          validations: [
            {
              expression: "variables.name != 'computed'",
              messageExpression: "variables.name + ' by ' + string(size(request.userInfo.groups) > 0)",
              reason: 'Forbidden',
            },
            { expression: "variables.name != 'large'", reason: 'RequestEntityTooLarge' },
            {
              expression: "variables.name != 'lines'",
              messageExpression: "'one\\ntwo'",
              message: 'the other one',
            },
          ],
        },
      },
      error: {
        spec: { validations: [{ expression: "object.metadata.name != 'error' || object.data.x == 'y'" }] },
      },
      open: {
        spec: {
          failurePolicy: 'Ignore',
          validations: [{ expression: "object.metadata.name != 'open' || object.data.x == 'y'" }],
        },
      },
      variable: {
        spec: {
          variables: [{ name: 'x', expression: 'object.data.x' }],
          validations: [{ expression: "object.metadata.name != 'variable' || variables.x == 'y'" }],
        },
      },
    };
    await bound(k, policies, async () => {
      const made = (name: string) => k.run(`create configmap ${name} --from-literal=a=b`);
      const names = ['plain', 'message', 'computed', 'large', 'lines', 'error', 'open', 'variable', 'fine'];
      const answers: string[] = [];
      for (const name of names) answers.push(await made(name));
      expect(answers.join('\n')).toMatchInlineSnapshot(`
        [stderr]
        error: failed to create configmap: configmaps "plain" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.plain' with binding 'NAMESPACE.plain' denied request: failed expression: object.metadata.name != 'plain'
        [exit 1]
        [stderr]
        error: failed to create configmap: configmaps "message" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.message' with binding 'NAMESPACE.message' denied request: it is so
        [exit 1]
        [stderr]
        error: failed to create configmap: configmaps "computed" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.computed' with binding 'NAMESPACE.computed' denied request: computed by true
        [exit 1]
        [stderr]
        error: failed to create configmap: configmaps "large" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.computed' with binding 'NAMESPACE.computed' denied request: failed expression: variables.name != 'large'
        [exit 1]
        [stderr]
        error: failed to create configmap: configmaps "lines" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.computed' with binding 'NAMESPACE.computed' denied request: the other one
        [exit 1]
        [stderr]
        error: failed to create configmap: configmaps "error" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.error' with binding 'NAMESPACE.error' denied request: expression 'object.metadata.name != 'error' || object.data.x == 'y'' resulted in error: no such key: x
        [exit 1]
        configmap/open created
        [stderr]
        error: failed to create configmap: configmaps "variable" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.variable' with binding 'NAMESPACE.variable' denied request: expression 'object.metadata.name != 'variable' || variables.x == 'y'' resulted in error: composited variable "x" fails to evaluate: no such key: x
        [exit 1]
        configmap/fine created
      `);
    });
  });

  test('conditions, actions, selectors and rules decide whether a policy applies', async (k) => {
    const never = [{ expression: 'false', message: 'never' }];
    const policies: Record<string, Bound> = {
      conditions: {
        spec: {
          matchConditions: [
            { name: 'named', expression: "request.name == 'condition'" },
            { name: 'has', expression: "object.data.x == 'y'" },
          ],
          validations: never,
        },
      },
      warns: {
        spec: { validations: [{ expression: "object == null || object.metadata.name != 'warned'" }] },
        binding: { validationActions: ['Warn', 'Audit'] },
      },
      selected: {
        spec: { validations: never },
        constraints: { objectSelector: { matchLabels: { chosen: 'yes' } } },
      },
      excluded: {
        spec: { validations: never },
        rules: [{ ...configMapRule, resourceNames: ['named', 'spared'] }],
        constraints: { excludeResourceRules: [{ ...configMapRule, resourceNames: ['spared'] }] },
      },
      deleted: {
        spec: {
          validations: [
            {
              expression: "request.operation != 'DELETE' || oldObject.metadata.name != 'kept'",
              messageExpression: "request.operation + ' ' + string(object == null)",
            },
            {
              expression:
                "request.operation != 'UPDATE' || oldObject.?data.?a.orValue('') == object.?data.?a.orValue('')",
              messageExpression: "'a was ' + oldObject.data.a",
            },
          ],
        },
      },
    };
    await bound(k, policies, async () => {
      const answers: string[] = [];
      const run = async (line: string, stdin?: string) =>
        answers.push(`> ${line}\n${await k.run(line, stdin)}`);
      await run('create configmap condition --from-literal=x=y');
      await run('create configmap condition --from-literal=x=z');
      await run('create configmap without');
      await run('delete configmap condition');
      await run('create -f -', map('condition', {}));
      await run('create configmap warned');
      await run('create -f -', map('chosen', {}, { labels: { chosen: 'yes' } }));
      await run('create configmap later');
      await run('label configmap later chosen=yes');
      await run('create configmap named');
      await run('create configmap spared');
      await run('create configmap kept --from-literal=a=b');
      await run('delete configmap kept');
      await run('patch configmap kept -p {"data":{"a":"c"}}');
      await run('patch configmap kept -p {"data":{"b":"c"}}');
      await run('delete configmaps --all');
      expect(answers.join('\n')).toMatchInlineSnapshot(`
        > create configmap condition --from-literal=x=y
        [stderr]
        error: failed to create configmap: configmaps "condition" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.conditions' with binding 'NAMESPACE.conditions' denied request: never
        [exit 1]
        > create configmap condition --from-literal=x=z
        configmap/condition created
        > create configmap without
        configmap/without created
        > delete configmap condition
        [stderr]
        The configmaps "condition" is invalid: : ValidatingAdmissionPolicy 'NAMESPACE.conditions' with binding 'NAMESPACE.conditions' denied request: expression 'object.data.x == 'y'' resulted in error: no such key: data
        [exit 1]
        > create -f -
        [stderr]
        The configmaps "condition" is invalid: : ValidatingAdmissionPolicy 'NAMESPACE.conditions' with binding 'NAMESPACE.conditions' denied request: expression 'object.data.x == 'y'' resulted in error: no such key: data
        [exit 1]
        > create configmap warned
        configmap/warned created
        [stderr]
        Warning: Validation failed for ValidatingAdmissionPolicy 'NAMESPACE.warns' with binding 'NAMESPACE.warns': failed expression: object == null || object.metadata.name != 'warned'
        > create -f -
        [stderr]
        The configmaps "chosen" is invalid: : ValidatingAdmissionPolicy 'NAMESPACE.selected' with binding 'NAMESPACE.selected' denied request: never
        [exit 1]
        > create configmap later
        configmap/later created
        > label configmap later chosen=yes
        [stderr]
        The configmaps "later" is invalid: : ValidatingAdmissionPolicy 'NAMESPACE.selected' with binding 'NAMESPACE.selected' denied request: never
        [exit 1]
        > create configmap named
        [stderr]
        error: failed to create configmap: configmaps "named" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.excluded' with binding 'NAMESPACE.excluded' denied request: never
        [exit 1]
        > create configmap spared
        configmap/spared created
        > create configmap kept --from-literal=a=b
        configmap/kept created
        > delete configmap kept
        [stderr]
        The configmaps "kept" is invalid: : ValidatingAdmissionPolicy 'NAMESPACE.deleted' with binding 'NAMESPACE.deleted' denied request: DELETE true
        [exit 1]
        > patch configmap kept -p {"data":{"a":"c"}}
        [stderr]
        The configmaps "kept" is invalid: : ValidatingAdmissionPolicy 'NAMESPACE.deleted' with binding 'NAMESPACE.deleted' denied request: a was b
        [exit 1]
        > patch configmap kept -p {"data":{"b":"c"}}
        configmap/kept patched
        > delete configmaps --all
        configmap "kube-root-ca.crt" deleted
        configmap "later" deleted
        configmap "spared" deleted
        configmap "warned" deleted
        configmap "without" deleted
        [stderr]
        Error from server (Invalid): configmaps "condition" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.conditions' with binding 'NAMESPACE.conditions' denied request: expression 'object.data.x == 'y'' resulted in error: no such key: data
        Error from server (Invalid): configmaps "kept" is forbidden: ValidatingAdmissionPolicy 'NAMESPACE.deleted' with binding 'NAMESPACE.deleted' denied request: DELETE true
        [exit 1]
      `);
    });
  });
});
