import { ApiError, createVirtualClock, createWorld } from 'kruise-sandbox';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { deployOutputs } from '../../deploy/generate/outputs.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';

const installed = parseAllDocuments(
  deployOutputs(kinds, crds).get('deploy/components/copy-protection/policy.yaml') ?? '',
).map((each) => each.toJS() as KubeObject);

const LABEL = 'plan.kruise.io/distributed';
const controller: OwnerReference = {
  ...{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'ResourceDistribution', name: 'shared', uid: '1' },
  controller: true,
};

interface Parts {
  owners?: OwnerReference[];
  labels?: Record<string, string>;
  value?: string;
  immutable?: boolean;
}

const copy = (
  kind: string,
  { owners = [controller], labels, value = 'cmVk', immutable }: Parts = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: {
    name: 'settings',
    namespace: 'shop',
    labels: labels ?? { [LABEL]: 'true' },
    ownerReferences: owners,
  },
  data: { color: value },
  ...(immutable !== undefined && { immutable }),
});

const ANNA = 'anna';
const CLEANING = [
  'system:serviceaccount:kube-system:namespace-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:kube-controller-manager',
];
const RUNTIME = 'system:serviceaccount:kruise-system:kruise-runtime';

/** Whether a server with the policies lets the user write `after` over `before`, or delete `before`. */
async function outcome(user: string, before: KubeObject, after?: KubeObject): Promise<string> {
  const resource = before.kind === 'Secret' ? resources.Secret : resources.ConfigMap;
  const world = createWorld({ clock: createVirtualClock(0), crds: [], nodes: 0, namespaces: ['shop'] });
  world.server.create('admin', resource, before);
  for (const object of installed) {
    const plural = object.kind.endsWith('Binding')
      ? 'validatingadmissionpolicybindings'
      : 'validatingadmissionpolicies';
    world.server.create('admin', { group: 'admissionregistration.k8s.io', version: 'v1', plural }, object);
  }
  const cluster = world.cluster(user);
  try {
    if (after === undefined) await cluster.delete(resource, { namespace: 'shop', name: 'settings' });
    else await cluster.replace(resource, after);
    return 'allowed';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.message.replace(/^.*denied request: /, '');
  } finally {
    world.stop();
  }
}

describe.each(['ConfigMap', 'Secret'])('a copy of a %s', (kind) => {
  const refusal = `${kind.toLowerCase()}s settings is a copy: change ResourceDistribution shared`;
  const before = copy(kind);
  const { labels: _labels, ...bare } = before.metadata;
  const changes: [string, KubeObject | undefined][] = [
    ['changed data', copy(kind, { value: 'Ymx1ZQ==' })],
    ['immutability', copy(kind, { immutable: true })],
    ['no owner', copy(kind, { owners: [] })],
    ['no label', { ...before, metadata: bare }],
    ['a deletion', undefined],
  ];

  test.each(changes)('gets %s by nobody but the runtime and those that clean up', async (_what, after) => {
    expect(await outcome(ANNA, before, after)).toContain(refusal);
    for (const user of [RUNTIME, ...CLEANING])
      expect([user, await outcome(user, before, after)]).toEqual([user, 'allowed']);
  });

  test('gets labels of others', async () => {
    expect(await outcome(ANNA, before, copy(kind, { labels: { [LABEL]: 'true', own: 'x' } }))).toBe(
      'allowed',
    );
  });

  test.each<[string, KubeObject]>([
    ['without the label', copy(kind, { labels: {} })],
    ['without an owner', copy(kind, { owners: [] })],
    ['of another owner', copy(kind, { owners: [{ ...controller, kind: 'CloneSet' }] })],
  ])('is no copy %s', async (_what, object) => {
    expect(await outcome(ANNA, object, { ...object, data: {} })).toBe('allowed');
    expect(await outcome(ANNA, object)).toBe('allowed');
  });
});
