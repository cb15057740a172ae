import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { kruise } from './world/manifests.ts';

const PLAN = 'plans/_cluster/sidecarset-log/plan.yaml';
const SHOP = '  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}';

function setWith(selection: string, image = 'log:1', app = 'web'): string {
  return [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: SidecarSet',
    'metadata: {name: log}',
    'spec:',
    `  selector: {matchLabels: {app: ${app}}}`,
    selection,
    `  containers: [{name: log, image: "${image}"}]`,
    '',
  ].join('\n');
}

const deployment = (name: string, namespace: string, app = 'web'): string =>
  `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  replicas: 3
  selector: {matchLabels: {run: ${name}}}
  template:
    metadata: {labels: {app: ${app}, run: ${name}}}
    spec: {containers: [{name: nginx, image: nginx}]}
`;

const PODS = {
  'head/a.yaml': deployment('front', 'shop'),
  'head/b.yaml': deployment('ledger', 'bank'),
  'head/c.yaml': deployment('api', 'shop', 'api'),
};

async function planned(base: string, head: string, files: Readonly<Record<string, string>> = {}) {
  const { host, code } = await kruise({
    'base/set.yaml': base,
    'head/set.yaml': head,
    ...PODS,
    ...files,
  });
  const read = (name: string): string => String(host.files.get(`/repo/head/${name}`) ?? '');
  const plan = parse(read(PLAN)) as RolloutPlan | null;
  return { code, host, plan, text: read(PLAN), forecast: read(PLAN.replace('plan.yaml', 'forecast.md')) };
}

const EVERYWHERE = { selector: { matchLabels: { app: 'web' } } };

describe('which pods a set selects is part of what its plan states', () => {
  test('a commit that widens it gets a plan, which says who joins', async () => {
    const { plan, forecast, host } = await planned(setWith(SHOP), setWith(''));
    expect(plan?.spec.to.bound).toEqual({ partition: 0, selection: EVERYWHERE });
    expect(host.out).not.toContain('settings only');
    expect(host.out).toContain('which pods are selected, the rollout continues');
    expect(host.err).not.toContain('KR3007');
    expect(forecast).toContain('No pod that runs changes: which new ones get the sidecars does.');
    expect(forecast).toContain('Newly selected: 1 workload in the manifests: Deployment bank/ledger.');
    expect(forecast).toContain('No longer selected: no workload in the manifests.');
    expect(forecast).toContain('Reverting this commit brings back at once which new pods get the sidecars.');
    expect(forecast).not.toContain('moves no pod back');
    expect(forecast).toContain(
      'Namespaces: those that match kubernetes.io/metadata.name=shop before, all now.',
    );
  });

  test('a commit that narrows it says who leaves, and when', async () => {
    const { plan, forecast } = await planned(setWith(''), setWith(SHOP));
    expect(plan?.spec.to.bound.selection).toHaveProperty('namespaceSelector');
    expect(forecast).toContain('No longer selected: 1 workload in the manifests: Deployment bank/ledger.');
    expect(forecast).toContain('get no sidecar as soon as the manifest is applied');
  });

  test('together with an image, and with labels of pods', async () => {
    const { plan, forecast } = await planned(setWith(''), setWith('', 'log:2', 'api'));
    expect(plan?.spec.to.bound.selection).toEqual({ selector: { matchLabels: { app: 'api' } } });
    expect(forecast).toContain('Newly selected: 1 workload in the manifests: Deployment shop/api.');
    expect(forecast).toContain('Deployment bank/ledger and Deployment shop/front');
  });

  test('is not stated where it stays, but after a plan that states it', async () => {
    const image = await planned(setWith(''), setWith('', 'log:2'));
    expect(image.plan?.spec.to.bound).toEqual({ partition: 0 });
    const first = await planned(setWith(SHOP), setWith(''));
    const next = await planned(setWith(''), setWith('', 'log:2'), { [`base/${PLAN}`]: first.text });
    expect(next.plan?.spec.to.bound).toEqual({ partition: 0, selection: EVERYWHERE });
  });

  test('a workload that the same commit changes is named: its pods change twice', async () => {
    const cloneSet = (image: string): string =>
      deployment('front', 'shop')
        .replace('apps/v1\nkind: Deployment', 'apps.kruise.io/v1beta1\nkind: CloneSet')
        .replace('image: nginx', `image: ${image}`);
    const files = { 'base/a.yaml': cloneSet('nginx:1'), 'head/a.yaml': cloneSet('nginx:2') };
    const both = await planned(setWith(''), setWith('', 'log:2'), files);
    expect(both.forecast).toContain(
      'This commit also changes CloneSet shop/front: the pods there change twice, once by each plan.',
    );
    const one = await planned(setWith(''), setWith('', 'log:2'), {
      ...files,
      'base/a.yaml': cloneSet('nginx:2'),
    });
    expect(one.forecast).not.toContain('change twice');
  });

  describe.each(['Deployment', 'StatefulSet', 'DaemonSet'])('a %s of Kubernetes', (kind) => {
    const of = (image: string, replicas = 3): string =>
      deployment('front', 'shop')
        .replace('kind: Deployment', `kind: ${kind}`)
        .replace('image: nginx', `image: ${image}`)
        .replace('replicas: 3', `replicas: ${replicas}`);
    const twice = `This commit also changes ${kind} shop/front: its own controller makes the pods there anew as soon as it is applied, and this plan changes them once more.`;

    test.each<[what: string, base: string | undefined, head: string, image: string, is: boolean]>([
      ['that the same commit changes is named', of('nginx:1'), of('nginx:2'), 'log:2', true],
      ['that it only scales is not', of('nginx:1', 2), of('nginx:1', 3), 'log:2', false],
      ['that it adds is not', undefined, of('nginx:2'), 'log:2', false],
      ['that it leaves is not', of('nginx:2'), of('nginx:2'), 'log:2', false],
      ['is not where no running pod changes', of('nginx:1'), of('nginx:2'), 'log:1', false],
    ])('%s', async (_what, base, head, image, is) => {
      const files = { 'head/a.yaml': head, ...(base !== undefined && { 'base/a.yaml': base }) };
      const { forecast } = await planned(setWith(SHOP), setWith('', image), files);
      expect(forecast).not.toBe('');
      expect(forecast.includes(twice)).toBe(is);
    });
  });

  test('a committed plan that states another one is reported', async () => {
    const first = await planned(setWith(SHOP), setWith(''));
    const files = { [`base/${PLAN}`]: first.text, [`head/${PLAN}`]: first.text };
    const { host } = await planned(setWith('', 'log:1', 'api'), setWith('', 'log:1', 'api'), files);
    expect(host.err).toContain('the selection of SidecarSet log was changed without a plan');
  });
});
