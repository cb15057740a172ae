import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
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
  test.skipIf(isSandbox)('are sound to the server', async () => {
    const names = (await done('kustomize deploy/policy')).matchAll(
      /^kind: ValidatingAdmissionPolicy\nmetadata:\n  name: (\S+)$/gm,
    );
    const policies = [...names].map(([, name = '']) => name);
    expect(policies).toHaveLength(11);
    for (const name of policies) {
      const path = '{.status.typeChecking}';
      await done(
        `wait validatingadmissionpolicy/${name} --for=jsonpath={.status.observedGeneration} --timeout=30s`,
      );
      // It says `{}` when it has looked and found nothing.
      expect(await done(`get validatingadmissionpolicy ${name} -o jsonpath=${path}`)).toBe('{}');
    }
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
