import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { serviceAccount } from 'kruise-sandbox';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../deploy/cluster.ts';
import { isRole, type Rule } from '../deploy/roles.ts';
import { ADDED, Job, RUNTIME, shipped, shippedWorld } from './shipped.ts';

interface PolicyRule {
  apiGroups: string[];
  operations: string[];
  resources: string[];
}
interface Policy extends KubeObject {
  spec: { matchConstraints: { resourceRules: PolicyRule[] }; matchConditions?: { name: string }[] };
}

const OPERATIONS: Readonly<Record<string, string>> = {
  create: 'CREATE',
  update: 'UPDATE',
  patch: 'UPDATE',
  delete: 'DELETE',
};

/** Writes without a policy: what the runtime reports, and its Lease, which the role names. */
const isOpen = (rule: Rule, resource: string): boolean =>
  (resource.endsWith('/status') && rule.apiGroups.every((group) => group.endsWith('.kruise.io'))) ||
  (resource === 'leases' && rule.resourceNames !== undefined);

describe('what the roles let the runtime write', () => {
  const policiesIn = (...folders: readonly string[]): Policy[] =>
    (shipped(...folders) as Policy[]).filter(
      ({ kind, spec }) =>
        kind === 'ValidatingAdmissionPolicy' &&
        spec.matchConditions?.some(({ name }) => name === 'is-the-runtime'),
    );
  const rulesIn = (...folders: readonly string[]): Rule[] =>
    shipped(...folders)
      .filter(isRole)
      .filter(({ metadata }) => metadata.name.startsWith('kruise-runtime'))
      .flatMap((role) => role.rules);
  const policies = policiesIn('policy', ...ADDED);
  const one = 'overlays/namespaced';
  const rules = rulesIn('rbac', ...ADDED, one, `${one}/native-workloads`);

  function uncovered(all: readonly Rule[], by: readonly Policy[]): string[] {
    return all.flatMap((rule) =>
      rule.resources.flatMap((resource) =>
        rule.verbs.flatMap((verb) => {
          const operation = resource === 'pods/exec' ? 'CONNECT' : OPERATIONS[verb];
          if (operation === undefined || isOpen(rule, resource)) return [];
          const isCovered = by.some(({ spec }) =>
            spec.matchConstraints.resourceRules.some(
              (each) =>
                rule.apiGroups.every((group) => each.apiGroups.includes(group)) &&
                each.operations.includes(operation) &&
                each.resources.includes(resource),
            ),
          );
          return isCovered ? [] : [`${verb} ${resource}`];
        }),
      ),
    );
  }

  test('is confined by a policy, each verb of it', () => {
    expect(rules.length).toBeGreaterThan(20);
    expect(uncovered(rules, policies)).toEqual([]);
  });

  test('would be found without one', () => {
    const without = policies.filter(({ metadata }) => metadata.name !== 'runtime-objects.plan.kruise.io');
    expect(uncovered(rules, without)).toContain('create pods');
  });

  test.each([...ADDED, 'components/cascading-protection'])(
    'by %s is confined by a policy of the component itself, whatever else is installed',
    (folder) => {
      const copies = folder === 'components/distributions';
      // They are for launch orders, too, whose role is bound without a component: their policy is always there.
      const ofConfigMaps = copies ? ['create configmaps', 'patch configmaps', 'delete configmaps'] : [];
      expect(uncovered(rulesIn(folder), policiesIn(folder))).toEqual(ofConfigMaps);
    },
  );

  test.each(ADDED.filter((folder) => policiesIn(folder).length > 0))(
    'by %s is refused from the moment at which the policy is there',
    (folder) => {
      const bindings = shipped(folder).filter(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding');
      expect(bindings.map((binding) => binding['spec'])).toEqual(
        policiesIn(folder).map(({ metadata }) => ({
          policyName: metadata.name,
          validationActions: ['Deny'],
        })),
      );
      const text = readFileSync(join(root, 'deploy', folder, 'kustomization.yaml'), 'utf8');
      expect(parse(text)).toMatchObject({ resources: ['policy.yaml', 'rbac.yaml'] });
    },
  );
});

const owner = (kind: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: kind === 'CronJob' ? 'batch/v1' : 'apps.kruise.io/v1beta1',
  kind,
  name: 'tidy',
  uid: '1',
  controller: true,
  ...more,
});

