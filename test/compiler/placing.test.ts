import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { planned } from './world/history.ts';
import { cloneSet, diagnosticsOf, kruise } from './world/manifests.ts';

const TARGET: JsonObject = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' };

/** A WorkloadSpread of the CloneSet `web` with these caps; null: without one. */
const spread = (caps: Readonly<Record<string, number | string | null>>, spec: JsonObject = {}): string =>
  stringify({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      targetRef: TARGET,
      subsets: Object.entries(caps).map(([name, maxReplicas]) => ({
        name,
        ...(maxReplicas !== null && { maxReplicas }),
      })),
      ...spec,
    },
  });

/** What `kruise plan` says of it, without indentation. */
async function told(before: string | undefined, after: string, replicas = 6): Promise<string[]> {
  const web = { 'web.yaml': cloneSet({ replicas }) };
  const base = before === undefined ? web : { ...web, 'spread.yaml': before };
  const { host } = await planned(base, { ...web, 'spread.yaml': after });
  const lines = host.out.split('\n').map((line) => line.trim());
  const first = lines.findIndex((line) => line.includes('WorkloadSpread'));
  return lines.slice(first, first + 3);
}

test('a plan shows the places of a new WorkloadSpread for the committed replicas', async () => {
  expect(await told(undefined, spread({ a: 2, b: null }))).toEqual([
    '+ WorkloadSpread shop/web: new; reconciled at once, needs no plan',
    'Of 6 pods of CloneSet web, in this order: a: at most 2, b: all that come.',
    'Running pods do not move.',
  ]);
});

test('percentages are of these, and round up', async () => {
  const [, places] = await told(undefined, spread({ a: '30%', b: null }), 11);
  expect(places).toBe('Of 11 pods of CloneSet web, in this order: a: at most 4, b: all that come.');
});

test('a change of caps says what it does to new pods', async () => {
  expect(await told(spread({ a: 2, b: null }), spread({ a: 3, b: null }))).toEqual([
    '~ WorkloadSpread shop/web: spec.subsets changed; a takes at most 3, before 2; running pods do not move; reconciled at once, needs no plan',
    'Of 6 pods of CloneSet web, in this order: a: at most 3, b: all that come.',
    'Running pods do not move.',
  ]);
});

test.each<[string, Readonly<Record<string, number | string | null>>, string]>([
  ['counts', { a: 2, b: null }, 'a: at most 2, b: all that come'],
  ['percentages', { a: '50%', b: null }, 'a: at most 4, b: all that come'],
])('%s are shown where the workload alone changes its size', async (_what, caps, rows) => {
  const files = (replicas: number) => ({ 'web.yaml': cloneSet({ replicas }), 'spread.yaml': spread(caps) });
  const { host } = await planned(files(6), files(8));
  const lines = host.out.split('\n').map((line) => line.trim());
  expect(lines).toContain(
    '~ WorkloadSpread shop/web: CloneSet web wants 8 pods, before 6; reconciled at once, needs no plan',
  );
  expect(lines).toContain(`Of 8 pods of CloneSet web, in this order: ${rows}.`);
  const same = await planned(files(6), files(6));
  expect(same.host.out).not.toContain('WorkloadSpread');
});

test('a workload of a kind that is not executed is not called missing', async () => {
  const workload = (apiVersion: string, kind: string): string =>
    spread({ a: null }, { targetRef: { apiVersion, kind, name: 'web' } });
  const codes = async (text: string): Promise<string[]> => {
    const { host } = await kruise({ 'apps/a.yaml': text }, { args: ['validate', 'apps'] });
    return host.err.match(/KR\d{4}/g) ?? [];
  };
  expect(await codes(workload('kubeflow.org/v1', 'TFJob'))).toEqual(['KR2136']);
  for (const kind of ['Deployment', 'StatefulSet'])
    expect(await codes(workload('apps/v1', kind))).toEqual(['KR2233']);
});

test('a custom workload needs the annotation, and caps that are counts', async () => {
  const said = async (by: string | undefined, maxReplicas: number | string): Promise<string[]> => {
    const text = spread(
      { a: maxReplicas, b: null },
      { targetRef: { apiVersion: 'kubeflow.org/v1', kind: 'TFJob', name: 'web' } },
    );
    const annotated = text.replace('  name: web\n', `  name: web\n  annotations: {${by ?? ''}}\n`);
    const { host } = await kruise({ 'apps/a.yaml': annotated }, { args: ['validate', 'apps'] });
    return host.err.match(/KR\d{4}\]?: .*/g) ?? [];
  };
  expect(await said(undefined, 2)).toEqual([
    expect.stringMatching(/^KR2136.*without the annotation plan\.kruise\.io\/spread-by: webhook$/),
  ]);
  expect(await said('plan.kruise.io/spread-by: webhook', 2)).toEqual([]);
  expect(await said('plan.kruise.io/spread-by: webhook', '50%')).toEqual([
    expect.stringMatching(/^KR2136.*subsets\[0\]\.maxReplicas.* a percentage of the size of a TFJob$/),
  ]);
});

