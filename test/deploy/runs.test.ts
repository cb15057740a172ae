import { ApiError, createVirtualClock, createWorld, type Resource } from 'kruise-sandbox';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { deployOutputs } from '../../deploy/generate/outputs.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { permissionsOf } from './roles.ts';

const [first] = kinds as readonly [Kind];
const id = { group: 'test.example', kind: 'Sweep' };
/** A kind whose targets run once on each node, and are deleted when they are over. */
const sweep: Kind = {
  ...first,
  id,
  resource: { ...id, version: 'v1', plural: 'sweeps', namespaced: true },
  uses: [{ of: 'OwnedPods' }, { of: 'Nodes', why: 'Placement' }, { of: 'PodsOnNodes' }, { of: 'Runs' }],
  expires: true,
};
const outputs = deployOutputs([...kinds, sweep], crds);
const objectsIn = (path: string): KubeObject[] =>
  parseAllDocuments(outputs.get(`deploy/${path}`) ?? '').map((each) => each.toJS() as KubeObject);
const policy = (path: string, name: string): KubeObject => {
  const found = objectsIn(path).find(
    ({ kind, metadata }) =>
      kind === 'ValidatingAdmissionPolicy' && metadata.name === `${name}.plan.kruise.io`,
  );
  if (found === undefined) throw new Error(`there is no policy ${name}`);
  return found;
};
const records = policy('policy/revisions.yaml', 'controllerrevisions');
const token = policy('policy/runtime.yaml', 'runtime-objects');

const RUN = { 'plan.kruise.io/run-kind': 'Sweep.test.example', 'plan.kruise.io/run-target': 'disks' };
const revision = (labels?: Record<string, string>, ownerReferences?: OwnerReference[]): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  revision: 1,
  data: {},
  metadata: {
    name: 'disks-run-1',
    namespace: 'shop',
    ...(labels && { labels }),
    ...(ownerReferences && { ownerReferences }),
  },
});
const owner = (apiVersion: string, kind: string): OwnerReference => ({
  apiVersion,
  kind,
  name: 'disks',
  uid: '1',
  controller: true,
});

const account = (name: string): string => `system:serviceaccount:${name}`;
const users = {
  runtime: account('kruise-system:kruise-runtime'),
  administrator: 'kubernetes-admin',
  'namespace controller': account('kube-system:namespace-controller'),
  'StatefulSet controller': account('kube-system:statefulset-controller'),
};

type Attempt = readonly [
  who: keyof typeof users,
  what: string,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
  expected: 'allowed' | 'refused',
];
const revisions: Resource = {
  group: 'apps',
  version: 'v1',
  plural: 'controllerrevisions',
  kind: 'ControllerRevision',
  namespaced: true,
};
const admission = (plural: string) => ({ group: 'admissionregistration.k8s.io', version: 'v1', plural });

/** Whether a server with this policy allows an attempt. */
const outcome = async (of: KubeObject, [who, , before, after]: Attempt): Promise<string> => {
  const world = createWorld({
    clock: createVirtualClock(0),
    crds: [],
    nodes: 0,
    namespaces: ['shop'],
  });
  const at = { namespace: 'shop', name: revision().metadata.name };
  if (before !== undefined) world.server.create('admin', revisions, before);
  world.server.create('admin', admission('validatingadmissionpolicies'), of);
  world.server.create('admin', admission('validatingadmissionpolicybindings'), {
    apiVersion: of.apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'all' },
    spec: { policyName: of.metadata.name, validationActions: ['Deny'] },
  });
  const cluster = world.cluster(users[who]);
  const annotations = { touched: 'yes' };
  try {
    if (after === undefined) await cluster.delete(revisions, at);
    else if (before === undefined) await cluster.create(revisions, after);
    else await cluster.replace(revisions, { ...after, metadata: { ...after.metadata, annotations } });
    return 'allowed';
  } catch (error) {
    if (!(error instanceof ApiError) || !error.message.includes(`'${of.metadata.name}'`)) throw error;
    return 'refused';
  } finally {
    world.stop();
  }
};
const [run, released] = [revision(RUN), revision()];
const adopted = revision(RUN, [owner('apps/v1', 'StatefulSet')]);

describe('the policy of records, about one of a run that has no owner', () => {
  test.each<Attempt>([
    ['runtime', 'creates it', undefined, run, 'allowed'],
    ['runtime', 'patches it', run, run, 'allowed'],
    ['runtime', 'deletes it', run, undefined, 'allowed'],
    ['administrator', 'creates it', undefined, run, 'refused'],
    ['administrator', 'patches it', run, run, 'refused'],
    ['administrator', 'deletes it', run, undefined, 'refused'],
    ['administrator', 'takes its labels away', run, released, 'refused'],
    ['administrator', 'labels another one like it', released, run, 'refused'],
    ['namespace controller', 'deletes it', run, undefined, 'allowed'],
    ['StatefulSet controller', 'adopts it', run, adopted, 'refused'],
    ['administrator', 'deletes a revision of nobody', released, undefined, 'allowed'],
  ])('%s %s', async (...attempt) => expect(await outcome(records, attempt)).toBe(attempt[4]));
});

describe('the policy of the account of the runtime', () => {
  const other = revision({ ...RUN, 'plan.kruise.io/run-kind': 'Shelf.test.example' });
  test.each<Attempt>([
    ['runtime', 'creates the record of a run', undefined, run, 'allowed'],
    ['runtime', 'patches it', run, run, 'allowed'],
    ['runtime', 'deletes it', run, undefined, 'allowed'],
    ['runtime', 'creates one of a kind without runs', undefined, other, 'refused'],
    ['runtime', 'creates a revision of nobody', undefined, released, 'refused'],
    ['runtime', 'deletes a revision of nobody', released, undefined, 'refused'],
    ['runtime', 'makes a revision of nobody one', released, run, 'refused'],
    ['runtime', 'gives one an owner', run, adopted, 'refused'],
  ])('%s %s', async (...attempt) => expect(await outcome(token, attempt)).toBe(attempt[4]));
});

describe('the roles for a kind that runs once on each node', () => {
  const granted = (path: string): string[] =>
    permissionsOf(objectsIn(path)).map(({ verb, resource }) => `${verb} ${resource}`);

  test('may delete its targets, and those of no other kind', () => {
    const deletes = granted('rbac/runtime.yaml').filter((each) => each.startsWith('delete '));
    expect(deletes).toContain('delete sweeps');
    // CloneSets and StatefulSets are children of UnitedDeployments.
    expect(deletes.filter((each) => /daemonsets|sidecarsets|uniteddeployments/.test(each))).toEqual([]);
  });

  test('see nodes of the cluster, but no cluster from one namespace', () => {
    expect(granted('rbac/runtime.yaml')).toEqual(expect.arrayContaining(['list nodes', 'watch pods']));
    const narrow = granted('overlays/namespaced/role.yaml');
    expect(narrow).toContain('watch pods');
    expect(narrow.filter((each) => each.endsWith(' nodes'))).toEqual([]);
  });
});