const SPEC = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'tidy:1' }] };
const job = (owners: OwnerReference[], { namespace = 'shop', spec = {} } = {}): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'tidy-1', namespace, ownerReferences: owners },
  spec: { template: { spec: { ...SPEC, ...spec } } },
});
const run = (owners: OwnerReference[], at: Parameters<typeof job>[1] = {}): object => ({
  ...job(owners, at),
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'BroadcastJob',
});

test('the stolen token has no right to Jobs, and those to ConfigMaps and Secrets by components alone', () => {
  const { creates } = shippedWorld();
  expect(creates(RUNTIME, Job, job([owner('AdvancedCronJob')]))).toBe('refused by its roles');
  expect(creates(RUNTIME, resources.BroadcastJob, run([owner('AdvancedCronJob')]))).toBe('allowed');
  const { world, install } = shippedWorld();
  const allowed = (resource: string): string[] =>
    ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'].filter((verb) => {
      const asked = { group: '', resource, subresource: '', namespace: 'shop', name: 'any' };
      return world.server.authorizer.authorize(RUNTIME, { verb, ...asked }).allowed;
    });
  expect([allowed('configmaps'), allowed('secrets')]).toEqual([[], []]);
  const copies = ['list', 'watch', 'create', 'patch', 'delete'];
  install(shipped('components/distributions'));
  expect([allowed('configmaps'), allowed('secrets')]).toEqual([copies, []]);
  install(shipped('components/secrets'));
  expect([allowed('configmaps'), allowed('secrets')]).toEqual([copies, copies]);
});

describe.each([
  ['Job', 'with all components', Job, job, ['policy', ...ADDED]],
  ['BroadcastJob', 'with all components', resources.BroadcastJob, run, ['policy', ...ADDED]],
  ['Job', 'with the component for it alone', Job, job, ['components/native-workloads']],
] as const)('the stolen token creates a %s, %s', (_kind, _with, resource, make, folders) => {
  const { creates } = shippedWorld(shipped('rbac', ...folders));
  const own = [owner('AdvancedCronJob')];
  const single =
    'refused: system:serviceaccount:kruise-system:kruise-runtime may create only objects whose single owner is a controlling workload of apps.kruise.io';

  test.each([
    ['of a schedule', make(own), 'allowed'],
    ['of nobody', make([]), single],
    ['of a kind that creates none', make([owner('CloneSet')]), single],
    ['of a schedule of Kubernetes', make([owner('CronJob')]), single],
    ['of a schedule that is no controller', make([owner('AdvancedCronJob', { controller: false })]), single],
    [
      'in kube-system, under an account that grants roles',
      make(own, {
        namespace: 'kube-system',
        spec: { serviceAccountName: 'clusterrole-aggregation-controller' },
      }),
      'refused: the runtime manages no workload of apps.kruise.io in namespace kube-system: move it to another one',
    ],
    [
      'where an engine writes plans',
      make(own, { namespace: 'argocd', spec: { serviceAccountName: 'argocd-application-controller' } }),
      'refused: the runtime manages no workload of apps.kruise.io in namespace argocd: move it to another one',
    ],
    [
      'with its own account',
      make(own, { spec: { serviceAccountName: 'kruise-runtime' } }),
      'refused: the pods of a workload of apps.kruise.io may not use the service account kruise-runtime, which has the rights of the runtime: set another one in its template',
    ],
    [
      'with its own account, by the old field',
      make(own, { spec: { serviceAccount: 'kruise-runtime' } }),
      'refused: the pods of a workload of apps.kruise.io may not use the service account kruise-runtime, which has the rights of the runtime: set another one in its template',
    ],
  ])('%s', (_what, object, expected) => {
    expect(creates(RUNTIME, resource, object)).toBe(expected);
  });
});

test('a CloneSet in kube-system gets its pods where the policy of what the runtime writes is not installed', () => {
  const isOf = ({ kind, metadata, spec }: KubeObject): boolean => {
    const of =
      kind === 'ValidatingAdmissionPolicyBinding'
        ? (spec as { policyName: string }).policyName
        : metadata.name;
    return of.startsWith('runtime-objects');
  };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web-a',
      namespace: 'kube-system',
      ownerReferences: [owner('CloneSet', { name: 'web' })],
    },
    spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
  };
  const all = shipped('rbac', 'policy');
  const outcomes = [all, all.filter((object) => !isOf(object))].map(
    (objects) => shippedWorld(objects).creates(RUNTIME, resources.Pod, pod).split(':')[0],
  );
  expect(outcomes).toEqual(['refused', 'allowed']);
});

