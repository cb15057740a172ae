import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { type Files, planned } from './world/history.ts';
import { diagnosticsOf, kruise } from './world/manifests.ts';

const budget = (spec: JsonObject = {}, metadata: JsonObject = {}): string =>
  stringify({
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec: {
      ...(!('targetRef' in spec) && { selector: { matchLabels: { app: 'web' } } }),
      ...(!('minAvailable' in spec) && { maxUnavailable: 1 }),
      ...spec,
    },
  });

const web = (image: string, spec: JsonObject = {}): string =>
  stringify({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      replicas: 10,
      selector: { matchLabels: { app: 'web' } },
      updateStrategy: { rollingUpdate: { podUpdatePolicy: 'ReCreate', maxUnavailable: 2 } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image, readinessProbe: { tcpSocket: { port: 80 } } }] },
      },
      ...spec,
    },
  });

/** A Deployment of pods that the budget `web` covers. */
const deployment = (spec: JsonObject): string =>
  stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'api', namespace: 'shop' },
    spec: {
      selector: { matchLabels: { app: 'web', of: 'api' } },
      template: {
        metadata: { labels: { app: 'web', of: 'api' } },
        spec: { containers: [{ name: 'main', image: 'api:1' }] },
      },
      ...spec,
    },
  });

const both = (spec: JsonObject, image = 'web:1', more: JsonObject = {}): Files => ({
  'web.yaml': web(image, more),
  'budget.yaml': budget(spec),
});

describe('a forecast', () => {
  const inPlace = {
    updateStrategy: { rollingUpdate: { podUpdatePolicy: 'InPlaceOnly', maxUnavailable: 2 } },
  };
  const gate = 'InPlaceUpdateReady';
  const gated = (image: string): JsonObject => ({
    ...inPlace,
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        readinessGates: [{ conditionType: gate }],
        containers: [{ name: 'main', image, readinessProbe: { tcpSocket: { port: 80 } } }],
      },
    },
  });
  const forecast = async (spec: JsonObject, of?: (image: string) => JsonObject): Promise<string> => {
    const { files } = await planned(both(spec, 'web:1', of?.('web:1')), {
      ...both(spec, 'web:2', of?.('web:2')),
      'kruise.yaml': stringify({ steps: [{ match: {}, batches: [{ to: '100%' }] }] }),
    });
    return Object.entries(files).find(([path]) => path.endsWith('/forecast.md'))?.[1] ?? '';
  };
  const NAME = 'PodUnavailableBudget web';

  test.each<[string, JsonObject, string]>([
    ['less than a step', {}, `${NAME} lets 1 of 10 pods be unavailable: steps of 2 go one at a time.`],
    ['as much as a step', { maxUnavailable: '20%' }, `${NAME} lets 2 of 10 pods be unavailable.`],
    [
      'nothing',
      { maxUnavailable: 0 },
      `${NAME} lets none of 10 pods be unavailable: no pod is updated as long as it does.`,
    ],
    [
      'pods beyond a stated total',
      { minAvailable: '80%', protectTotalReplicas: 4 },
      `${NAME} lets 6 of 10 pods be unavailable.`,
    ],
    [
      'the workload that it names',
      { targetRef: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' } },
      `${NAME} lets 1 of 10 pods be unavailable: steps of 2 go one at a time.`,
    ],
  ])('says what a budget allows: %s', async (_what, spec, sentence) => {
    expect(await forecast(spec)).toContain(sentence);
  });

  const ITSELF = 'The update itself keeps at least 8 of 10 available.';
  test.each<[string, JsonObject, ((image: string) => JsonObject) | undefined, string]>([
    ['a budget', {}, undefined, `With ${NAME} the update keeps at least 9 of 10 available.`],
    ['a budget, in place', {}, gated, `With ${NAME} the update keeps at least 9 of 10 available.`],
    [
      'one of none',
      { maxUnavailable: 0 },
      gated,
      `With ${NAME} the update keeps at least 10 of 10 available.`,
    ],
    ['one that allows as much', { maxUnavailable: 2 }, undefined, ITSELF],
    ['one of another operation', { protectOperations: ['DELETE'] }, gated, ITSELF],
    // It counts a pod as soon as it is ready.
    ['pods that have to stay ready', {}, (image) => ({ ...gated(image), minReadySeconds: 60 }), ITSELF],
  ])('says how many pods stay available: %s', async (_what, spec, of, sentence) => {
    expect(await forecast(spec, of)).toContain(sentence);
  });

  test.each<[string, JsonObject, JsonObject, boolean]>([
    ['of the same pods', {}, {}, true],
    ['of other pods', {}, { spec: { selector: { matchLabels: { app: 'api' } } } }, false],
    ['of another namespace', {}, { metadata: { name: 'web', namespace: 'other' } }, false],
    ['beside a budget that limits no evictions', { protectOperations: ['DELETE'] }, {}, false],
  ])(
    'says that evictions go by a PodDisruptionBudget in git: one %s',
    async (_what, spec, parts, expected) => {
      const guard = stringify({
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'web', namespace: 'shop' },
        spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 },
        ...parts,
      });
      const more = { 'guard.yaml': guard };
      const { files } = await planned({ ...both(spec), ...more }, { ...both(spec, 'web:2'), ...more });
      const text = Object.entries(files).find(([path]) => path.endsWith('/forecast.md'))?.[1] ?? '';
      const sentence = `Evictions go by PodDisruptionBudget web, and not by ${NAME}.`;
      expect([text.includes(NAME), text.includes(sentence)]).toEqual([true, expected]);
    },
  );

  test.each<[string, JsonObject, ((image: string) => JsonObject) | undefined]>([
    ['other pods', { selector: { matchLabels: { app: 'api' } } }, undefined],
    ['another operation', { protectOperations: ['UPDATE'] }, undefined],
    ['another operation, in place', { protectOperations: ['DELETE'] }, gated],
  ])('says nothing of a budget of %s', async (_what, spec, of) => {
    expect(await forecast(spec, of)).not.toContain(NAME);
  });

  test('in place, updates count', async () => {
    expect(await forecast({ protectOperations: ['UPDATE'] }, gated)).toContain(
      `${NAME} lets 1 of 10 pods be unavailable: steps of 2 go one at a time.`,
    );
  });
});

