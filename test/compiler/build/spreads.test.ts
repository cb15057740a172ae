import { describe, expect, test } from 'vitest';
import { kruise } from '../world/manifests.ts';

const CHOSEN = 'build: [{match: {}, as: Kubernetes}]\n';
const POD = '{metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]}}';

const workload = (of: string, spec = ''): string =>
  `apiVersion: ${of}\nmetadata: {name: web, namespace: shop}\nspec:\n  selector: {matchLabels: {app: web}}\n${spec}  template: ${POD}\n`;
const deployment = workload('apps/v1\nkind: Deployment');
const cloneSet = workload(
  'apps.kruise.io/v1beta1\nkind: CloneSet',
  '  replicas: 3\n  updateStrategy: {type: ReCreate}\n',
);
const spread = (of: string, subset = 'name: a, tolerations: [{key: a, operator: Exists}]'): string =>
  `apiVersion: apps.kruise.io/v1beta1\nkind: WorkloadSpread\nmetadata: {name: place, namespace: shop}\nspec:\n  targetRef: {apiVersion: ${of}, name: web}\n  subsets: [{${subset}}]\n`;
const ofDeployment = spread('apps/v1, kind: Deployment');
const ofCloneSet = spread('apps.kruise.io/v1beta1, kind: CloneSet');

async function build(files: Record<string, string>, { config = '', args = [] as readonly string[] } = {}) {
  const all = Object.fromEntries(Object.entries(files).map(([name, text]) => [`apps/${name}`, text]));
  const { host, code } = await kruise(
    { ...all, ...(config === '' ? {} : { 'kruise.yaml': config }) },
    { args: ['build', 'apps', ...args] },
  );
  return { out: host.out, err: host.err, code, host };
}

describe('a WorkloadSpread and its workload decide together', () => {
  test('without a rule both are compiled, as both are exact', async () => {
    const { err, out } = await build({ 'a.yaml': ofCloneSet, 'b.yaml': cloneSet });
    expect(err).toContain('CloneSet shop/web is a Deployment, exact');
    expect(err).toContain('WorkloadSpread shop/place is in the template of CloneSet shop/web, exact');
    expect(out).not.toContain('kind: WorkloadSpread');
    expect(out).toContain('tolerations:');
  });

  test('where kruise.yaml keeps the workload, both stay', async () => {
    const config = 'build: [{match: {kind: CloneSet}, as: OpenKruise}]\n';
    const { err, out } = await build({ 'a.yaml': ofCloneSet, 'b.yaml': cloneSet }, { config });
    expect(err).toContain('WorkloadSpread shop/place stays: CloneSet shop/web stays');
    expect(out).toBe(`${ofCloneSet}---\n${cloneSet}`);
  });

  test('where kruise.yaml keeps the WorkloadSpread, the workload loses it', async () => {
    const config = 'build: [{match: {kind: WorkloadSpread}, as: OpenKruise}]\n';
    const { err, out } = await build({ 'a.yaml': ofCloneSet, 'b.yaml': cloneSet }, { config });
    expect(err).toContain('CloneSet shop/web stays: as a Deployment it loses a WorkloadSpread of it');
    expect(out).toBe(`${ofCloneSet}---\n${cloneSet}`);
    const kept = await build({ 'a.yaml': ofDeployment, 'b.yaml': deployment }, { config });
    expect(kept.out, 'it places the pods of a Deployment by its gate').toContain('schedulingGates:');
  });

  test('what the patch brings counts as if the workload had it', async () => {
    const env = 'name: KRUISE_CONTAINER_PRIORITY, value: "1"';
    const ordered = spread(
      'apps.kruise.io/v1beta1, kind: CloneSet',
      `name: a, patch: {spec: {containers: [{name: log, image: "log:1", env: [{${env}}]}]}}`,
    );
    const { err } = await build({ 'a.yaml': ordered, 'b.yaml': cloneSet });
    expect(err).toContain(
      'CloneSet shop/web stays: as a Deployment it loses containers that start in an order',
    );
    expect(err).toContain('WorkloadSpread shop/place stays: CloneSet shop/web stays');
  });

  test('one that kruise.yaml chooses and that stays has a warning, an error with --strict', async () => {
    const two = ofDeployment.replace('subsets: [', 'subsets: [{name: first, maxReplicas: 1}, ');
    const files = { 'a.yaml': two, 'b.yaml': deployment };
    expect((await build(files, { config: CHOSEN })).err).toContain(
      'warning[KR2241]: WorkloadSpread shop/place stays as it is: several subsets:',
    );
    const strict = await build(files, { config: CHOSEN, args: ['--strict'] });
    expect([strict.code, strict.out]).toEqual([1, '']);
  });
});

