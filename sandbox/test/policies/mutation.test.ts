import { describe, expect, test } from 'vitest';
import type { Cluster, Resource } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { configMap, configMaps, pod, refusal, stage } from '../world.ts';

const group = 'admissionregistration.k8s.io';
const apiVersion = `${group}/v1beta1`;
const policies: Resource = {
  group,
  version: 'v1beta1',
  plural: 'mutatingadmissionpolicies',
  kind: 'MutatingAdmissionPolicy',
  namespaced: false,
};
const bindings: Resource = {
  ...policies,
  plural: 'mutatingadmissionpolicybindings',
  kind: 'MutatingAdmissionPolicyBinding',
};

const apply = (expression: string) => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

const rule = {
  apiGroups: ['*'],
  apiVersions: ['*'],
  operations: ['CREATE', 'UPDATE'],
  resources: ['configmaps', 'pods'],
};

function policy(name: string, mutations: object[], spec: object = {}): KubeObject {
  return {
    apiVersion,
    kind: policies.kind,
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      reinvocationPolicy: 'Never',
      mutations,
      ...spec,
    },
  };
}

const binding = (name: string, spec: object = {}): KubeObject => ({
  apiVersion,
  kind: bindings.kind,
  metadata: { name },
  spec: { policyName: name, ...spec },
});

async function withPolicies(...all: KubeObject[]): Promise<Cluster> {
  const { alice } = stage({ mutatingPolicies: true, nodes: 0 });
  for (const each of all) {
    await alice.create(policies, each);
    await alice.create(bindings, binding(each.metadata.name));
  }
  return alice;
}

const labelled = (name: string, value: string) =>
  apply(`Object{metadata: Object.metadata{labels: {'${name}': '${value}'}}}`);