describe('a change of a budget', () => {
  const line = async (
    before: JsonObject,
    after: JsonObject,
    metadata: JsonObject = {},
  ): Promise<string[]> => {
    const { host } = await planned(
      { 'budget.yaml': budget(before) },
      { 'budget.yaml': budget(after, metadata) },
    );
    return host.out
      .split('\n')
      .map((each) => each.trim())
      .filter((each) => each.includes('PodUnavailableBudget'));
  };
  const AT_ONCE = 'reconciled at once, needs no plan';

  test('that protects less says so', async () => {
    expect(await line({}, { maxUnavailable: '50%' })).toEqual([
      `~ PodUnavailableBudget shop/web: spec.maxUnavailable changed; it protects less: maxUnavailable 50% in place of maxUnavailable 1; ${AT_ONCE}`,
    ]);
  });

  test('that protects more does not', async () => {
    expect(await line({ maxUnavailable: 2 }, {})).toEqual([
      `~ PodUnavailableBudget shop/web: spec.maxUnavailable changed; ${AT_ONCE}`,
    ]);
  });

  test('by an annotation is shown, too', async () => {
    const annotations = { 'kruise.io/pub-protect-operations': 'EVICT' };
    expect(await line({}, {}, { annotations })).toEqual([
      `~ PodUnavailableBudget shop/web: it protects less: DELETE and UPDATE no longer; ${AT_ONCE}`,
    ]);
  });

  test('a removal says that its pods are no longer protected', async () => {
    const { host } = await planned(both({}), { 'web.yaml': web('web:1') });
    expect(host.out).toContain('- PodUnavailableBudget shop/web: removed: its pods are no longer protected');
  });
});

