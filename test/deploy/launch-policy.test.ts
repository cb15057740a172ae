import { ApiError, createVirtualClock, createWorld } from 'kruise-sandbox';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { deployOutputs } from '../../deploy/generate/outputs.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';

const NAME = 'runtime-launch.plan.kruise.io';
const RUNTIME = 'system:serviceaccount:kruise-system:kruise-runtime';
const text = deployOutputs(kinds, crds).get('deploy/policy/runtime.yaml') ?? '';
const installed = parseAllDocuments(text)
  .map((each) => each.toJS() as KubeObject)
  .filter(({ metadata }) => metadata.name === NAME);
const admission = (plural: string) => ({ group: 'admissionregistration.k8s.io', version: 'v1', plural });

const owner = (kind: string, name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: kind === 'Pod' ? 'v1' : 'apps.kruise.io/v1beta1',
  kind,
  name,
  uid: '1',
  ...more,
});

interface Parts {
  name?: string;
  owners?: OwnerReference[];
  data?: Record<string, string>;
  namespace?: string;
}

const configMap = ({ name = 'web-0-barrier', owners, data, namespace = 'shop' }: Parts = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, ownerReferences: owners ?? [owner('Pod', 'web-0')] },
  data: data ?? { p_10: 'true', 'p_-3': 'true' },
});

/** A copy that a ResourceDistribution controls. */
const copy = (parts: Parts = {}): KubeObject =>
  configMap({
    owners: [owner('ResourceDistribution', 'shared', { controller: true })],
    data: { color: 'red' },
    ...parts,
    name: 'web-0-barrier',
  });

/** Whether a server with the policy lets the user write `after`, over `before` if there is one, or delete `before`. */
async function outcome(
  user: string,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): Promise<string> {
  const world = createWorld({
    clock: createVirtualClock(0),
    crds: [],
    nodes: 0,
    namespaces: ['shop', 'kube-system'],
  });
  if (before !== undefined) world.server.create('admin', resources.ConfigMap, before);
  for (const object of installed)
    world.server.create(
      'admin',
      admission(
        object.kind.endsWith('Binding') ? 'validatingadmissionpolicybindings' : 'validatingadmissionpolicies',
      ),
      object,
    );
  const cluster = world.cluster(user);
  try {
    if (after === undefined)
      await cluster.delete(resources.ConfigMap, { namespace: 'shop', name: before?.metadata.name ?? '' });
    else if (before === undefined) await cluster.create(resources.ConfigMap, after);
    else await cluster.replace(resources.ConfigMap, after);
    return 'allowed';
  } catch (error) {
    if (!(error instanceof ApiError) || !error.message.includes(`'${NAME}'`)) throw error;
    return 'refused';
  } finally {
    world.stop();
  }
}

describe('the policy of the ConfigMaps that the runtime writes', () => {
  const ofPod = configMap();
  const ofTarget = configMap({ owners: [owner('CloneSet', 'web')] });
  const ofNobody = configMap({ owners: [] });
  const settings = configMap({ data: { color: 'red' } });

  const ofOwner = ({ kind = 'ResourceDistribution', ...more }: Partial<OwnerReference>): KubeObject =>
    copy({ owners: [owner(kind, 'shared', more)] });
  const controller = owner('ResourceDistribution', 'shared', { controller: true });
  const shared = copy({ owners: [controller, owner('Pod', 'web-0')] });

  test('is installed with its binding', () => {
    expect(installed.map(({ kind }) => kind)).toEqual([
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
    ]);
  });

  test.each([
    ['creates that of a pod', undefined, ofPod, 'allowed'],
    ['creates that of a pod to come', undefined, ofTarget, 'allowed'],
    ['hands it over to the pod, with a further key', ofTarget, ofPod, 'allowed'],
    ['creates one of nobody', undefined, ofNobody, 'refused'],
    ['creates one with settings', undefined, settings, 'refused'],
    ['gives it another value', ofPod, configMap({ data: { p_10: 'false' } }), 'refused'],
    ['takes over settings', settings, ofPod, 'refused'],
    ['takes over one of nobody', ofNobody, ofPod, 'refused'],
    ['names it after another pod', undefined, configMap({ name: 'other-barrier' }), 'refused'],
    ['names it otherwise', undefined, configMap({ name: 'web-0-settings' }), 'refused'],
    ['gives it to a Deployment', undefined, configMap({ owners: [owner('Deployment', 'web')] }), 'refused'],
    [
      'is its controller',
      undefined,
      configMap({ owners: [owner('CloneSet', 'web', { controller: true })] }),
      'refused',
    ],
    ['creates one in kube-system', undefined, configMap({ namespace: 'kube-system' }), 'refused'],
    ['deletes one', ofPod, undefined, 'refused'],
    ['creates a copy', undefined, copy(), 'allowed'],
    ['changes a copy', copy(), copy({ data: { color: 'blue' } }), 'allowed'],
    ['changes a copy that has a further owner', shared, { ...shared, data: {} }, 'allowed'],
    ['deletes a copy', copy(), undefined, 'allowed'],
    ['creates a copy that others own, too', undefined, shared, 'refused'],
    ['creates a copy that nobody controls', undefined, ofOwner({}), 'refused'],
    [
      'creates a copy for another kind',
      undefined,
      ofOwner({ kind: 'CloneSet', controller: true }),
      'refused',
    ],
    [
      'creates a copy for another group',
      undefined,
      ofOwner({ apiVersion: 'example.com/v1', controller: true }),
      'refused',
    ],
    ['creates a copy in kube-system', undefined, copy({ namespace: 'kube-system' }), 'refused'],
    ['takes over settings as a copy', settings, copy(), 'refused'],
    ['takes over one of nobody as a copy', ofNobody, copy(), 'refused'],
    ['gives a copy to nobody', copy(), copy({ owners: [] }), 'refused'],
    ['takes an owner from a copy', shared, copy(), 'refused'],
    [
      'changes what a ResourceDistribution does not control',
      ofOwner({}),
      { ...ofOwner({}), data: {} },
      'refused',
    ],
    ['deletes what a ResourceDistribution does not control', ofOwner({}), undefined, 'refused'],
    ['deletes settings', settings, undefined, 'refused'],
  ] as const)('the runtime %s', async (_, before, after, expected) => {
    expect(await outcome(RUNTIME, before, after)).toBe(expected);
  });

  test('is about nobody else', async () => {
    expect(await outcome('kubernetes-admin', settings, ofNobody)).toBe('allowed');
  });
});