/** What `kustomize` makes of the installation with a prefix and another namespace: it changes names, and no text in expressions. */
function renamed(objects: readonly KubeObject[], prefix: string, namespace: string): KubeObject[] {
  const kept = (name: string): boolean => name.startsWith('system:');
  const rename = (name: string): string => (kept(name) ? name : `${prefix}${name}`);
  return objects.map((object) => {
    const copy = structuredClone(object) as KubeObject & {
      roleRef?: { name: string };
      subjects?: { kind: string; name: string; namespace?: string }[];
      spec?: { policyName?: string };
    };
    copy.metadata.name = rename(copy.metadata.name);
    if (copy.metadata.namespace !== undefined) copy.metadata.namespace = namespace;
    if (copy.roleRef !== undefined) copy.roleRef.name = rename(copy.roleRef.name);
    for (const subject of copy.subjects ?? []) {
      subject.name = rename(subject.name);
      subject.namespace = namespace;
    }
    if (copy.spec?.policyName !== undefined) copy.spec.policyName = rename(copy.spec.policyName);
    return copy;
  });
}

describe('an installation with a prefix of names and another namespace', () => {
  const { creates, bind } = shippedWorld(renamed(shipped('rbac', 'policy', ...ADDED), 'team-', 'other'));
  const account = serviceAccount('other', 'team-kruise-runtime');
  const own = [owner('AdvancedCronJob')];
  const set = owner('CloneSet', { name: 'web' });
  const pod = (namespace: string, serviceAccountName = 'default', owners = [set]): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-a', namespace, ownerReferences: owners },
    spec: { serviceAccountName, containers: [{ name: 'main', image: 'nginx:1' }] },
  });
  const revision = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: 'web-1', namespace: 'shop', ownerReferences: [set] },
    revision: 1,
    data: {},
  };

  test.each([
    ['a pod of a target', resources.Pod, pod('shop'), 'allowed'],
    ['a revision of a target', resources.ControllerRevision, revision, 'allowed'],
    ['a Job of a schedule', Job, job(own), 'allowed'],
    ['a pod of nobody', resources.Pod, pod('shop', 'default', []), 'refused'],
    ['a pod in kube-system', resources.Pod, pod('kube-system'), 'refused'],
    ['a pod in its own namespace', resources.Pod, pod('other'), 'refused'],
    ['a pod with its own account', resources.Pod, pod('shop', 'team-kruise-runtime'), 'refused'],
    ['a Job of nobody', Job, job([]), 'refused'],
  ] as const)('lets the runtime create %s: %s', (_what, resource, object, expected) => {
    expect(creates(account, resource, object).replace(/^refused: .*/s, 'refused')).toBe(expected);
  });

  test('confines nobody else, whatever rights they have', () => {
    const administrator = serviceAccount('shop', 'deployer');
    bind('cluster-admin', administrator);
    expect(creates(administrator, resources.Pod, pod('shop', 'default', []))).toBe('allowed');
    expect(creates(administrator, resources.ControllerRevision, revision)).toMatch(
      /^refused: this Controller/,
    );
  });
});

describe('the stolen token deletes a command', () => {
  const { world, deletes } = shippedWorld();
  const command = {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutCommand',
    metadata: { namespace: 'shop' },
    spec: { target: { kind: 'CloneSet', name: 'web' }, action: 'Pause', by: 'admin' },
  };
  for (const name of ['asked', 'answered'])
    world.server.create('admin', resources.RolloutCommand, {
      ...command,
      metadata: { ...command.metadata, name },
    });
  world.server.patch(
    'kruise',
    resources.RolloutCommand,
    { namespace: 'shop', name: 'answered' },
    { type: 'merge', body: { status: { result: 'Accepted', message: 'x', at: '2026-01-01T00:00:00Z' } } },
    { subresource: 'status' },
  );

  test.each([
    ['answered', 'allowed'],
    [
      'asked',
      'refused: system:serviceaccount:kruise-system:kruise-runtime may delete only commands that are answered, and asked is not',
    ],
  ])('that is %s', (name, expected) => {
    expect(deletes(RUNTIME, resources.RolloutCommand, { namespace: 'shop', name })).toBe(expected);
  });
});
