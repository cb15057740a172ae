import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { findBinaries } from '../e2e/binaries.ts';
import { sampled } from '../lanes.ts';
import { root, startCluster, type Cluster } from './cluster.ts';

const binaries = sampled('install', findBinaries(), 1);
const patience = { timeout: 120_000 };

let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
});

const objectsOf = (yaml: string): KubeObject[] =>
  parseAllDocuments(yaml).map((document) => document.toJS() as KubeObject);

/** Each object there is, with its version: what an apply that changes nothing leaves alone. */
function versions({ world }: Cluster): string[] {
  return world
    .state()
    .objects.map(({ object: { metadata, kind } }) =>
      [kind, metadata.namespace, metadata.name, metadata.generation, metadata.resourceVersion].join(' '),
    )
    .filter((line) => !/^(Event|Lease|Node|Pod) /.test(line))
    .sort();
}

/** The command of a document that installs from a clone. */
function installCommand(path: string): string {
  const text = readFileSync(join(root, path), 'utf8');
  const [, command] = /^\$ kubectl (apply --server-side -k deploy)$/m.exec(text) ?? [];
  if (command === undefined) throw new Error(`${path} installs nothing`);
  return command;
}

describe.skipIf(binaries.length === 0).each(binaries)('kubectl $version', ({ path }) => {
  test("README's command installs everything, and once more changes nothing", patience, async () => {
    cluster = await startCluster(path);
    const here = cluster;
    const command = installCommand('README.md');
    expect(installCommand('docs/install.md')).toBe(command);
    const first = await here.kubectl(command);
    expect(first.code).toBe(0);
    const lines = first.out.trim().split('\n');
    expect(lines.every((line) => line.endsWith(' serverside-applied'))).toBe(true);
    const rendered = objectsOf((await here.kubectl('kustomize deploy')).out);
    expect(lines).toHaveLength(rendered.length);

    // The definitions are served, and the roles name what is served.
    const served = await here.kubectl('get clonesets,rolloutplans,rolloutcommands -A');
    expect([served.code, served.err.trim()]).toEqual([0, 'No resources found']);

    const before = versions(here);
    expect((await here.kubectl(command)).code).toBe(0);
    expect(versions(here)).toEqual(before);
    const diff = await here.kubectl('diff --server-side -k deploy');
    expect([diff.code, diff.out]).toEqual([0, '']);
  });

  test('an apply of the old kind says `unchanged` the second time', patience, async () => {
    cluster = await startCluster(path);
    const created = await cluster.kubectl('apply -k deploy');
    expect([...new Set(created.out.trim().split('\n').map(lastWord))]).toEqual(['created']);
    const again = await cluster.kubectl('apply -k deploy');
    const changed = again.out.split('\n').filter((line) => line !== '' && lastWord(line) !== 'unchanged');
    // kubectl sends the selector of a budget each time, whatever the server has.
    expect(changed).toEqual(['poddisruptionbudget.policy/kruise-runtime configured']);
  });

  test('the runtime for one namespace is installed by naming it once', patience, async () => {
    cluster = await startCluster(path);
    const here = cluster;
    const folder = here.folder('copy');
    cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
    const file = join(folder, 'deploy/overlays/namespaced/kustomization.yaml');
    const text = readFileSync(file, 'utf8').replace('namespace: default', 'namespace: shop-eu');
    writeFileSync(file, text);
    const { out } = await here.kubectl('kustomize deploy/overlays/namespaced', undefined, folder);
    const objects = objectsOf(out);
    expect(new Set(objects.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['shop-eu']));
    expect(out).not.toContain('kruise-system');
    expect(objects.filter(({ kind }) => kind.startsWith('Cluster'))).toEqual([]);
    const role = objects.find(({ kind }) => kind === 'Role') as KubeObject & {
      rules: { resourceNames?: string[] }[];
    };
    expect(role.rules.flatMap(({ resourceNames = [] }) => resourceNames)).toEqual(['kruise-shop-eu']);
    const binding = objects.find(({ kind }) => kind === 'RoleBinding');
    expect(binding?.['subjects']).toEqual([
      { kind: 'ServiceAccount', name: 'kruise-runtime', namespace: 'shop-eu' },
    ]);
    await here.kubectl('create namespace shop-eu');
    const applied = await here.kubectl(
      'apply --server-side -k deploy/overlays/namespaced',
      undefined,
      folder,
    );
    expect([applied.code, applied.err]).toEqual([0, '']);
  });

  test(
    'overlays/full is the installation with every component that adds rights, and nothing else',
    patience,
    async () => {
      cluster = await startCluster(path);
      const rendered = async (folder: string): Promise<string[]> => {
        const { out, err } = await (cluster as Cluster).kubectl(`kustomize ${folder}`);
        expect(err).toBe('');
        return objectsOf(out).map((object) => JSON.stringify(object));
      };
      const base = new Set(await rendered('deploy'));
      const full = await rendered('deploy/overlays/full');
      const added = full.filter((text) => !base.has(text));
      expect(
        added
          .map((text) => JSON.parse(text) as KubeObject)
          .map(({ kind, metadata }) => [kind, metadata.name]),
      ).toEqual([
        ['ClusterRole', 'kruise-runtime-container-exec'],
        ['ClusterRole', 'kruise-runtime-native-workloads'],
        ['ClusterRole', 'kruise-runtime-secrets'],
        ['ClusterRoleBinding', 'kruise-runtime-container-exec'],
        ['ClusterRoleBinding', 'kruise-runtime-launch'],
        ['ClusterRoleBinding', 'kruise-runtime-native-workloads'],
        ['ClusterRoleBinding', 'kruise-runtime-secrets'],
        ['ValidatingAdmissionPolicy', 'container-exec.plan.kruise.io'],
        ['ValidatingAdmissionPolicy', 'native-workloads.plan.kruise.io'],
        ['ValidatingAdmissionPolicy', 'secrets.plan.kruise.io'],
        ['ValidatingAdmissionPolicyBinding', 'container-exec.plan.kruise.io'],
        ['ValidatingAdmissionPolicyBinding', 'native-workloads.plan.kruise.io'],
        ['ValidatingAdmissionPolicyBinding', 'secrets.plan.kruise.io'],
      ]);
      expect(full.length - added.length).toBe(base.size);
      const applied = await cluster.kubectl('apply --server-side -k deploy/overlays/full');
      expect([applied.code, applied.err]).toEqual([0, '']);
    },
  );

  test('the components can be added', patience, async () => {
    cluster = await startCluster(path);
    const folder = cluster.folder('own');
    cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
    writeFileSync(
      join(folder, 'kustomization.yaml'),
      [
        'resources: [deploy]',
        'components: [deploy/components/checks, deploy/components/service-monitor, deploy/components/alerts, deploy/components/argocd, deploy/components/flux, deploy/components/launch-everywhere, deploy/components/native-workloads, deploy/components/secrets, deploy/components/container-exec, deploy/components/admission, deploy/components/admission-network, deploy/components/cascading-protection]',
        'images: [{ name: kruise-runtime, newName: registry.example/kruise, newTag: "9" }]',
        '',
      ].join('\n'),
    );
    const { out, err } = await cluster.kubectl('kustomize .', undefined, folder);
    expect(err).toBe('');
    const deployment = objectsOf(out).find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'kruise-runtime',
    );
    expect(deployment).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              {
                image: 'registry.example/kruise:9',
                volumeMounts: [{ name: 'checks', mountPath: '/etc/kruise', readOnly: true }],
              },
            ],
            volumes: [{ name: 'checks', secret: { secretName: 'kruise-checks' } }],
          },
        },
      },
    });
    expect(JSON.stringify(deployment)).toContain('--config=/etc/kruise/config.json');
    expect(objectsOf(out).map(({ kind }) => kind)).toContain('ServiceMonitor');
    const reviews = objectsOf(out).find(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'kruise-admission',
    );
    expect(JSON.stringify(reviews?.['spec'])).toContain(
      '{"from":[{"ipBlock":{"cidr":"192.0.2.0/24"}}],"ports":[{"port":"reviews","protocol":"TCP"}]}',
    );
    const named = (name: string): string[] =>
      objectsOf(out).flatMap(({ metadata, kind }) => (metadata.name === name ? [kind] : []));
    expect(named('kruise-runtime-launch')).toEqual(['ClusterRole', 'ClusterRoleBinding']);
    expect(named('kruise-runtime-native-workloads')).toEqual(['ClusterRole', 'ClusterRoleBinding']);
    expect(named('kruise-runtime-secrets')).toEqual(['ClusterRole', 'ClusterRoleBinding']);
    for (const name of ['rolloutplans.plan.kruise.io', 'rolloutcommands.plan.kruise.io'])
      expect(accountsIn(objectsOf(out), name)).toEqual([
        "argocd ['system:serviceaccount:argocd:argocd-application-controller']",
        "flux ['system:serviceaccount:flux-system:kustomize-controller']",
        'listed []',
        'accounts variables.argocd + variables.flux + variables.listed',
      ]);
  });
});

