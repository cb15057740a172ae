import { mkdtempSync, readFileSync, rmSync, writeFileSync, cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBinaries } from '../e2e/binaries.ts';
import { start, words, type Answer } from '../e2e/run.ts';
import { root } from './cluster.ts';

/**
 * A sandbox keeps admission policies and calls none. These cases need another server: KRUISE_E2E_KUBECONFIG names its
 * kubeconfig, and they are its administrator.
 */
const kubeconfig = process.env['KRUISE_E2E_KUBECONFIG'];
const binary = findBinaries().at(-1)?.path;
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

describe.skipIf(kubeconfig === undefined || binary === undefined)('the admission policies', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-policies-'));
  const kubectl = (line: string, stdin?: string): Promise<Answer> =>
    start({
      path: binary ?? '',
      args: words(line),
      env: { HOME: folder, PATH: process.env['PATH'] ?? '', KUBECONFIG: kubeconfig ?? '' },
      cwd: folder,
      stdin,
    }).done;
  async function done(line: string, stdin?: string): Promise<string> {
    const { code, out, err } = await kubectl(line, stdin);
    if (code !== 0) throw new Error(`${line}: ${err}`);
    return out;
  }
  /** Policies come into force a moment after they are there. */
  async function enforced(): Promise<void> {
    const attempt = (user: string, text: string) =>
      kubectl(`create --dry-run=server -f - --as ${user}`, text);
    for (const end = Date.now() + 60_000; Date.now() < end;) {
      const [mona, eve, other] = await Promise.all([
        attempt('mona', command('Approve', 'mona')),
        attempt('mona', command('Approve', 'eve')),
        attempt('eve', plan('1%')),
      ]);
      if (mona.code === 0 && eve.code !== 0 && other.err.includes('is not one of its accounts')) return;
      await new Promise((resolve) => void setTimeout(resolve, 200));
    }
    throw new Error('the policies never came into force');
  }

  beforeAll(async () => {
    cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
    // In this namespace alone: whoever else uses the server is left in peace, and keeps our definitions.
    writeFileSync(
      join(folder, 'kustomization.yaml'),
      JSON.stringify({
        resources: ['deploy/namespace.yaml', 'deploy/rbac', 'deploy/policy'],
        patches: [
          {
            target: { kind: 'ValidatingAdmissionPolicyBinding' },
            patch: JSON.stringify([
              {
                op: 'add',
                path: '/spec/matchResources',
                value: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': shop } } },
              },
            ]),
          },
        ],
      }),
    );
    await done('apply --server-side --force-conflicts -f deploy/crds');
    await done('wait --for=condition=Established --timeout=30s -f deploy/crds');
    await done(`create namespace ${shop}`);
    await done('apply --server-side --force-conflicts -k .');
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
    await enforced();
  }, 120_000);

  afterAll(async () => {
    await kubectl(`delete namespace ${shop} --wait=false`);
    await kubectl('delete --ignore-not-found --wait=false -k .');
    rmSync(folder, { recursive: true, force: true });
  });

  test('are sound to the server', async () => {
    for (const name of ['rolloutplans.plan.kruise.io', 'rolloutcommands.plan.kruise.io']) {
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
      `mona may not break the glass in ${shop}: it takes the verb "break-glass" on rolloutcommands`,
    ],
    ['the engine, approving', engine, 'Approve', engine, undefined],
    ...['Pause', 'Resume', 'Abort', 'Revert', 'BreakGlass'].map(
      (action) => ['the engine never', engine, action, engine, `${engine} may send Approve only`] as const,
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

  test('let plans come from other accounts once they are listed, in both policies by one patch', async () => {
    const policy = '{.items[*].spec.variables[0].expression}';
    const kustomization = JSON.parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as {
      patches: object[];
    };
    const [, patch = ''] =
      /^patches:\n([^]*?)^```$/m.exec(readFileSync(join(root, 'docs/install.md'), 'utf8')) ?? [];
    kustomization.patches.push(...(parse(patch) as object[]));
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    await done('apply --server-side --force-conflicts -k .');
    const listed = await done(
      `get validatingadmissionpolicy rolloutplans.plan.kruise.io rolloutcommands.plan.kruise.io -o jsonpath=${policy}`,
    );
    expect(listed).toBe(
      "['system:serviceaccount:gitops:engine', 'mona'] ['system:serviceaccount:gitops:engine', 'mona']",
    );
    const refused = async () =>
      (await kubectl(`create --dry-run=server -f - --as mona`, command('Pause', 'mona'))).err;
    for (const end = Date.now() + 20_000; (await refused()) === '' && Date.now() < end;)
      await new Promise((resolve) => void setTimeout(resolve, 200));
    expect(await refused()).toContain('mona may send Approve only');
    const { err } = await kubectl(`create --dry-run=server -f - --as ${engine}`, plan('100%'));
    expect(err).toContain(`${engine} is not one of its accounts`);
  });
});
