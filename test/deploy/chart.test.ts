import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { findKubectl } from '../../examples/demo/kubectl-binary.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { findHelm, printed } from './helm.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const helm = findHelm();
const kubectl = findKubectl();
if (helm === undefined || kubectl === undefined)
  process.stderr.write('THE HELM CHART IS NOT TESTED: set HELM to a program, or have helm in the path\n');

const folder = mkdtempSync(join(tmpdir(), 'chart-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Objects by kind and name, in one spelling. */
function objectsOf(text: string): Map<string, unknown> {
  const all = parseAllDocuments(text).map((document) => document.toJS() as KubeObject | null);
  return new Map(
    all
      .filter((each) => each !== null)
      .map((each) => [
        `${each.kind} ${each.metadata.namespace ?? ''}/${each.metadata.name}`,
        JSON.parse(JSON.stringify(each, (key, value: unknown) => spelled(key, value))) as unknown,
      ]),
  );
}

/** The chart writes a list of texts with the other quotes, and kustomize breaks the lines of long expressions elsewhere. */
function spelled(key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const line = value.replaceAll(/\s+/g, ' ');
  return key === 'expression' && line.startsWith('[') ? line.replaceAll('"', "'") : line;
}

/** What the chart makes of these values. */
function templated(values: object): Map<string, unknown> {
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  return objectsOf(printed(helm ?? '', ['template', 'kruise', 'deploy/chart', '--values', file]));
}

/** What kustomize makes of the installation with these components, without definitions. */
function kustomized(resource: string, components: readonly string[]): Map<string, unknown> {
  const at = (path: string): string => relative(folder, join(root, path));
  const text = {
    // Components are in the namespace of the runtime, too.
    ...(resource === 'deploy/overlays/namespaced' && { namespace: 'default' }),
    resources: [at(resource)],
    components: components.map((name) => at(`deploy/components/${name}`)),
  };
  writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(text));
  const all = objectsOf(printed(kubectl ?? '', ['kustomize', folder]));
  return new Map([...all].filter(([name]) => !name.startsWith('CustomResourceDefinition ')));
}

const engine = (name: string, account: string): object => ({
  accounts: { [name]: [`system:serviceaccount:${account}`] },
});

const bare = { deletionProtection: false, budgetProtection: false, distributions: false };

describe.skipIf(helm === undefined || kubectl === undefined)('the Helm chart', () => {
  test.each<[string, object, string, string[]]>([
    ['as shipped', {}, 'deploy', []],
    [
      'without protection',
      { deletionProtection: false, budgetProtection: false },
      'deploy/base',
      ['distributions'],
    ],
    ['with what every installation has', bare, 'deploy/base', []],
    [
      'with all rights',
      { launchEverywhere: true, nativeWorkloads: true, secrets: true, containerExec: true },
      'deploy/overlays/full',
      [],
    ],
    ['with the admission', { admission: { enabled: true } }, 'deploy', ['admission']],
    [
      'with the addresses of API servers',
      { admission: { enabled: true, apiServers: ['192.0.2.0/24'] } },
      'deploy',
      ['admission', 'admission-network'],
    ],
    [
      'with exact budgets',
      { admission: { enabled: true, exactBudgets: true, apiServers: ['192.0.2.0/24'] } },
      'deploy',
      ['admission', 'admission-exact'],
    ],
    [
      'with spreads',
      { admission: { enabled: true, spreads: true, apiServers: ['192.0.2.0/24'] } },
      'deploy',
      ['admission', 'admission-spreads'],
    ],
    [
      'with both',
      { admission: { enabled: true, exactBudgets: true, spreads: true, apiServers: ['192.0.2.0/24'] } },
      'deploy',
      ['admission', 'admission-exact', 'admission-spreads'],
    ],
    ['with exact budgets of no admission', { admission: { exactBudgets: true } }, 'deploy', []],
    ['with checks', { checks: true }, 'deploy', ['checks']],
    ['with protected copies', { copyProtection: true }, 'deploy', ['copy-protection']],
    ['with cascading protection', { cascadingProtection: true }, 'deploy', ['cascading-protection']],
    ['with a service monitor', { serviceMonitor: true }, 'deploy', ['service-monitor']],
    ['with alerts', { alerts: true }, 'deploy', ['alerts']],
    ['with Argo CD', engine('argocd', 'argocd:argocd-application-controller'), 'deploy', ['argocd']],
    ['for one namespace', { onlyNamespace: 'default' }, 'deploy/overlays/namespaced', []],
    [
      'for one namespace, with its components, checks and a service monitor',
      {
        onlyNamespace: 'default',
        nativeWorkloads: true,
        checks: true,
        serviceMonitor: true,
      },
      'deploy/overlays/namespaced',
      ['../overlays/namespaced/native-workloads', 'checks', 'service-monitor'],
    ],
    ['with Flux', engine('flux', 'flux-system:kustomize-controller'), 'deploy', ['flux']],
  ])('%s makes what kustomize makes', (_what, values, resource, components) => {
    const [made, wanted] = [templated(values), kustomized(resource, components)];
    expect([...made.keys()].sort()).toEqual([...wanted.keys()].sort());
    for (const [name, object] of wanted) expect([name, made.get(name)]).toEqual([name, object]);
  });

  test('has no policy, or no namespace, where its value says so', () => {
    const kinds = (values: object): string[] => [...templated(values).keys()];
    expect(kinds({}).some((name) => name.startsWith('Namespace '))).toBe(true);
    expect(kinds({ createNamespace: false }).some((name) => name.startsWith('Namespace '))).toBe(false);
    const left = kinds({ policies: false, deletionProtection: false, budgetProtection: false });
    expect(left.filter((name) => name.includes('AdmissionPolicy'))).toEqual([]);
  });

  test('for one namespace has nothing anywhere else', () => {
    const made = [...templated({ onlyNamespace: 'shop' })];
    expect(made.map(([name]) => name).filter((name) => !name.includes(' shop/'))).toEqual([]);
    expect(made.length).toBeGreaterThan(5);
    expect(JSON.stringify(made)).not.toContain('kruise-system');
    expect(JSON.stringify(made)).toContain('kruise-shop');
  });

  test.each(['exactBudgets', 'spreads'])(
    'asks for the addresses of API servers with %s: these alone may take slots',
    (value) => {
      expect(() => templated({ admission: { enabled: true, [value]: true } })).toThrow(/apiServers/);
    },
  );

  test.each<[string, object]>([
    ['admission.enabled', { admission: { enabled: true } }],
    ['admission.exactBudgets', { admission: { exactBudgets: true } }],
    ['admission.spreads', { admission: { spreads: true } }],
    ['admission.apiServers', { admission: { apiServers: ['192.0.2.0/24'] } }],
    ['cascadingProtection', { cascadingProtection: true }],
    ['launchEverywhere', { launchEverywhere: true }],
    ['containerExec', { containerExec: true }],
    ['accounts.argocd', engine('argocd', 'argocd:argocd-application-controller')],
    ['accounts.flux', engine('flux', 'flux-system:kustomize-controller')],
    ['accounts.listed', engine('listed', 'ops:bot')],
  ])('for one namespace is refused with %s, which is for a whole cluster', (name, values) => {
    expect(() => templated({ onlyNamespace: 'shop', ...values })).toThrow(`${name} is for a whole cluster`);
  });

  test('takes the image', () => {
    const image = 'registry.example/kruise@sha256:abc';
    const text = JSON.stringify([...templated({ image, admission: { enabled: true } }).values()]);
    expect(text.split(image)).toHaveLength(3);
    expect(text).not.toContain('kruise-runtime:0.1.0');
  });

  test('passes lint', () => {
    expect(printed(helm ?? '', ['lint', '--strict', 'deploy/chart'])).toContain('0 chart(s) failed');
  });
});

test('the chart has the version of the package', () => {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(parse(read('deploy/chart/Chart.yaml'))).toMatchObject({ version, appVersion: version });
});