describe('problems', () => {
  const codes = async (files: Files): Promise<string[]> => {
    const { all } = await diagnosticsOf(files);
    return all.map(({ code }) => code).filter((code) => /^KR2(160|228|229)$/.test(code));
  };
  const other = (spec: JsonObject): string => budget(spec, { name: 'other' });

  test.each<[string, Files, string[]]>([
    [
      'a budget that lets no pod go',
      { 'head/web.yaml': web('web:1'), 'head/b.yaml': budget({ maxUnavailable: 0 }) },
      ['KR2160'],
    ],
    [
      'one that keeps as many as there are',
      { 'head/web.yaml': web('web:1'), 'head/b.yaml': budget({ minAvailable: 10 }) },
      ['KR2160'],
    ],
    [
      'one that keeps as many as there are of one workload, and covers a Deployment, too',
      {
        'head/web.yaml': web('web:1'),
        'head/api.yaml': deployment({ replicas: 5 }),
        'head/b.yaml': budget({ minAvailable: 10 }),
      },
      [],
    ],
    [
      'one that keeps as many as both have',
      {
        'head/web.yaml': web('web:1'),
        'head/api.yaml': deployment({ replicas: 5 }),
        'head/b.yaml': budget({ minAvailable: 15 }),
      },
      ['KR2160'],
    ],
    [
      'one that covers a Deployment whose number git does not show',
      {
        'head/web.yaml': web('web:1'),
        'head/api.yaml': deployment({}),
        'head/b.yaml': budget({ minAvailable: 10 }),
      },
      [],
    ],
    ['one that lets a pod go', { 'head/web.yaml': web('web:1'), 'head/b.yaml': budget() }, []],
    [
      'one of evictions alone',
      {
        'head/web.yaml': web('web:1'),
        'head/b.yaml': budget({ maxUnavailable: 0, protectOperations: ['EVICT'] }),
      },
      [],
    ],
    [
      'two budgets of the same pods (PUB-4)',
      { 'head/a.yaml': budget(), 'head/b.yaml': other({}) },
      ['KR2228'],
    ],
    [
      'two budgets of other pods',
      { 'head/a.yaml': budget(), 'head/b.yaml': other({ selector: { matchLabels: { app: 'api' } } }) },
      [],
    ],
    [
      'another selector (PUB-5)',
      { 'base/a.yaml': budget(), 'head/a.yaml': budget({ selector: { matchLabels: { app: 'api' } } }) },
      ['KR2229'],
    ],
    [
      'another selector than one that no server has accepted',
      { 'base/a.yaml': budget({ selector: {} }), 'head/a.yaml': budget() },
      [],
    ],
    [
      'another selector than one that is none',
      {
        'base/a.yaml': budget({
          selector: { matchExpressions: ['Exists', { key: 'app', operator: 'In', values: 'web' }] },
        }),
        'head/a.yaml': budget(),
      },
      [],
    ],
    ['another limit (PUB-5)', { 'base/a.yaml': budget(), 'head/a.yaml': budget({ maxUnavailable: 2 }) }, []],
  ])('%s', async (_what, files, expected) => {
    expect(await codes({ 'base/x.yaml': '', ...files })).toEqual(expected);
  });

  test('a check of one state finds them, too', async () => {
    const files = {
      'head/web.yaml': web('web:1'),
      'head/a.yaml': budget({ maxUnavailable: 0 }),
      'head/b.yaml': other({}),
    };
    const { code, host } = await kruise(files, { args: ['validate', 'head'] });
    expect([code, host.err]).toEqual([1, expect.stringContaining('KR2228')]);
    expect(host.err).toContain('PodUnavailableBudget web lets no pod of CloneSet shop/web be unavailable');
  });
});
