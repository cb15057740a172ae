import { createVirtualClock, createWorld, type World } from 'kruise-sandbox';
import { afterEach, describe, expect, test } from 'vitest';
import { disruptionConfiguration } from '../../../runtime/admit/configuration.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { kinds as shipped } from '../../../semantics/registry/registry.ts';
import { keepDefinitions } from './definitions.ts';
import { admittingBy } from '../../../semantics/kinds/admitting.ts';
import { keepKind } from './kind.ts';
import { pod, SHOP } from './world.ts';

const OWN = ['kruise-system'];
const RUNTIME = 'system:serviceaccount:kruise-system:kruise-runtime';

test('no kind that is shipped reviews what happens to pods unless somebody wants it, so that nobody is asked', () => {
  const kinds = admittingBy(shipped, []);
  expect(disruptionConfiguration((path) => ({ url: path }), OWN, kinds)).toBeUndefined();
});

test('the configuration follows from the registration', () => {
  const { webhooks } = disruptionConfiguration((path) => ({ url: path }), OWN, [keepKind]) as unknown as {
    webhooks: Record<string, unknown>[];
  };
  const common = {
    admissionReviewVersions: ['v1'],
    clientConfig: { url: '/disruptions/keeps.test.plan.kruise.io' },
    matchPolicy: 'Equivalent',
    sideEffects: 'NoneOnDryRun',
    timeoutSeconds: 3,
    namespaceSelector: {
      matchExpressions: [
        {
          key: 'kubernetes.io/metadata.name',
          operator: 'NotIn',
          values: ['kube-system', 'argocd', 'flux-system', 'kruise-system'],
        },
      ],
    },
  };
  const rule = { apiGroups: [''], apiVersions: ['v1'], scope: 'Namespaced' };
  expect(webhooks).toEqual([
    {
      ...common,
      name: 'pods.keeps.test.plan.kruise.io',
      failurePolicy: 'Fail',
      rules: [
        { ...rule, operations: ['DELETE', 'UPDATE'], resources: ['pods'] },
        { ...rule, operations: ['UPDATE'], resources: ['pods/resize'] },
      ],
      matchConditions: expect.arrayContaining([
        {
          name: 'linked',
          expression:
            "has(oldObject.metadata.annotations) && 'test.plan.kruise.io/keep' in oldObject.metadata.annotations",
        },
      ]) as unknown,
    },
    {
      ...common,
      name: 'evictions.keeps.test.plan.kruise.io',
      // No condition limits an outage to covered pods: the request does not show them.
      failurePolicy: 'Ignore',
      rules: [{ ...rule, operations: ['CREATE'], resources: ['pods/eviction'] }],
    },
  ]);
});

describe('while nobody answers', () => {
  let world: World;
  afterEach(() => world.stop());

  /** Deletes a pod, and returns how often the admission was asked about it. */
  async function askedAbout(
    object: KubeObject,
    {
      name,
      groups = [],
      gracePeriodSeconds,
    }: { name: string; groups?: string[]; gracePeriodSeconds?: number },
    { status, finalizers }: { status?: object; finalizers?: string[] } = {},
  ): Promise<number> {
    let asked = 0;
    world = createWorld({
      clock: createVirtualClock(0),
      namespaces: [SHOP, 'kruise-system'],
      nodes: 0,
      crds: [...crds, ...keepDefinitions],
      webhooks() {
        asked += 1;
        return { fault: 'connection refused' };
      },
    });
    const admin = world.cluster('admin');
    await admin.create(resources.Pod, object);
    const at = { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
    if (status !== undefined)
      await admin.patch(
        resources.Pod,
        at,
        { type: 'merge', body: { status } as never },
        { subresource: 'status' },
      );
    if (finalizers !== undefined) {
      await admin.patch(resources.Pod, at, { type: 'merge', body: { metadata: { finalizers } } });
      await admin.delete(resources.Pod, at);
    }
    const configuration = disruptionConfiguration(() => ({ url: 'https://127.0.0.1:1/' }), OWN, [keepKind]);
    world.server.create(
      'admin',
      { group: 'admissionregistration.k8s.io', version: 'v1', plural: 'validatingwebhookconfigurations' },
      configuration,
    );
    try {
      world.server.delete(name, resources.Pod, at, {
        requester: { name, groups: ['system:masters', ...groups] },
        ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      });
    } catch (error) {
      expect(String(error)).toContain('failed calling webhook');
    }
    return asked;
  }

  const covered = pod('a', 'doors');

  test.each<[string, number, () => Promise<number>]>([
    ['a covered pod is asked about (control)', 1, async () => askedAbout(covered, { name: 'mona' })],
    ['a pod that nothing covers is not', 0, async () => askedAbout(pod('a'), { name: 'mona' })],
    [
      'nor one of the own namespace',
      0,
      async () => askedAbout(pod('a', 'doors', { namespace: 'kruise-system' }), { name: 'mona' }),
    ],
    ['nor what the runtime does', 0, async () => askedAbout(covered, { name: RUNTIME })],
    [
      'nor a pod that has ended',
      0,
      async () => askedAbout(covered, { name: 'mona' }, { status: { phase: 'Succeeded' } }),
    ],
    [
      'nor one that is going',
      0,
      async () => askedAbout(covered, { name: 'mona' }, { finalizers: ['test.example/wait'] }),
    ],
    [
      'nor the last delete of the kubelet',
      0,
      async () =>
        askedAbout(covered, { name: 'system:node:a', groups: ['system:nodes'], gracePeriodSeconds: 0 }),
    ],
    [
      'a delete by a node with time to end is (control)',
      1,
      async () =>
        askedAbout(covered, { name: 'system:node:a', groups: ['system:nodes'], gracePeriodSeconds: 30 }),
    ],
  ])('%s', async (_, times, ask) => {
    expect(await ask()).toBe(times);
  });
});
