import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from './cluster.ts';
import { canPolice, isSandbox, police } from './policed.ts';

const engine = 'system:serviceaccount:argocd:argocd-application-controller';
const shop = `kruise-policies-${process.pid}`;
const digest = 'h1:0123456789abcdef0123456789abcdef';

const plan = (to: string, label = 'a') => `
apiVersion: plan.kruise.io/v1alpha1
kind: RolloutPlan
metadata: { name: cloneset-web, namespace: ${shop}, labels: { label: ${label} } }
spec:
  format: '1'
  semantics: '1'
  target: { apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, name: web }
  to: { hash: '${digest}' }
  from: []
  steps: [{ id: all, update: { to: '${to}' } }]
  digest: '${digest}'
`;

const command = (action: string, by?: string) => `
apiVersion: plan.kruise.io/v1alpha1
kind: RolloutCommand
metadata: { generateName: c-, namespace: ${shop} }
spec: { target: { kind: CloneSet, name: web }, action: ${action}${by === undefined ? '' : `, by: '${by}'`} }
`;

interface Policy {
  kind: string;
  metadata: { name: string };
  spec: { matchConstraints: { resourceRules: { apiGroups: string[]; apiVersions: string[] }[] } };
}

/** The versions whose types are compared, of groups with others than `v1`. */
const VERSIONS: Readonly<Record<string, string[]>> = {
  'apps.kruise.io': ['v1alpha1', 'v1beta1'],
  'plan.kruise.io': ['v1alpha1'],
  'policy.kruise.io': ['v1alpha1'],
};

/**
 * Policies with one expression for kinds of several shapes, such as Pods and Deployments, or the Events of two groups: a field that one
 * of them has not is absent at run time, and a warning to whoever compares types. Their syntax alone is checked.
 */
const OF_MANY_SHAPES: ReadonlySet<string> = new Set([
  'native-workloads.plan.kruise.io',
  'runtime-events.plan.kruise.io',
  'runtime-objects.plan.kruise.io',
]);

/** A policy with another name and the versions that there are: the server compares no types where a policy is for any version. */
function typed({ metadata, spec, ...policy }: Policy): Policy {
  const resourceRules = spec.matchConstraints.resourceRules.map((rule) => ({
    ...rule,
    apiVersions: rule.apiGroups.flatMap((group) => VERSIONS[group] ?? ['v1']),
  }));
  const matchConstraints = { ...spec.matchConstraints, resourceRules };
  return {
    ...policy,
    metadata: { ...metadata, name: `typed-${metadata.name}` },
    spec: { ...spec, matchConstraints },
  };
}

/** The admission policies among the objects of a YAML text. */
const policiesIn = (text: string): Policy[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Policy)
    .filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');