describe('a WorkloadSpread whose workload cannot take it stays, with the reason', () => {
  const stateful = workload('apps/v1\nkind: StatefulSet');
  test.each([
    ['that is elsewhere', ofDeployment, '', 'no manifest of Deployment web with a template is here'],
    [
      'of another namespace',
      ofDeployment,
      deployment.replace('shop', 'pay'),
      'no manifest of Deployment web with a template is here',
    ],
    [
      'of which there are two',
      ofDeployment,
      `${deployment}---\n${deployment}`,
      'several manifests of Deployment web are here',
    ],
    [
      'without a template',
      spread('apps/v1, kind: StatefulSet'),
      stateful.replace(POD, '5'),
      'no manifest of StatefulSet web with a template is here',
    ],
  ])('%s', async (_what, text, owner, why) => {
    const { err, out, code } = await build({ 'a.yaml': text, 'b.yaml': owner });
    expect(code, err).toBe(0);
    expect(err).toContain(`WorkloadSpread shop/place stays: ${why}`);
    expect(out).not.toContain('in its template');
    expect(out).toContain('kind: WorkloadSpread');
  });

  test.each([
    [
      'whose pods would leave it',
      '{metadata: {labels: {app: other}}}',
      'must leave the labels by which the workload selects its pods',
    ],
    [
      'whose pods a server would refuse',
      '{spec: {containers: [{name: web, image: ""}]}}',
      'leads to a pod that is refused',
    ],
  ])('%s: nothing is written', async (_what, patch, why) => {
    const text = spread('apps/v1, kind: StatefulSet', `name: a, patch: ${patch}`);
    const { err, out, code } = await build({ 'a.yaml': text, 'b.yaml': stateful });
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('error[KR2234]: the patch does not fit the template of StatefulSet web');
    expect(err).toContain(why);
  });
});

test.each([
  [
    'on one line',
    '{metadata: {labels: {tier: null}}, spec: {dnsPolicy: ~, containers: [{name: web, env: null}]}}',
  ],
  [
    'in blocks',
    `
      metadata:
        labels:
          tier:
      spec:
        dnsPolicy: null
        containers:
        - name: web
          env: ~`,
  ],
])('what a patch removes is removed: %s', async (_way, patch) => {
  const owner = deployment.replace(
    POD,
    '{metadata: {labels: {app: web, tier: a}}, spec: {dnsPolicy: None, containers: [{name: web, image: "web:1", env: [{name: A, value: a}]}]}}',
  );
  const text = ofDeployment.replace(/subsets: .*/, `subsets:\n  - name: a\n    patch: ${patch}`);
  const { out, err } = await build({ 'a.yaml': text, 'b.yaml': owner });
  expect(err).toContain('is in the template of Deployment shop/web, exact');
  expect(out).not.toMatch(/tier|dnsPolicy|env|null/);
});

describe('what is left of its document', () => {
  test('a file of YAML has its comment, and builds to itself', async () => {
    const { host, code } = await build(
      { 'a.yaml': ofDeployment, 'b.yaml': deployment },
      { args: ['-o', 'out'] },
    );
    expect(code).toBe(0);
    expect(host.files.get('/repo/out/a.yaml')).toBe(
      '# Built by kruise build from a.yaml: WorkloadSpread shop/place, exact, in the template of Deployment shop/web. Change the source, not this.\n',
    );
  });

  test('a file of JSON is an empty List', async () => {
    const object = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'WorkloadSpread',
      metadata: { name: 'place', namespace: 'shop' },
      spec: {
        targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        subsets: [{ name: 'a' }],
      },
    };
    const { host } = await build(
      { 'a.json': JSON.stringify(object), 'b.yaml': deployment },
      { args: ['-o', 'out'] },
    );
    expect(JSON.parse(String(host.files.get('/repo/out/a.json')))).toEqual({
      apiVersion: 'v1',
      kind: 'List',
      items: [],
    });
  });

  test('a List has the others', async () => {
    const items = [ofDeployment, deployment].map((each) => `- ${each.trimEnd().replaceAll('\n', '\n  ')}\n`);
    const { out } = await build({ 'a.yaml': `apiVersion: v1\nkind: List\nitems:\n${items.join('')}` });
    expect(out.match(/kind: \w+/g)).toEqual(['kind: List', 'kind: Deployment']);
  });

  test('a reference to it is warned of', async () => {
    const health = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: x, namespace: flux-system}
spec: {healthChecks: [{apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, name: place, namespace: shop}]}
`;
    const { err } = await build({ 'a.yaml': ofDeployment, 'b.yaml': deployment, 'c.yaml': health });
    expect(err).toContain(
      'warning[KR2243]: Kustomization flux-system/x names the WorkloadSpread place, which becomes a part of the template of Deployment shop/web, in spec.healthChecks.0',
    );
  });

  test('the policy of deletion protection counts it for nothing', async () => {
    const labels = 'name: place, labels: {policy.kruise.io/delete-protection: Always}';
    const files = { 'a.yaml': ofDeployment.replace('name: place', labels), 'b.yaml': deployment };
    const { err, out } = await build(files, { config: CHOSEN });
    expect(err).toContain('lowered; lost: the label policy.kruise.io/delete-protection');
    expect(err).not.toContain('from deletion, exact');
    expect(out).not.toContain('ValidatingAdmissionPolicy');
    const unchosen = await build(files);
    expect(unchosen.err).toContain(
      'WorkloadSpread shop/place stays: in a template it loses the label policy.kruise.io/delete-protection',
    );
  });
});