/** The accounts that write plans, as a policy lists them. */
function accountsIn(objects: readonly KubeObject[], policy: string): string[] {
  const found = objects.find(
    ({ kind, metadata }) => kind === 'ValidatingAdmissionPolicy' && metadata.name === policy,
  );
  if (found === undefined) throw new Error(`there is no policy ${policy}`);
  const { variables } = found['spec'] as { variables: { name: string; expression: string }[] };
  return variables.slice(0, 4).map(({ name, expression }) => `${name} ${expression}`);
}

const lastWord = (line: string): string => line.split(' ').at(-1) ?? '';

describe('deploy/', () => {
  const read = (path: string) => readFileSync(join(root, 'deploy', path), 'utf8');
  const [deployment] = objectsOf(read('runtime/deployment.yaml'));

  test('lists every definition', () => {
    const files = readdirSync(join(root, 'deploy/crds')).filter((name) => name.endsWith('.yaml'));
    const [{ resources } = { resources: [] }] = objectsOf(read('crds/Kustomization')) as unknown as {
      resources: string[];
    }[];
    expect([...resources].sort()).toEqual(files.sort());
  });

  test('asks for nothing that the restricted level forbids', () => {
    const { spec } = (deployment as unknown as { spec: { template: { spec: PodSpec } } }).spec.template;
    expect(Object.keys(spec).filter((key) => key.startsWith('host') || key === 'volumes')).toEqual([]);
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const { securityContext } of spec.containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    expect(read('namespace/namespace.yaml')).toContain('pod-security.kubernetes.io/enforce: restricted\n');
  });

  test('security 14: lists no account of an engine that may not be installed', () => {
    for (const [path, name] of [
      ['policy/plans.yaml', 'rolloutplans.plan.kruise.io'],
      ['policy/commands.yaml', 'rolloutcommands.plan.kruise.io'],
    ] as const)
      expect(accountsIn(objectsOf(read(path)), name)).toEqual([
        'argocd []',
        'flux []',
        'listed []',
        'accounts variables.argocd + variables.flux + variables.listed',
      ]);
  });

  test('aggregates no role into view, edit or admin, and reads no Secret', () => {
    const roles = [
      'rbac/runtime.yaml',
      'rbac/people.yaml',
      'overlays/namespaced/role.yaml',
      'overlays/namespaced/native-workloads/role.yaml',
      'components/native-workloads/rbac.yaml',
    ].flatMap((path) => objectsOf(read(path)));
    expect(roles.filter(({ metadata }) => metadata.labels !== undefined)).toEqual([]);
    expect(JSON.stringify(roles)).not.toMatch(/secrets|"\*"/);
  });

  test('gives the runtime for one namespace what the runtime for all has, but for what lies outside of it', () => {
    type Rule = { apiGroups: string[]; resources: string[]; verbs: string[]; resourceNames?: string[] };
    const rulesOf = (path: string, kind: string, name: string) =>
      (
        objectsOf(read(path)).find(
          (each) => each.kind === kind && each.metadata.name === name,
        ) as unknown as {
          rules: Rule[];
        }
      ).rules;
    const ofCluster = [
      ...kinds.flatMap(({ resource }) => (resource.namespaced ? [] : [resource.plural])),
      'clusterrollout',
    ];
    const all = [
      ...rulesOf('rbac/runtime.yaml', 'ClusterRole', 'kruise-runtime'),
      ...rulesOf('rbac/runtime.yaml', 'ClusterRole', 'kruise-runtime-launch'),
      ...rulesOf('rbac/runtime.yaml', 'Role', 'kruise-runtime-lease'),
    ].filter(
      ({ resources: [only = ''], resourceNames: [name] = [] }) =>
        !['namespaces', 'nodes', 'customresourcedefinitions'].includes(only) &&
        !only.startsWith('validatingadmissionpolic') &&
        !ofCluster.some((plural) => only.startsWith(plural)) &&
        name !== 'kruise-manager',
    );
    const one = rulesOf('overlays/namespaced/role.yaml', 'Role', 'kruise-runtime').filter(
      ({ resources: [only] }) => only !== 'namespaces',
    );
    const told = (rules: Rule[]) =>
      rules.map((rule) => JSON.stringify(rule).replace('kruise-NAMESPACE', 'kruise')).sort();
    const order = ({ apiGroups, resources, resourceNames, verbs }: Rule) => ({
      apiGroups,
      resources,
      ...(resourceNames && { resourceNames }),
      verbs: [...verbs].sort(),
    });
    expect(told(one.map(order))).toEqual(told(all.map(order)));
  });
});

interface PodSpec {
  securityContext: object;
  containers: { securityContext: object }[];
}