describe('a mutating policy', () => {
  test('is not served by default', async () => {
    const { alice } = stage({ nodes: 0 });
    expect((await refusal(alice.create(policies, policy('p', [labelled('a', 'b')])))).code).toBe(404);
  });

  test('merges a configuration into a new object and into an update', async () => {
    const alice = await withPolicies(policy('p', [labelled('by', 'policy')]));
    const made = await alice.create(configMaps, configMap('a', { labels: { own: 'yes' } }));
    expect(made.metadata.labels).toEqual({ own: 'yes', by: 'policy' });
    const body = { metadata: { labels: { by: null } } };
    const next = await alice.patch(configMaps, { namespace: 'default', name: 'a' }, { type: 'merge', body });
    expect(next.metadata.labels).toEqual({ own: 'yes', by: 'policy' });
  });

  test('merges the items of lists by their keys, and sets defaults', async () => {
    const sidecar = `Object{spec: Object.spec{containers: [
      Object.spec.containers{name: 'main', imagePullPolicy: 'Never'},
      Object.spec.containers{name: 'sidecar', image: 'sidecar:1'}]}}`;
    const alice = await withPolicies(policy('p', [apply(sidecar)]));
    const made = await alice.create(resources.Pod, pod('a'));
    expect(made['spec']).toMatchObject({
      containers: [
        { name: 'main', image: 'web:1', imagePullPolicy: 'Never' },
        { name: 'sidecar', image: 'sidecar:1', imagePullPolicy: 'IfNotPresent' },
      ],
    });
  });

  test('applies the operations of a patch, with variables, parameters and the request', async () => {
    const alice = await withPolicies(
      policy(
        'p',
        [
          patch(`(has(object.metadata.labels) ? [] : [JSONPatch{op: 'add', path: '/metadata/labels', value: {}}]) +
            [JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a.b/c'), value: variables.who}]`),
          patch(`[JSONPatch{op: 'add', path: '/data', value: object.?data.orValue({})},
            JSONPatch{op: 'copy', from: '/metadata/name', path: '/data/copied'},
            JSONPatch{op: 'add', path: '/data/size', value: string(size(object.data))}]`),
        ],
        { variables: [{ name: 'who', expression: 'request.userInfo.username' }] },
      ),
    );
    const made = await alice.create(configMaps, configMap('a', {}, { x: 'y' }));
    expect([made.metadata.labels, made['data']]).toEqual([
      { 'a.b/c': 'alice' },
      { x: 'y', copied: 'a', size: '1' },
    ]);
  });

  test('leaves the object where a test of its patch does not hold', async () => {
    const alice = await withPolicies(
      policy('p', [
        patch(`[JSONPatch{op: 'add', path: '/data/x', value: 'z'},
          JSONPatch{op: 'test', path: '/data/y', value: 'other'}]`),
      ]),
    );
    expect((await alice.create(configMaps, configMap('a', {}, { y: '1' })))['data']).toEqual({ y: '1' });
  });

  test('takes its parameters from the binding', async () => {
    const { alice } = stage({ mutatingPolicies: true, nodes: 0 });
    await alice.create(configMaps, configMap('settings', {}, { label: 'set' }));
    await alice.create(
      policies,
      policy('p', [apply("Object{metadata: Object.metadata{labels: {'by': params.data.label}}}")], {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      }),
    );
    const paramRef = { name: 'settings', namespace: 'default', parameterNotFoundAction: 'Deny' };
    await alice.create(bindings, binding('p', { paramRef }));
    const made = await alice.create(configMaps, configMap('a'));
    expect(made.metadata.labels).toEqual({ by: 'set' });
    await alice.delete(configMaps, { namespace: 'default', name: 'settings' });
    const { code, reason, message } = await refusal(alice.create(configMaps, configMap('b')));
    expect([code, reason, message]).toEqual([
      403,
      'Forbidden',
      "policy 'p' with binding 'p' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    ]);
  });

  test('is skipped where its conditions do not hold', async () => {
    const matchConditions = [{ name: 'n', expression: "object.metadata.name == 'a'" }];
    const alice = await withPolicies(policy('p', [labelled('by', 'policy')], { matchConditions }));
    const made = await Promise.all(['a', 'b'].map((name) => alice.create(configMaps, configMap(name))));
    expect(made.map(({ metadata }) => metadata.labels)).toEqual([{ by: 'policy' }, undefined]);
  });
});

describe('the order of mutating policies', () => {
  const counted = (name: string, reinvocationPolicy: string) =>
    policy(
      name,
      [
        patch(`[JSONPatch{op: 'add', path: '/data/${name}',
          value: string(size(object.data)) + object.?data.?${name}.orValue('')}]`),
      ],
      { reinvocationPolicy },
    );

  test.each([
    ['Never', { a: '1', b: '2' }],
    ['IfNeeded', { a: '31', b: '2' }],
  ])('is that of their names; %s', async (reinvocationPolicy, expected) => {
    const alice = await withPolicies(counted('b', 'Never'), counted('a', reinvocationPolicy));
    const made = await alice.create(configMaps, configMap('x', {}, { own: 'yes' }));
    expect(made['data']).toEqual({ own: 'yes', ...expected });
  });
});

describe('a mutation that fails', () => {
  const failing: [string, object, string][] = [
    ['no value', apply('Object{data: Object.data{x: object.data.nothing}}'), 'no such key: nothing'],
    [
      'a wrong name',
      apply('Object{metadata: Object.meta{}}'),
      'type mismatch: unexpected type name "Object.meta", expected "Object.metadata", which matches field name path from root Object type',
    ],
    [
      'an unknown field',
      apply('Object{wrong: 1}'),
      'error applying patch: failed to convert patch object to typed object: .wrong: field not declared in schema',
    ],
    [
      'a value that JSON lacks',
      apply("Object{data: {'x': optional.of('y')}}"),
      'error applying patch: failed to convert patch object to typed object: .data.x: expected string, got &value.valueUnstructured{Value:optional_type}',
    ],
    [
      'an atomic value',
      apply(
        "Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{uid: 'x'}]}}",
      ),
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .metadata.ownerReferences[0]',
    ],
    [
      'a path that is not there',
      patch("[JSONPatch{op: 'remove', path: '/data/nothing'}]"),
      "JSON Patch: error in remove for path: '/data/nothing': Unable to remove nonexistent key: nothing: missing value",
    ],
    [
      'a missing parent',
      patch("[JSONPatch{op: 'add', path: '/metadata/labels/a', value: 'b'}]"),
      'JSON Patch: add operation does not apply: doc is missing path: "/metadata/labels/a": missing value',
    ],
  ];

  test.each(failing)('%s: the write is refused', async (_, mutation, why) => {
    const alice = await withPolicies(policy('p', [mutation]));
    const { code, reason, message } = await refusal(
      alice.create(configMaps, configMap('a', {}, { own: '1' })),
    );
    expect([code, reason]).toEqual([403, 'Invalid']);
    expect(message).toContain("policy 'p' with binding 'p' denied request: ");
    expect(message.endsWith(why)).toBe(true);
  });

  test.each(failing)('%s: ignored, others go on', async (_, mutation) => {
    const alice = await withPolicies(
      policy('p', [mutation, labelled('by', 'policy')], { failurePolicy: 'Ignore' }),
    );
    const made = await alice.create(configMaps, configMap('a', {}, { own: '1' }));
    expect([made.metadata.labels, made['data']]).toEqual([{ by: 'policy' }, { own: '1' }]);
  });

  test('names every policy that fails', async () => {
    const [, first = {}] = failing.find(([what]) => what === 'a path that is not there') ?? [];
    const alice = await withPolicies(policy('p', [first]), policy('q', [first]));
    const { details } = await refusal(alice.create(configMaps, configMap('a')));
    expect(details?.causes?.map(({ message }) => message?.slice(0, 10))).toEqual([
      "policy 'p'",
      "policy 'q'",
    ]);
  });

  test('an unknown field in a patch is an error of the server', async () => {
    const alice = await withPolicies(
      policy('p', [patch("[JSONPatch{op: 'add', path: '/wrong', value: 1}]")], { failurePolicy: 'Ignore' }),
    );
    const { code, message } = await refusal(alice.create(configMaps, configMap('a')));
    expect([code, message]).toEqual([
      500,
      'Internal error occurred: strict decoding error: unknown field "wrong"',
    ]);
  });
});

describe('what identifies an object', () => {
  const named = (name: string) => apply(`Object{metadata: Object.metadata{name: '${name}'}}`);

  test('is that of the mutated one when it is created: no other is overwritten', async () => {
    const alice = await withPolicies(
      policy('p', [named('taken')], {
        matchConditions: [{ name: 'n', expression: "object.metadata.name == 'a'" }],
      }),
    );
    await alice.create(configMaps, configMap('taken', {}, { own: '1' }));
    const { code, message } = await refusal(alice.create(configMaps, configMap('a')));
    expect([code, message]).toEqual([409, 'configmaps "taken" already exists']);
    const kept = await alice.get(configMaps, { namespace: 'default', name: 'taken' });
    expect(kept['data']).toEqual({ own: '1' });
  });

  test('does not change in an update', async () => {
    const matchConditions = [{ name: 'u', expression: "request.operation == 'UPDATE'" }];
    const alice = await withPolicies(policy('p', [named('other')], { matchConditions }));
    await alice.create(configMaps, configMap('a'));
    const patched = { type: 'merge', body: { data: { x: 'y' } } } as const;
    const { code, message } = await refusal(
      alice.patch(configMaps, { namespace: 'default', name: 'a' }, patched),
    );
    expect([code, message]).toEqual([
      422,
      'ConfigMap "other" is invalid: metadata.name: Invalid value: "other": field is immutable',
    ]);
    const { items } = await alice.list(configMaps, { namespace: 'default' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a']);
  });
});

test('indices of a patch count from the end if they are negative', async () => {
  const alice = await withPolicies(
    policy('p', [patch("[JSONPatch{op: 'add', path: '/metadata/finalizers/-2', value: 'x.y/new'}]")]),
  );
  const made = await alice.create(configMaps, configMap('a', { finalizers: ['x.y/a', 'x.y/b'] }));
  expect(made.metadata.finalizers).toEqual(['x.y/a', 'x.y/new', 'x.y/b']);
});
