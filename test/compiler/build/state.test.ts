import { describe, expect, test } from 'vitest';
import { cloneSet, kruise } from '../world/manifests.ts';

const CHOSEN = 'build: [{match: {}, as: Kubernetes}]\n';

async function build(texts: readonly string[], { config = '', args = [] as readonly string[] } = {}) {
  const files = Object.fromEntries(texts.map((text, index) => [`apps/${index}.yaml`, text]));
  const { host, code } = await kruise(
    { ...files, ...(config === '' ? {} : { 'kruise.yaml': config }) },
    { args: ['build', 'apps', ...args] },
  );
  return { out: host.out, err: host.err, code };
}

/** Without updates in place: all that is lost is what the others say. */
const web = cloneSet({ type: '', spec: '  updateStrategy: {type: ReCreate, maxUnavailable: 25%}' });

const scaler = (apiVersion: string, kind: string, target: string, metadata = 'name: any, namespace: shop') =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {${metadata}}\nspec: {scaleTargetRef: ${target}}\n`;
const target = '{apiVersion: apps.kruise.io/v1beta1, kind: CloneSet, name: web}';

describe('an autoscaler in another file', () => {
  test.each([
    ['of Kubernetes', scaler('autoscaling/v2', 'HorizontalPodAutoscaler', target)],
    ['of another project', scaler('keda.sh/v1alpha1', 'ScaledObject', target)],
    [
      'of a List',
      `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: any, namespace: shop}, spec: {scaleTargetRef: ${target}}}\n`,
    ],
  ])('%s makes a percentage no number', async (_name, text) => {
    const { err } = await build([web, text]);
    expect(err).toContain('CloneSet shop/web stays: as a Deployment it loses maxUnavailable in percent');
    const { out } = await build([web, text], { config: CHOSEN });
    expect(out).toContain('maxUnavailable: "25%"');
    expect(out).toContain('replicas: 10');
  });

  test.each([
    ['another kind', '{apiVersion: apps/v1, kind: Deployment, name: web}', undefined],
    ['another name', target.replace('web', 'db'), undefined],
    ['another namespace', target, 'name: any, namespace: pay'],
  ])('of %s changes nothing', async (_name, scaled, metadata) => {
    const { out, err } = await build([
      web,
      scaler('autoscaling/v2', 'HorizontalPodAutoscaler', scaled, metadata),
    ]);
    expect(err).toContain('CloneSet shop/web is a Deployment, exact');
    expect(out).toContain('maxUnavailable: 3');
  });
});

test('a namespace that asks for plans is seen, and one of another name is not', async () => {
  const namespace = (name: string) =>
    `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}, annotations: {plan.kruise.io/policy: Required}}\n`;
  expect((await build([web, namespace('shop')])).err).toContain('it loses the policy Required');
  expect((await build([web, namespace('pay')])).err).toContain('CloneSet shop/web is a Deployment, exact');
});

test('--strict refuses a chosen object whose kind has no rules', async () => {
  const united = 'apiVersion: apps.kruise.io/v1alpha1\nkind: EphemeralJob\nmetadata: {name: web}\nspec: {}\n';
  const strict = await build([united], { config: CHOSEN, args: ['--strict'] });
  expect(strict.err).toContain(
    'error[KR2241]: EphemeralJob default/web stays as it is: this version has no rules',
  );
  expect(strict.code).toBe(1);
  const unchosen = await build([united], { args: ['--strict'] });
  expect([unchosen.code, unchosen.out]).toEqual([0, united]);
  const kept = await build([united], {
    config: CHOSEN.replace('Kubernetes', 'OpenKruise'),
    args: ['--strict'],
  });
  expect(kept.err).toContain('EphemeralJob default/web stays: kruise.yaml chooses it');
});

describe('a reference in a field that does not follow', () => {
  const rollout = `apiVersion: rollouts.kruise.io/v1beta1
kind: Rollout
metadata: {name: web, namespace: shop}
spec: {workloadRef: ${target}}
`;
  test.each([
    ['workloadRef of a Rollout', rollout, 'Rollout shop/web', 'spec.workloadRef'],
    [
      'describedObject of a metric',
      `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: x, namespace: shop}
spec: {metrics: [{type: Object, object: {describedObject: ${target}}}]}
`,
      'HorizontalPodAutoscaler shop/x',
      'spec.metrics.0.object.describedObject',
    ],
    [
      'of another namespace',
      `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: x, namespace: flux-system}
spec: {healthChecks: [${target.replace('}', ', namespace: shop}')}]}
`,
      'Kustomization flux-system/x',
      'spec.healthChecks.0',
    ],
  ])('is a warning: %s', async (_name, text, from, field) => {
    const { out, err, code } = await build([web, text]);
    expect(err).toContain(
      `warning[KR2243]: ${from} names the CloneSet web, which becomes a Deployment, in ${field}`,
    );
    expect(out).toContain(text);
    expect(code).toBe(0);
  });

  test('is none where what it names stays', async () => {
    const config = CHOSEN.replace('Kubernetes', 'OpenKruise');
    expect((await build([web, rollout], { config })).err).not.toContain('KR2243');
    expect(
      (await build([web, rollout.replace('CloneSet, name: web', 'CloneSet, name: db')])).err,
    ).not.toContain('KR2243');
  });
});