/** The patches of a page that are for admission policies. */
const patchIn = (path: string): object[] => {
  const blocks = readFileSync(join(root, path), 'utf8').matchAll(/^patches:\n([^]*?)^```$/gm);
  const patches = [...blocks].flatMap(([, patch = '']) => parse(patch) as { target: { kind: string } }[]);
  return patches.filter(({ target }) => target.kind === 'ValidatingAdmissionPolicy');
};

describe.skipIf(!canPolice)('the admission policies', () => {
  const { kubectl, done, install, until, close } = police([shop]);

  beforeAll(async () => {
    await done(`create namespace ${shop}`);
    await install({ components: ['argocd'] });
    for (const [role, subject] of [
      ['kruise-approver', '--user=mona'],
      ['kruise-approver', '--user=bob'],
      ['kruise-break-glass', '--user=bob'],
      ['kruise-plan-writer', '--user=eve'],
      ['kruise-plan-writer', '--serviceaccount=argocd:argocd-application-controller'],
    ] as const)
      await done(
        `create rolebinding ${role}-${subject.replaceAll(/[^a-z]/g, '')} -n ${shop} --clusterrole=${role} ${subject}`,
      );
    const attempt = (user: string, text: string) =>
      kubectl(`create --dry-run=server -f - --as ${user}`, text);
    await until('the policies are in force', async () => {
      const [mona, eve, other] = await Promise.all([
        attempt('mona', command('Approve', 'mona')),
        attempt('mona', command('Approve', 'eve')),
        attempt('eve', plan('1%')),
      ]);
      return mona.code === 0 && eve.code !== 0 && other.err.includes('is not one of its accounts');
    });
  }, 120_000);

  afterAll(async () => {
    await kubectl(`delete namespace ${shop} --wait=false`);
    await close();
  });

  // A sandbox evaluates policies, and does not check their types.
  test.skipIf(isSandbox)('are sound to the server, those of components too', async () => {
    const folder = join(root, 'deploy/components');
    const paths = readdirSync(folder).map((name) => join(folder, name, 'policy.yaml'));
    const texts = paths.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8'));
    const found = [await done('kustomize deploy/policy'), ...texts].map(policiesIn);
    expect(found.filter((each) => each.length === 0)).toEqual([]);
    const installed = new Set(found[0]?.map(({ metadata }) => metadata.name));
    const items = found
      .flat()
      .map((policy) => (OF_MANY_SHAPES.has(policy.metadata.name) ? policy : typed(policy)));
    // Without their bindings they refuse nothing.
    await done('apply -f -', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const warnings: string[] = [];
    for (const { metadata } of items) {
      const path = '{.status.typeChecking}';
      const policy = `validatingadmissionpolicy/${metadata.name}`;
      await done(`wait ${policy} --for=jsonpath={.status.observedGeneration} --timeout=30s`);
      // It says `{}` when it has looked and found nothing.
      const said = await done(`get ${policy} -o jsonpath=${path}`);
      if (said !== '{}') warnings.push(`${metadata.name}: ${said}`);
      if (!installed.has(metadata.name)) await done(`delete ${policy} --wait=false`);
    }
    expect(warnings).toEqual([]);
    const names = found.flat().map(({ metadata }) => metadata.name);
    expect([...OF_MANY_SHAPES].filter((name) => !names.includes(name))).toEqual([]);
  });

  test.each([
    ['a person by his own name', 'mona', 'Approve', 'mona', undefined],
    ['nobody by no name', 'mona', 'Approve', undefined, 'spec.by is who sends the command: write "mona"'],
    [
      'nobody by the name of another',
      'mona',
      'Approve',
      'eve',
      'spec.by is who sends the command: write "mona"',
    ],
    ['a person who may, breaking the glass', 'bob', 'BreakGlass', 'bob', undefined],
    [
      'no person who may not, breaking the glass',
      'mona',
      'BreakGlass',
      'mona',
      `mona may not send BreakGlass in ${shop}: it requires the verb "break-glass" on rolloutcommands`,
    ],
    ['the engine, approving', engine, 'Approve', engine, undefined],
    ...['Pause', 'Resume', 'Abort', 'Revert', 'BreakGlass'].map(
      (action) => ['the engine never', engine, action, engine, `${engine} may send only Approve`] as const,
    ),
    ['nobody without a role', 'zed', 'Approve', 'zed', 'User "zed" cannot create resource "rolloutcommands"'],
  ] as const)('let a command come from %s (%s, %s)', async (_who, user, action, by, refusal) => {
    const { code, err } = await kubectl(`create -f - --as ${user}`, command(action, by));
    if (refusal === undefined) expect([code, err]).toEqual([0, '']);
    else {
      expect(code).toBe(1);
      expect(err).toContain(refusal);
    }
  });

  test('let plans come from listed accounts alone; labels and deletion are a matter of roles', async () => {
    const apply = (user: string, text: string) =>
      kubectl(`apply --server-side --force-conflicts -f - --as ${user}`, text);
    const notListed =
      'plans are written by the GitOps engine, and eve is not one of its accounts: commit the plan and let the engine sync it; or list the account in the policy';
    expect((await apply('eve', plan('100%'))).err).toContain(notListed);
    expect(await apply(engine, plan('100%'))).toMatchObject({ code: 0 });
    expect((await apply('eve', plan('50%'))).err).toContain(notListed);
    expect(await apply('eve', plan('100%', 'b'))).toMatchObject({ code: 0 });
    expect(await apply(engine, plan('50%'))).toMatchObject({ code: 0 });
    expect((await apply('mona', plan('50%'))).err).toContain(
      'User "mona" cannot patch resource "rolloutplans"',
    );
    expect(await kubectl(`delete rolloutplan cloneset-web -n ${shop} --as eve`)).toMatchObject({ code: 0 });
  });

  test('ask the same of a diff that the server makes: Argo CD asks for it as its controller', async () => {
    const diff = (user: string) =>
      kubectl(`apply --server-side --force-conflicts --dry-run=server -f - --as ${user}`, plan('40%'));
    expect((await diff('eve')).err).toContain('eve is not one of its accounts');
    expect(await diff(engine)).toMatchObject({ code: 0 });
  });

  test('let plans come from other accounts once they are listed, in both policies by one patch', async () => {
    await install({ components: ['argocd', 'flux'], patches: patchIn('docs/install.md') });
    const listed = await done(
      'get validatingadmissionpolicy rolloutplans.plan.kruise.io rolloutcommands.plan.kruise.io -o jsonpath={.items[*].spec.variables[2].expression}',
    );
    expect(listed).toBe(
      "['system:serviceaccount:gitops:engine', 'mona'] ['system:serviceaccount:gitops:engine', 'mona']",
    );
    const refused = async () =>
      (await kubectl(`create --dry-run=server -f - --as mona`, command('Pause', 'mona'))).err;
    await until('the patch is in force', async () => (await refused()) !== '');
    expect(await refused()).toContain('mona may send only Approve');
    // Both components add theirs.
    for (const each of [engine, 'system:serviceaccount:flux-system:kustomize-controller'])
      expect((await kubectl(`create --dry-run=server -f - --as ${each}`, plan('100%'))).err).not.toContain(
        'is not one of its accounts',
      );
  });

  test('security 14: as shipped let plans come from nobody, and say how an account is listed', async () => {
    await install();
    const { stdin, line } = { stdin: plan('100%'), line: `create --dry-run=server -f - --as ${engine}` };
    const lists = 'lists no account that may write plans: install it with the component of the GitOps engine';
    await until('the lists are empty', async () => (await kubectl(line, stdin)).err.includes(lists));
    expect((await kubectl('create --dry-run=server -f -', stdin)).err).toContain(lists);
  });
});
