import { describe, expect, test } from 'vitest';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { accountName } from '../../access/users.ts';
import { configMap, configMaps, pod, refusal, stage, type Stage } from '../world.ts';

const group = 'admissionregistration.k8s.io';
const policies = {
  group,
  version: 'v1',
  plural: 'validatingadmissionpolicies',
  kind: 'ValidatingAdmissionPolicy',
  namespaced: false,
};
const bindings = {
  ...policies,
  plural: 'validatingadmissionpolicybindings',
  kind: 'ValidatingAdmissionPolicyBinding',
};

interface Rule {
  apiGroups?: string[];
  apiVersions?: string[];
  operations?: string[];
  resources: string[];
}

function policy(name: string, rule: Rule, expression: string, constraints: object = {}): KubeObject {
  const resourceRules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], ...rule }];
  return {
    apiVersion: `${group}/v1`,
    kind: policies.kind,
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules, ...constraints },
      validations: [{ expression, reason: 'Forbidden', message: name }],
    },
  };
}

const binding = (name: string): KubeObject => ({
  apiVersion: `${group}/v1`,
  kind: bindings.kind,
  metadata: { name },
  spec: { policyName: name, validationActions: ['Deny'] },
});

async function bind(alice: Cluster, ...all: KubeObject[]): Promise<void> {
  for (const each of all) {
    await alice.create(policies, each);
    await alice.create(bindings, binding(each.metadata.name));
  }
}

async function withPolicies(...all: KubeObject[]): Promise<Stage> {
  const made = stage();
  await bind(made.alice, ...all);
  return made;
}

const denied = (name: string) =>
  `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: ${name}`;
const here = (name: string) => ({ namespace: 'default', name });

describe('a policy', () => {
  test('without a binding refuses nothing', async () => {
    const { alice } = stage();
    await alice.create(policies, policy('p', { resources: ['configmaps'] }, 'false'));
    expect(await alice.create(configMaps, configMap('a'))).toMatchObject({ metadata: { name: 'a' } });
    await alice.create(bindings, binding('p'));
    const { code, reason, message } = await refusal(alice.create(configMaps, configMap('b')));
    expect([code, reason, message]).toEqual([
      403,
      'Forbidden',
      `configmaps "b" is forbidden: ${denied('p')}`,
    ]);
  });

  test('ends with its binding', async () => {
    const { alice } = await withPolicies(policy('p', { resources: ['configmaps'] }, 'false'));
    await alice.delete(bindings, { name: 'p' });
    expect(await alice.create(configMaps, configMap('a'))).toMatchObject({ metadata: { name: 'a' } });
  });

  test('does not bind policies, bindings and reviews', async () => {
    const { alice } = await withPolicies(policy('p', { resources: ['*/*'] }, 'false'));
    await alice.delete(bindings, { name: 'p' });
    await alice.delete(policies, { name: 'p' });
    expect((await alice.list(policies, {})).items).toEqual([]);
  });

  test('the first by name is the one that refuses', async () => {
    const rule = { resources: ['configmaps'] };
    const { alice } = await withPolicies(policy('z', rule, 'false'), policy('m', rule, 'false'));
    expect((await refusal(alice.create(configMaps, configMap('a')))).message).toContain(denied('m'));
  });

  test('nothing is stored of what it refuses, nothing is lost', async () => {
    const { alice, world } = stage();
    await alice.create(configMaps, configMap('a', {}, { x: '1' }));
    await bind(alice, policy('p', { resources: ['configmaps'] }, 'false'));
    const before = world.state();
    const patch = { type: 'merge', body: { data: { x: '2' } } } as const;
    for (const call of [
      alice.create(configMaps, configMap('b')),
      alice.patch(configMaps, here('a'), patch),
      alice.patch(
        configMaps,
        here('a'),
        { type: 'apply', body: configMap('a') as unknown as JsonObject, force: true },
        { fieldManager: 'm' },
      ),
      alice.replace(configMaps, configMap('a')),
      alice.delete(configMaps, here('a')),
    ])
      expect((await refusal(call)).code).toBe(403);
    expect(world.state()).toEqual(before);
  });
});

describe('what a policy sees', () => {
  test('an object in the version that its rule names, whatever the version of the request', async () => {
    const rule = { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'] };
    const scaler = (apiVersion: string, spec: object): KubeObject => ({
      apiVersion,
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'a', namespace: 'default' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        maxReplicas: 3,
        ...spec,
      },
    });
    const scalers = (version: string) => ({
      group: 'autoscaling',
      version,
      plural: 'horizontalpodautoscalers',
      kind: 'HorizontalPodAutoscaler',
      namespaced: true,
    });
    const seen = policy('p', { ...rule, apiVersions: ['v1'] }, 'has(object.spec.metrics)');
    const old = scaler('autoscaling/v1', { targetCPUUtilizationPercentage: 50 });
    const { alice } = await withPolicies(seen);
    const { message } = await refusal(alice.create(scalers('v2'), scaler('autoscaling/v2', { metrics: [] })));
    expect(message).toContain(denied('p'));
    const exact = policy('p', { ...rule, apiVersions: ['v1'] }, 'false', { matchPolicy: 'Exact' });
    const other = await withPolicies(exact);
    await other.alice.create(scalers('v2'), scaler('autoscaling/v2', {}));
    await other.alice.delete(scalers('v2'), here('a'));
    expect((await refusal(other.alice.create(scalers('v1'), old))).message).toContain(denied('p'));
  });

  test('evictions, and not the deletion that follows', async () => {
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: here('a') } as KubeObject;
    const evict = (alice: Cluster) => alice.create(resources.Pod, eviction, { subresource: 'eviction' });
    const one = await withPolicies(
      policy('p', { resources: ['pods/eviction'] }, "object.kind != 'Eviction'"),
    );
    await one.alice.create(resources.Pod, pod('a'));
    expect((await refusal(evict(one.alice))).message).toContain(denied('p'));
    const two = await withPolicies(policy('p', { operations: ['DELETE'], resources: ['pods'] }, 'false'));
    await two.alice.create(resources.Pod, pod('a'));
    expect((await refusal(two.alice.delete(resources.Pod, here('a')))).message).toContain(denied('p'));
    await evict(two.alice);
    expect((await two.alice.list(resources.Pod, {})).items).toEqual([]);
  });

  test('the groups of service accounts in process', async () => {
    const expression = "'system:serviceaccounts:shop' in request.userInfo.groups";
    const { alice, world } = await withPolicies(policy('p', { resources: ['configmaps'] }, expression));
    expect((await refusal(alice.create(configMaps, configMap('a')))).code).toBe(403);
    const account = world.cluster(accountName('shop', 'robot'));
    expect(await account.create(configMaps, configMap('a'))).toMatchObject({ metadata: { name: 'a' } });
  });

  test('a Namespace by its own labels, and objects without namespace by none', async () => {
    const selector = { namespaceSelector: { matchLabels: { strict: 'yes' } } };
    const { alice } = await withPolicies(
      policy('p', { resources: ['namespaces', 'nodes', 'configmaps'] }, 'false', selector),
    );
    const namespace = (name: string, labels: Record<string, string>): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels },
    });
    expect((await refusal(alice.create(resources.Namespace, namespace('a', { strict: 'yes' })))).code).toBe(
      403,
    );
    await alice.create(resources.Namespace, namespace('b', { strict: 'no' }));
    await alice.create(configMaps, configMap('a'));
    const node: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
    expect((await refusal(alice.create(resources.Node, node))).message).toContain(denied('p'));
  });
});