test('where something else says how large the workload is, there is no table', async () => {
  const filter = { targetFilter: { replicasPathList: ['spec.replicas'] } };
  const [, next] = await told(undefined, spread({ a: 2, b: null }, filter));
  expect(next).not.toContain('Of 6 pods');
});

test.each<[string, Readonly<Record<string, number | string | null>>, string | undefined]>([
  ['a last one without a cap', { a: 2, b: null }, undefined],
  ['percentages of all', { a: '50%', b: '50%' }, undefined],
  ['caps below the replicas', { a: 2, b: 2 }, 'has room for 4 pods of CloneSet web, which wants 6'],
  ['a capped last one', { a: 2, b: 9 }, 'has room for 11 pods of CloneSet web: what it creates beyond'],
])('room for pods: %s', async (_what, caps, expected) => {
  const { all } = await diagnosticsOf(
    { 'head/web.yaml': cloneSet({ replicas: 6 }), 'head/spread.yaml': spread(caps) },
    { args: ['validate', 'head'] },
  );
  const messages = all.filter(({ code }) => code === 'KR2235').map(({ message }) => message);
  if (expected === undefined) expect(messages).toEqual([]);
  else expect(messages).toEqual([expect.stringContaining(expected)]);
});

test.each<[string, JsonObject, string | undefined]>([
  ['that fits', { spec: { containers: [{ name: 'nginx', env: [{ name: 'A', value: 'b' }] }] } }, undefined],
  ['of labels', { metadata: { labels: { place: 'a' } } }, undefined],
  [
    'that leads to a pod which a server refuses',
    { spec: { containers: [{ name: 'nginx', volumeMounts: [{ name: 'none', mountPath: '/x' }] }] } },
    'leads to a pod that is refused: pod.spec.containers[0].volumeMounts[0].name',
  ],
  ['that does not fit', { spec: { tolerations: {} } }, 'leads to a pod that is refused: spec.tolerations'],
])('a patch %s', async (_what, patch, expected) => {
  const subsets: JsonObject[] = [{ name: 'a', patch }];
  const { all } = await diagnosticsOf(
    { 'head/web.yaml': cloneSet(), 'head/spread.yaml': spread({}, { subsets }) },
    { args: ['validate', 'head'] },
  );
  const messages = all.filter(({ code }) => code === 'KR2234').map(({ message }) => message);
  if (expected === undefined) expect(messages).toEqual([]);
  else expect(messages).toEqual([expect.stringContaining(expected)]);
});

/** A Deployment of so many pods; with the gate, or without. */
const deployment = (isGated: boolean, replicas = 6, extra: JsonObject = {}): string =>
  stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          ...(isGated && { schedulingGates: [{ name: 'kruise.io/workloadspread' }] }),
          containers: [{ name: 'main', image: 'web:1' }],
          ...extra,
        },
      },
    },
  });

const ofDeployment = spread(
  { a: 2, b: null },
  { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
);

describe('pods of a Deployment that wait with a gate', () => {
  const linesOf = async (before: readonly (string | undefined)[], after: readonly (string | undefined)[]) => {
    const files = (texts: readonly (string | undefined)[]): Record<string, string> =>
      Object.fromEntries(
        texts.flatMap((text, index) => (text === undefined ? [] : [[`${index}.yaml`, text]])),
      );
    const other = cloneSet({ name: 'other' });
    const { host } = await planned(files([other, ...before]), files([other, ...after]));
    return host.out.split('\n').map((line) => line.trim());
  };
  const ROLLOUT = 'one rollout replaces all of its pods.';

  test('a plan shows their places, and the rollout that the gate is', async () => {
    const lines = await linesOf([deployment(false)], [deployment(true), ofDeployment]);
    expect(lines).toContain('+ WorkloadSpread shop/web: new; reconciled at once, needs no plan');
    expect(lines).toContain('Of 6 pods of Deployment web, in this order: a: at most 2, b: all that come.');
    expect(lines).toContain(
      `The template of Deployment web gets the scheduling gate kruise.io/workloadspread: ${ROLLOUT}`,
    );
  });

  test('the rollout is shown, too, where the gate goes, with the WorkloadSpread or before it', async () => {
    const sentence = `The template of Deployment web loses the scheduling gate kruise.io/workloadspread: ${ROLLOUT}`;
    expect(await linesOf([deployment(true), ofDeployment], [deployment(false)])).toContain(sentence);
    const lines = await linesOf([deployment(true), ofDeployment], [deployment(false), ofDeployment]);
    expect(lines).toContain('~ WorkloadSpread shop/web: unchanged; reconciled at once, needs no plan');
    expect(lines).toContain(sentence);
  });

  test('the rollout is shown once where the WorkloadSpread gets another name', async () => {
    const renamed = ofDeployment.replace('name: web', 'name: other');
    const lines = await linesOf([deployment(false), ofDeployment], [deployment(true), renamed]);
    expect(lines.filter((line) => line.includes('scheduling gate'))).toHaveLength(1);
    expect(lines).toContain('+ WorkloadSpread shop/other: new; reconciled at once, needs no plan');
  });

  test('another number of pods is shown, and the same one is not', async () => {
    const lines = await linesOf([deployment(true), ofDeployment], [deployment(true, 8), ofDeployment]);
    expect(lines).toContain(
      '~ WorkloadSpread shop/web: Deployment web wants 8 pods, before 6; reconciled at once, needs no plan',
    );
    const same = await linesOf([deployment(true), ofDeployment], [deployment(true), ofDeployment]);
    expect(same.join()).not.toContain('WorkloadSpread');
  });

  test('a patch of the spec is refused: no pod that exists can become that', async () => {
    const patch = { spec: { priorityClassName: 'high' } };
    const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const { all } = await diagnosticsOf(
      {
        'head/web.yaml': deployment(true),
        'head/spread.yaml': spread({}, { targetRef, subsets: [{ name: 'a', patch }] }),
      },
      { args: ['validate', 'head'] },
    );
    expect(all.map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringContaining(
        'spec.subsets[0].patch.spec is not executed by this version: a patch of the spec of pods of a Deployment',
      ),
    ]);
  });
});

