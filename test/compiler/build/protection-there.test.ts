import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { deletionProtection } from '../../../schemas/generated/deletion-protection.ts';
import { EXEMPT_NAMESPACE } from '../../../semantics/protection/lowering.ts';
import { kruise } from '../world/manifests.ts';

const LABEL = 'policy.kruise.io/delete-protection';
const meta = (name: string, namespace?: string): string =>
  `metadata:\n  name: ${name}\n${namespace === undefined ? '' : `  namespace: ${namespace}\n`}  labels:\n    ${LABEL}: Always\n`;
const service = `apiVersion: v1\nkind: Service\n${meta('web')}`;
const [policy = '', binding = '', values = ''] = deletionProtection.split('---\n');
const NAME = 'deletion-protection.plan.kruise.io';
const named = (apiVersion: string, kind: string, spec: string, name = NAME): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\nspec: ${spec}\n`;
const G = 'admissionregistration.k8s.io/v1';
const empty = named(G, 'ValidatingAdmissionPolicy', "{ validations: [{ expression: 'true' }] }");
const bound = (spec: string): string => named(G, 'ValidatingAdmissionPolicyBinding', spec, 'mine');

async function built(manifests: readonly string[], args: readonly string[] = []) {
  const files = { 'apps/a.yaml': manifests.join('---\n') };
  const { host, code } = await kruise(files, { args: ['build', 'apps', ...args] });
  return { out: host.out, err: host.err, code };
}

describe('policies that manifests have', () => {
  test.each<[string, string[]]>([
    ['the policy and its binding', [policy, binding]],
    [
      'the policy with a binding of another name',
      [policy, bound(`{ policyName: ${NAME}, validationActions: [Deny] }`)],
    ],
  ])('with %s none is written', async (_title, others) => {
    const { out, err, code } = await built([service, ...others], ['--strict']);
    expect([out, err.includes('protect'), code]).toEqual([[service, ...others].join('---\n'), false, 0]);
  });

  test.each<[string, string[]]>([
    ['an object of another group', [named('example.com/v1', 'ValidatingAdmissionPolicy', '{}')]],
    ['a binding of another policy', [bound('{ policyName: other, validationActions: [Deny] }')]],
    ['a binding of the policy alone', [bound(`{ policyName: ${NAME}, validationActions: [Deny] }`)]],
  ])('beside %s they are written', async (_title, others) => {
    const { out, err, code } = await built([service, ...others], ['--strict']);
    expect(out.endsWith(deletionProtection)).toBe(true);
    expect([err.includes('protect 1 object from deletion, exact'), code]).toEqual([true, 0]);
  });

  test.each<[string, string[]]>([
    ['another policy of the name', [empty]],
    ['another policy of the name, which is bound', [empty, binding]],
    ['the policy without a binding', [policy]],
    [
      'the policy with a binding that denies nothing',
      [policy, bound(`{ policyName: ${NAME}, validationActions: [Warn] }`)],
    ],
    [
      'the policy with a binding for a part',
      [
        policy,
        bound(
          `{ policyName: ${NAME}, validationActions: [Deny], matchResources: { namespaceSelector: { matchLabels: { a: b } } } }`,
        ),
      ],
    ],
    ['the binding without a policy', [binding]],
    ['the policy of values alone', [values]],
  ])('beside %s the build writes none over it, and says so', async (_title, others) => {
    const { out, err, code } = await built([service, ...others]);
    expect([out, code]).toEqual([[service, ...others].join('---\n'), 0]);
    expect(err).toContain('no ValidatingAdmissionPolicy is written');
    expect(err).toContain(
      'Service default/web is not protected; lost: delete-protection beside a policy or binding of the same name',
    );
    const strict = await built([service, ...others], ['--strict']);
    expect([strict.out, strict.code]).toEqual(['', 1]);
    expect(strict.err).toContain('error[KR2240]: Service default/web');
  });

  test.each([
    [['deletion-protection.yaml'], '-2'],
    [['deletion-protection.yaml/a.yaml'], '-2'],
    [['deletion-protection.yaml', 'deletion-protection-2.yaml'], '-3'],
    [['shop/deletion-protection.yaml'], ''],
  ])('beside %j its name ends in "%s"', async (names, number) => {
    const texts = names.map((name, at) => [`apps/${name}`, service.replace('name: web', `name: web-${at}`)]);
    const args = ['build', 'apps', '--strict', '-o', 'built'];
    const { host, code } = await kruise(Object.fromEntries(texts), { args });
    expect(code).toBe(0);
    expect(host.files.get(`/repo/built/deletion-protection${number}.yaml`)).toBe(deletionProtection);
  });
});

describe('what nothing protects', () => {
  const budget = `apiVersion: policy.kruise.io/v1alpha1
kind: PodUnavailableBudget
metadata:
  name: web
  labels:
    ${LABEL}: Always
  annotations:
    kruise.io/pub-protect-operations: EVICT
spec:
  maxUnavailable: 1
  targetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
`;
  const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: 'web:1' }] }
`;
  const choice = 'build:\n  - match: { kind: PodUnavailableBudget }\n    as: Kubernetes\n';

  test.each<[string, string[], string]>([
    [
      'an object in an exempt namespace',
      [`apiVersion: v1\nkind: Service\n${meta('dns', 'kube-system')}`],
      'Service kube-system/dns',
    ],
    [
      'that Namespace itself',
      [`apiVersion: v1\nkind: Namespace\n${meta('kube-system')}`],
      'Namespace kube-system',
    ],
    ['a budget that becomes one of Kubernetes', [budget, deployment], 'PodUnavailableBudget default/web'],
  ])('the build names %s, and does not count it as protected', async (_title, manifests, name) => {
    const run = (more: readonly string[], args: readonly string[]) =>
      kruise(
        { 'apps/a.yaml': [...manifests, ...more].join('---\n'), 'kruise.yaml': choice },
        { args: ['build', 'apps', ...args] },
      );
    const alone = await run([], []);
    expect(alone.host.out).not.toContain('kind: ValidatingAdmissionPolicy');
    expect(alone.host.err).toContain(`${name} is not protected; lost: `);
    const beside = await run([service.replace('name: web', 'name: other')], []);
    expect(beside.host.err).toContain('protect 1 object from deletion, lowered');
    expect(beside.host.out).toContain('kind: ValidatingAdmissionPolicy');
    const strict = await run([], ['--strict']);
    expect([strict.host.out, strict.code]).toEqual(['', 1]);
    expect(strict.host.err).toContain(`error[KR2240]: ${name}`);
  });

  test('the exempt namespace is that of the policy', () => {
    const [first] = parseAllDocuments(deletionProtection);
    const { matchConstraints } = parse(String(first)).spec;
    expect(matchConstraints.namespaceSelector.matchExpressions).toEqual([
      { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [EXEMPT_NAMESPACE] },
    ]);
  });
});
