import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { UserInfo } from 'kruise-sandbox';
import { describe, expect, test } from 'vitest';
import { kinds } from '../../semantics/registry/registry.ts';
import { RUNTIME, shippedWorld } from './shipped.ts';

const user = (name: string): UserInfo => ({ name, groups: ['system:authenticated'] });
/** May write workloads of ours in the namespace, and no pods. */
const editor = user('eve');
/** May write pods there, too. */
const deployer = user('dora');

const { world, creates, replaces, install, bind } = shippedWorld();
for (const each of [editor, deployer])
  for (const namespace of ['shop', 'argocd', 'kube-system']) bind('kruise-editor', each, namespace);
install([
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'pods' },
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['create'] }],
  },
]);
for (const namespace of ['shop', 'argocd', 'kube-system']) bind('pods', deployer, namespace);

interface Given {
  name?: string;
  namespace?: string;
  /** Fields of the pod. */
  spec?: object;
}

const podSpec = (spec: object = {}): object => ({
  restartPolicy: 'Always',
  containers: [{ name: 'main', image: 'nginx:1' }],
  ...spec,
});
const template = (spec?: object): object => ({ metadata: { labels: { app: 'web' } }, spec: podSpec(spec) });
const ended = (spec?: object): object => template({ restartPolicy: 'Never', ...spec });
const labels = { selector: { matchLabels: { app: 'web' } } };

const make: Readonly<Record<string, (spec?: object) => object>> = {
  CloneSet: (spec) => ({ replicas: 0, ...labels, template: template(spec) }),
  StatefulSet: (spec) => ({ replicas: 0, serviceName: 'web', ...labels, template: template(spec) }),
  DaemonSet: (spec) => ({ ...labels, template: template(spec) }),
  UnitedDeployment: (spec) => ({
    replicas: 0,
    selector: { matchLabels: { app: 'web' } },
    topology: { subsets: [{ name: 'a' }] },
    template: { cloneSetTemplate: { spec: { ...labels, template: template(spec) } } },
  }),
  BroadcastJob: (spec) => ({ template: ended(spec) }),
  AdvancedCronJob: (spec) => ({
    schedule: '@yearly',
    template: { broadcastJobTemplate: { spec: { template: ended(spec) } } },
  }),
  'AdvancedCronJob of Jobs': (spec) => ({
    schedule: '@yearly',
    template: { jobTemplate: { spec: { template: ended(spec) } } },
  }),
};

const objectOf = (what: string, { name = 'web', namespace = 'shop', spec }: Given): object => {
  const kind = what.split(' ')[0] ?? '';
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind,
    metadata: { name, namespace },
    spec: make[what]?.(spec),
  };
};
const resourceOf = (what: string): Resource => {
  const found = kinds.find(({ id }) => id.kind === what.split(' ')[0]);
  if (found === undefined) throw new Error(what);
  return found.resource;
};

const own =
  'refused: the pods of a workload of apps.kruise.io may not use the service account kruise-runtime, which has the rights of the runtime: set another one in its template';
const noPods = (account: string): string =>
  `refused: eve may not set the service account ${account} in a template: that takes the right to create pods in namespace shop; or leave it out, for the account default`;
const closed = (namespace: string): string =>
  `refused: no workload of apps.kruise.io may use a service account of namespace ${namespace}, whose accounts are privileged: move it to another one`;

