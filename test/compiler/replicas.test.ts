import { describe, expect, test } from 'vitest';
import { cloneSet, kruise } from './world/manifests.ts';
import { numbered } from './world/numbered.ts';

const without = (text: string): string => text.replace(/^ {2}replicas: .*\n/m, '');
const before = without(cloneSet());
const after = without(cloneSet({ image: 'nginx:1.27' }));
const scaler = (parts: { version?: string; kind?: string; namespace?: string; least?: string }): string =>
  [
    `apiVersion: autoscaling/${parts.version ?? 'v2'}`,
    'kind: HorizontalPodAutoscaler',
    `metadata: {name: web, namespace: ${parts.namespace ?? 'shop'}}`,
    'spec:',
    `  scaleTargetRef: {apiVersion: ${parts.kind ?? 'apps.kruise.io/v1beta1, kind: CloneSet'}, name: web}`,
    `  maxReplicas: 20${parts.least ?? '\n  minReplicas: 6'}`,
    '',
  ].join('\n');
const config = (match: string): string => `assume: {replicas: [{match: {${match}}, replicas: 12}]}\n`;

describe('a manifest that leaves replicas to an autoscaler', () => {
  test.each<[what: string, files: Record<string, string>, note: string]>([
    ['no autoscaler in git', {}, 'The manifest omits replicas, which OpenKruise defaults to 1.'],
    [
      'one of autoscaling/v2',
      { 'head/hpa.yaml': scaler({}) },
      'the numbers are for 6, the minimum of HorizontalPodAutoscaler web.',
    ],
    [
      'one of autoscaling/v1',
      { 'head/hpa.yaml': scaler({ version: 'v1' }) },
      'the numbers are for 6, the minimum',
    ],
    [
      'one without a minimum',
      { 'head/hpa.yaml': scaler({ least: '' }) },
      'the numbers are for 1, the minimum',
    ],
    ['one of another namespace', { 'head/hpa.yaml': scaler({ namespace: 'pay' }) }, 'defaults to 1.'],
    [
      'one of another kind',
      { 'head/hpa.yaml': scaler({ kind: 'apps/v1, kind: Deployment' }) },
      'defaults to 1.',
    ],
    [
      'what kruise.yaml assumes, before the autoscaler',
      { 'head/hpa.yaml': scaler({}), 'head/kruise.yaml': config('name: "w*"') },
      'the numbers are for 12, as kruise.yaml assumes.',
    ],
    [
      'what kruise.yaml assumes of others',
      { 'head/hpa.yaml': scaler({}), 'head/kruise.yaml': config('name: api') },
      'the numbers are for 6, the minimum',
    ],
  ])('is forecast with the number of %s', async (_, files, note) => {
    const { host } = await kruise({ 'base/web.yaml': before, 'head/web.yaml': after, ...files });
    expect(String(host.files.get('/repo/head/plans/shop/cloneset-web/forecast.md'))).toContain(note);
  });

  test('has the same plan, whatever the number is', async () => {
    const states: Record<string, string>[] = [{}, { 'head/hpa.yaml': scaler({}) }];
    const plans = await Promise.all(
      states.map(async (files) => {
        const { host } = await kruise({ 'base/web.yaml': before, 'head/web.yaml': after, ...files });
        return String(host.files.get('/repo/head/plans/shop/cloneset-web/plan.yaml'));
      }),
    );
    expect(plans[0]).toContain('kind: RolloutPlan');
    expect(plans[1]).toBe(plans[0]);
  });
});

describe('replicas that are removed for an autoscaler', () => {
  test.each([
    ['a CloneSet', cloneSet({ replicas: 6 })],
    ['a StatefulSet', numbered({ replicas: 6 })],
  ])('of %s: the number falls to the default first', async (_, text) => {
    const { host } = await kruise({
      'base/web.yaml': text,
      'head/web.yaml': without(text),
      'head/hpa.yaml': scaler({}),
    });
    const out = `${host.out}${host.err}`;
    expect(out).toContain('6 replicas become 1 as soon as this is applied');
    expect(out).toContain(
      'replicas removed from the manifest: 6 to 1 until an autoscaler sets another number',
    );
  });

  test('the way out names the minimum that is in git', async () => {
    const { host } = await kruise({
      'base/web.yaml': cloneSet({ replicas: 6 }),
      'head/web.yaml': without(cloneSet()),
      'head/hpa.yaml': scaler({}),
    });
    expect(`${host.out}${host.err}`).toContain(
      '(6 is the minimum of HorizontalPodAutoscaler web), then remove it by server-side apply: client-side apply sets 1',
    );
  });
});
