import { ApiError, createVirtualClock, createWorld } from 'kruise-sandbox';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { deployOutputs } from '../../deploy/generate/outputs.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';

const NAME = 'secrets.plan.kruise.io';
const RUNTIME = 'system:serviceaccount:kruise-system:kruise-runtime';
const { Secret } = resources;
const policy = deployOutputs(kinds, crds).get('deploy/components/secrets/policy.yaml') ?? '';
const installed = parseAllDocuments(policy).map((each) => each.toJS() as KubeObject);

const controller: OwnerReference = {
  ...{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'ResourceDistribution', name: 'shared', uid: '1' },
  controller: true,
};
const pod: OwnerReference = { apiVersion: 'v1', kind: 'Pod', name: 'web-0', uid: '2' };

const TOKEN = 'kubernetes.io/service-account-token';

interface Parts {
  owners?: OwnerReference[];
  value?: string;
  type?: string;
  namespace?: string;
}

const secret = ({
  owners = [controller],
  value = 'cmVk',
  type = 'Opaque',
  namespace = 'shop',
}: Parts = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'shared',
    namespace,
    ownerReferences: owners,
    ...(type === TOKEN && { annotations: { 'kubernetes.io/service-account.name': 'default' } }),
  },
  type,
  data: { color: value },
});

/** Whether a server with the policy lets the user write `after`, over `before` if there is one, or delete `before`. */
async function outcome(user: string, before?: KubeObject, after?: KubeObject): Promise<string> {
  const namespaces = ['shop', 'kube-system', 'kruise-system', 'argocd', 'flux-system'];
  const world = createWorld({ clock: createVirtualClock(0), crds: [], nodes: 0, namespaces });
  if (before !== undefined) world.server.create('admin', Secret, before);
  for (const object of installed) {
    const plural = object.kind.endsWith('Binding')
      ? 'validatingadmissionpolicybindings'
      : 'validatingadmissionpolicies';
    world.server.create('admin', { group: 'admissionregistration.k8s.io', version: 'v1', plural }, object);
  }
  const cluster = world.cluster(user);
  try {
    if (after === undefined) await cluster.delete(Secret, { namespace: 'shop', name: 'shared' });
    else if (before === undefined) await cluster.create(Secret, after);
    else await cluster.replace(Secret, after);
    return 'allowed';
  } catch (error) {
    if (!(error instanceof ApiError) || !error.message.includes(`'${NAME}'`)) throw error;
    return 'refused';
  } finally {
    world.stop();
  }
}

const ofNobody = secret({ owners: [] });
const ofPod = secret({ owners: [pod] });
const ofClone = secret({ owners: [{ ...controller, kind: 'CloneSet' }] });
const uncontrolled = secret({ owners: [{ ...controller, controller: false }] });
const ofTwo = secret({ owners: [controller, pod] });

/** What is written, and whether the runtime may. Everybody else may do all of it. */
const rows: [string, KubeObject | undefined, KubeObject | undefined, string][] = [
  ['creates a copy', undefined, secret(), 'allowed'],
  ['changes a copy', secret(), secret({ value: 'Ymx1ZQ==' }), 'allowed'],
  ['deletes a copy', secret(), undefined, 'allowed'],
  ['creates one of nobody', undefined, ofNobody, 'refused'],
  ['creates one of a pod', undefined, ofPod, 'refused'],
  ['creates one of another kind', undefined, ofClone, 'refused'],
  ['creates one that is owned and not controlled', undefined, uncontrolled, 'refused'],
  ['creates one of two owners', undefined, ofTwo, 'refused'],
  ['takes over one of nobody', ofNobody, secret(), 'refused'],
  ['changes one of nobody', ofNobody, secret({ owners: [], value: '' }), 'refused'],
  ['changes one of another kind', ofClone, { ...ofClone, data: {} }, 'refused'],
  ['deletes one of nobody', ofNobody, undefined, 'refused'],
  ['deletes one of another kind', ofClone, undefined, 'refused'],
  ['gives a copy to nobody', secret(), ofNobody, 'refused'],
  ['gives a copy a further owner', secret(), ofTwo, 'refused'],
  ['creates one for which the server issues a token', undefined, secret({ type: TOKEN }), 'refused'],
  ...['kube-system', 'kruise-system', 'argocd', 'flux-system'].map(
    (namespace): [string, undefined, KubeObject, string] => [
      `creates a copy in ${namespace}`,
      undefined,
      secret({ namespace }),
      'refused',
    ],
  ),
];

describe('the policy of the Secrets that the runtime writes', () => {
  test.each(rows)('the runtime %s', async (_what, before, after, expected) => {
    expect(await outcome(RUNTIME, before, after)).toBe(expected);
    expect(await outcome('anna', before, after)).toBe('allowed');
  });
});