const rows: readonly (readonly [string, UserInfo, Given, string])[] = [
  ['no account', editor, {}, 'allowed'],
  ['the account default', editor, { spec: { serviceAccountName: 'default' } }, 'allowed'],
  ['an account, without the right to pods', editor, { spec: { serviceAccountName: 'db' } }, noPods('db')],
  ['the same by the old field', editor, { spec: { serviceAccount: 'db' } }, noPods('db')],
  ['an account, with the right to pods', deployer, { spec: { serviceAccountName: 'db' } }, 'allowed'],
  ["the runtime's account", deployer, { spec: { serviceAccountName: 'kruise-runtime' } }, own],
  ["the runtime's account, by the old field", deployer, { spec: { serviceAccount: 'kruise-runtime' } }, own],
  [
    'an account of an engine',
    deployer,
    { namespace: 'argocd', spec: { serviceAccountName: 'argocd-application-controller' } },
    closed('argocd'),
  ],
  [
    'an account of Kubernetes',
    deployer,
    { namespace: 'kube-system', spec: { serviceAccountName: 'clusterrole-aggregation-controller' } },
    closed('kube-system'),
  ],
];

describe.each(Object.keys(make))('a template of a %s', (what) => {
  test.each(rows)('with %s', (_title, who, given, expected) => {
    expect(creates(who, resourceOf(what), objectOf(what, given))).toBe(expected);
  });

  test("is held with the runtime's account where no policy refuses it", () => {
    const { kind } = resourceOf(what);
    const faults = (spec: object): string[] =>
      (kinds.find(({ id }) => id.kind === kind)?.validate(objectOf(what, { spec }) as KubeObject) ?? []).map(
        ({ path }) => path.at(-1) ?? '',
      );
    expect(faults({ serviceAccountName: 'db' })).toEqual([]);
    expect(faults({ serviceAccountName: 'kruise-runtime' })).toEqual(['serviceAccountName']);
    expect(faults({ serviceAccount: 'kruise-runtime' })).toEqual(['serviceAccount']);
  });
});

/** Its pods, or those of its children, have the shape of the step `pull`: no account of a user, and no token. */
const isShaped = ({ kind }: { kind: string }): boolean =>
  ['ImagePullJob', 'ImageListPullJob', 'NodeImage'].includes(kind);

/** Children without pods of their own. */
const hasPods = ({ kind }: { kind: string }): boolean => kind !== 'PodDisruptionBudget';

test('every kind with pods of its own says where their templates are', () => {
  const withTemplates = kinds.filter(({ podTemplates }) => podTemplates.length > 0).map(({ id }) => id.kind);
  const known = Object.keys(make).map((what) => what.split(' ')[0]);
  expect(new Set(withTemplates)).toEqual(new Set(known));
  for (const { id, uses, podTemplates } of kinds)
    if (
      !isShaped(id) &&
      uses.some(
        (use) =>
          use.of === 'OwnedPods' ||
          (use.of === 'Children' && use.copies === undefined && hasPods(use.resource)),
      )
    )
      expect([id.kind, podTemplates.length > 0]).toEqual([id.kind, true]);
});

describe('a change of a target whose account an other one has set', () => {
  const stored = world.server.create(
    'admin',
    resources.CloneSet,
    objectOf('CloneSet', { name: 'kept', spec: { serviceAccountName: 'db' } }),
  );
  const changed = (spec: object, more: object = {}): object => ({
    ...stored,
    spec: { ...(stored['spec'] as object), template: template(spec), ...more },
  });

  test.each([
    ['scales it', changed({ serviceAccountName: 'db' }, { replicas: 3 }), 'allowed'],
    ['takes the account away', changed({}), 'allowed'],
    ['sets another one', changed({ serviceAccountName: 'vault' }), noPods('vault')],
  ])('%s', (_what, object, expected) => {
    expect(replaces(editor, resources.CloneSet, object)).toBe(expected);
  });
});

test('the runtime creates what a schedule runs, with its account', () => {
  const child = objectOf('BroadcastJob', { spec: { serviceAccountName: 'db' } }) as { metadata: object };
  const ownerReferences = [
    {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'AdvancedCronJob',
      name: 'web',
      uid: '1',
      controller: true,
    },
  ];
  const object = { ...child, metadata: { ...child.metadata, ownerReferences } };
  expect(creates(RUNTIME, resources.BroadcastJob, object)).toBe('allowed');
});