/** The same with pods that a webhook places. */
const byWebhook = (text: string): string =>
  text.replace('  name: web\n', '  name: web\n  annotations: { plan.kruise.io/spread-by: webhook }\n');

describe('pods that a webhook places', () => {
  const patch = { spec: { priorityClassName: 'high' } };
  const statefulSet = deployment(false).replace('kind: Deployment', 'kind: StatefulSet');
  const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const ofStatefulSet = spread({ a: 2 }, { targetRef: { ...targetRef, kind: 'StatefulSet' } });

  test.each<[string, string, string, string[]]>([
    [
      'may get a patch of the spec',
      deployment(false),
      spread({}, { targetRef, subsets: [{ name: 'a', patch }] }),
      [],
    ],
    ['may have a gate all the same', deployment(true), ofDeployment, []],
    ['are of a StatefulSet, whose caps may leave some out', statefulSet, ofStatefulSet, ['KR2235']],
  ])('%s', async (_what, workload, text, codes) => {
    const files = {
      'head/web.yaml': workload,
      'head/spread.yaml': byWebhook(text),
      'head/other.yaml': cloneSet(),
    };
    const { all } = await diagnosticsOf(files, { args: ['validate', 'head'] });
    expect(all.map(({ code }) => code)).toEqual(codes);
  });

  test('a plan shows their places, and the rollout by which the gate goes', async () => {
    const other = { 'other.yaml': cloneSet({ name: 'other' }) };
    const { host } = await planned(
      { ...other, 'web.yaml': deployment(true), 'spread.yaml': ofDeployment },
      { ...other, 'web.yaml': deployment(false, 8), 'spread.yaml': byWebhook(ofDeployment) },
    );
    expect(host.out).toContain('Of 8 pods of Deployment web, in this order: a: at most 2, b: all that come.');
    expect(host.out).toContain('loses the scheduling gate kruise.io/workloadspread: one rollout replaces');
  });

  test.each([
    [byWebhook(ofDeployment).replace('spread-by: webhook', 'spread-by: gate'), 'must be webhook'],
    [byWebhook(spread({ a: 2 })), 'must not be set: the runtime places pods of a CloneSet'],
  ])('another word, and another workload, are refused: %#', async (text, rule) => {
    const { all } = await diagnosticsOf(
      { 'head/web.yaml': cloneSet(), 'head/spread.yaml': text },
      { args: ['validate', 'head'] },
    );
    expect(all.map(({ code, message }) => `${code} ${message}`)).toContainEqual(
      expect.stringMatching(new RegExp(`^KR2005 .*${rule}`)),
    );
  });
});

describe('kruise build', () => {
  const build = async (files: Record<string, string>) => kruise(files, { args: ['build', 'apps'] });

  test('writes the gate into the template of a Deployment whose pods are placed', async () => {
    const { host, code } = await build({ 'apps/0.yaml': deployment(false), 'apps/1.yaml': ofDeployment });
    expect(code).toBe(0);
    expect(host.out).toMatch(/^ {6}schedulingGates:\n +- name: kruise.io\/workloadspread$/m);
    expect(host.out).toContain('with the scheduling gate kruise.io/workloadspread');
    expect(host.err).toContain(
      'Deployment shop/web gets the scheduling gate kruise.io/workloadspread, as WorkloadSpread shop/web places its pods',
    );
    const again = await build({ 'apps/0.yaml': deployment(true), 'apps/1.yaml': ofDeployment });
    expect(again.host.err).not.toContain('gets the scheduling gate');
  });

  test.each<[string, string]>([
    ['another workload', ofDeployment.replace('name: web\n  subsets', 'name: db\n  subsets')],
    ['another namespace', ofDeployment.replace('namespace: shop', 'namespace: pay')],
    ['a CloneSet', spread({ a: 2, b: null })],
    ['pods of a webhook', byWebhook(ofDeployment)],
  ])('writes none for %s', async (_what, text) => {
    const { host } = await build({ 'apps/0.yaml': deployment(false), 'apps/1.yaml': text });
    expect(host.out).not.toContain('schedulingGates');
  });
});
