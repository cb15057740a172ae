import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { TemplateField } from '../../semantics/uniteddeployment/resource.ts';
import { united, type Web, zones } from '../runtime/united-world.ts';
import { type Files, planned } from './world/history.ts';
import { kruise } from './world/manifests.ts';

const steps = { 'kruise.yaml': 'steps: [{match: {}, batches: [{to: 20%}, {to: 50%}, {to: 100%}]}]\n' };
const files = (web: Web = {}): Files => ({ 'web.yaml': stringify(united(web)) });
const plansIn = (made: Files): string[] => Object.keys(made).filter((path) => path.startsWith('plans/'));

describe('a UnitedDeployment in git', () => {
  test('is planned and forecast by the pods of its subsets', async () => {
    const { code, files: made } = await planned(files(), { ...files({ image: 'web:2' }), ...steps });
    expect(code).toBe(0);
    const folder = 'plans/shop/uniteddeployment-web';
    const { spec } = parse(made[`${folder}/plan.yaml`] ?? '') as RolloutPlan;
    expect(spec.target).toMatchObject({ kind: 'UnitedDeployment', name: 'web' });
    expect(spec.steps.map(({ update }) => update?.to)).toEqual(['20%', '50%', '100%']);
    const forecast = made[`${folder}/forecast.md`] ?? '';
    expect(forecast).toContain('10 pods recreated');
    expect(forecast).toContain('subset by subset: a (3), b (3), c (4)');
  });

  test('says how many pods of a subset go at a time, by the size of that subset', async () => {
    const sized = (image: string): Files =>
      files({ image, subsets: [...zones('a', { replicas: 4 }), ...zones('b')], spec: { replicas: 12 } });
    const batches = '[{to: 100%, subsets: [a]}, {to: 100%, subsets: [b]}, {to: 100%}]';
    const { files: made } = await planned(sized('web:1'), {
      ...sized('web:2'),
      'kruise.yaml': `steps: [{match: {}, batches: ${batches}}]\n`,
    });
    const forecast = made['plans/shop/uniteddeployment-web/forecast.md'] ?? '';
    // 20% of 4, of 8 and of 12, rounded up.
    expect(forecast).toContain('update to 100% of a, 1 at a time');
    expect(forecast).toContain('update to 100% of b, 2 at a time');
    expect(forecast).toContain('At most 3 at a time (20% of 12, rounded up');
  });

  test('is read by the rules of StatefulSets where these are its children', async () => {
    const sets = (image: string, child: JsonObject): Files =>
      files({ field: 'advancedStatefulSetTemplate', image, child });
    const { code, files: made } = await planned(sets('web:1', {}), { ...sets('web:2', {}), ...steps });
    expect(code).toBe(0);
    const folder = 'plans/shop/uniteddeployment-web';
    const { spec } = parse(made[`${folder}/plan.yaml`] ?? '') as RolloutPlan;
    // OrderedReady: one after the other.
    expect(spec.steps[0]?.update).toMatchObject({ window: { maxUnavailable: 1 } });
    expect(made[`${folder}/forecast.md`]).toContain('| `c` | 4 | `batch-3`: all | 3 |');

    const changed = await planned(sets('web:1', { serviceName: 'a' }), sets('web:1', { serviceName: 'b' }));
    expect(changed.host.err + changed.host.out).toContain('KR2150');
    expect(changed.host.err + changed.host.out).toContain(
      'spec.template.advancedStatefulSetTemplate.spec.serviceName cannot change once the object exists: it is a, and would be b',
    );
    const faults = await planned(
      steps,
      sets('web:1', { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }),
    );
    expect(faults.host.err + faults.host.out).toContain('must be 1 with podManagementPolicy OrderedReady');
  });

  test('is forecast in the order of its subsets where each is updated as a whole', async () => {
    const native = (image: string): Files =>
      files({
        ...{ field: 'deploymentTemplate', image, spec: { replicas: 7 } },
        subsets: [...zones('a', { replicas: 4 }), ...zones('b', { replicas: 1 }), ...zones('c')],
      });
    const { files: made } = await planned(native('web:1'), native('web:2'));
    expect(made['plans/shop/uniteddeployment-web/forecast.md']).toContain(
      'one subset after the other, each as a whole: a (4), b (1), c (2)',
    );
  });

  test('says what becomes of the claims of its children', async () => {
    const claim = (storage: string): JsonObject => ({
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    });
    const withClaim = (field: TemplateField, storage: string, web: Web = {}): Files =>
      files({ field, child: { volumeClaimTemplates: [claim(storage)], ...web.child }, ...web });
    const said = async (base: Files, head: Files): Promise<string> => {
      const { host } = await planned(base, head);
      return host.err + host.out;
    };
    const grown = (field: TemplateField): Promise<string> =>
      said(withClaim(field, '1Gi'), withClaim(field, '2Gi'));
    // The server lets no claim template of a StatefulSet change.
    expect(await grown('statefulSetTemplate')).toContain('only a new subset gets the change');
    expect(await grown('advancedStatefulSetTemplate')).toContain('existing claims stay as they are');

    // A CloneSet deletes the claims of a pod that it recreates; those of a StatefulSet stay.
    const recreated = (field: TemplateField): Promise<string> =>
      said(withClaim(field, '1Gi'), withClaim(field, '1Gi', { image: 'web:2' }));
    expect(await recreated('cloneSetTemplate')).toContain('KR2140');
    expect(await recreated('statefulSetTemplate')).not.toContain('KR2140');
    const smaller = (whenScaled: string): Promise<string> => {
      const child = {
        volumeClaimTemplates: [claim('1Gi')],
        persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted: 'Retain' },
      };
      const sets = (replicas: number): Files =>
        files({ field: 'statefulSetTemplate', child, spec: { replicas } });
      return said(sets(10), sets(9));
    };
    expect(await smaller('Delete')).toContain('KR2141');
    expect(await smaller('Retain')).not.toContain('KR2141');
  });

  test('is planned and forecast zone by zone where its batches name subsets', async () => {
    const byZone = {
      'kruise.yaml':
        'steps: [{match: {}, batches: [{to: 100%, subsets: [c]}, {to: 50%, subsets: [a, b]}, {to: 100%}], between: {soak: 10m}}]\n',
    };
    const { code, files: made } = await planned(files(), { ...files({ image: 'web:2' }), ...byZone });
    expect(code).toBe(0);

    const folder = 'plans/shop/uniteddeployment-web';
    const { spec } = parse(made[`${folder}/plan.yaml`] ?? '') as RolloutPlan;
    expect(spec.steps.map(({ update }) => update?.subsets)).toEqual([
      ['c'],
      undefined,
      ['a', 'b'],
      undefined,
      undefined,
    ]);
    const forecast = made[`${folder}/forecast.md`] ?? '';
    expect(forecast).toMatch(/batch-1.*update to 100% of c.*\| 4 /);
    expect(forecast).toMatch(/batch-2.*update to 50% of a and b.*\| 7 /);
    expect(forecast).toMatch(/batch-3.*update to 100%.*\| 10 /);
    expect(forecast).toContain('within a step subset by subset: a (3), b (3), c (4)');
    // 20% of all ten pods may be unavailable, and 20% of those of each CloneSet, rounded up.
    const rows = [
      '| subset | pods | updated in | available at the least |',
      '| `a` | 3 | `batch-2`: all | 2 |',
      '| `b` | 3 | `batch-3`: all | 2 |',
      '| `c` | 4 | `batch-1`: all | 3 |',
    ];
    for (const row of rows) expect(forecast).toContain(row);
  });

  test('forecasts subsets that go as a whole by the limits of each, as Kubernetes rounds them', async () => {
    const batches = '{to: 100%, subsets: [b]}, {to: 100%}';
    const config = { 'kruise.yaml': `steps: [{match: {}, batches: [${batches}]}]\n` };
    const shown = async (child: JsonObject): Promise<string> => {
      const web = (image: string): Files => files({ field: 'deploymentTemplate', image, child });
      const { files: made } = await planned(web('web:1'), { ...web('web:2'), ...config });
      return made['plans/shop/uniteddeployment-web/forecast.md'] ?? '';
    };
    // Zones of 3, 3 and 4 pods. 25% of 4 is one unavailable and one extra; of 3 it is none, rounded down, and one extra.
    const byDefault = await shown({});
    expect(byDefault).toContain(
      'At most 1 at a time, with up to 1 extra. The update itself keeps at least 9 of 10 available.',
    );
    expect(byDefault).toMatch(/batch-1.*update to 100% of b, 1 extra at a time/);
    expect(byDefault).toContain('| `a` | 3 | `batch-2`: all | 3 |');
    expect(byDefault).toContain('| `c` | 4 | `batch-2`: all | 3 |');
    const none = { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '25%' } } };
    expect(await shown(none)).toContain(
      'At most 1 at a time. The update itself keeps at least 9 of 10 available.',
    );
    const recreate = await shown({ strategy: { type: 'Recreate' } });
    expect(recreate).toContain('At most 4 at a time. The update itself keeps at least 6 of 10 available.');
    expect(recreate).toContain('| `c` | 4 | `batch-2`: all | 0 |');
  });

  describe('with partitions of subsets', () => {
    const folder = 'plans/shop/uniteddeployment-web';
    const kept = (image: string, partitions: JsonObject, web: Web = {}): Files =>
      files({ image, ...web, spec: { updateStrategy: { manualUpdate: { partitions } }, ...web.spec } });
    const bounds = { c: 3, a: 1 };

    test('states them in its plan, and forecasts what they keep', async () => {
      const { code, host, files: made } = await planned(files(), { ...kept('web:2', bounds), ...steps });
      expect(code).toBe(0);
      const { spec } = parse(made[`${folder}/plan.yaml`] ?? '') as RolloutPlan;
      expect(spec.to.bound).toEqual({
        partitions: [
          { subset: 'a', count: 1 },
          { subset: 'c', count: 3 },
        ],
      });
      expect(host.out).toContain('6 of 10 pods recreated');
      const forecast = made[`${folder}/forecast.md`] ?? '';
      expect(forecast).toContain('The partition keeps 4 of 10 pods on the old revision.');
      // 20% of ten pods are two, the most that zone-a may have. 50% are five: the three of zone-b are next.
      expect(forecast).toContain('| `a` | 3 | `batch-1`: 2 | 2 |');
      expect(forecast).toContain('| `b` | 3 | `batch-2`: all | 2 |');
      expect(forecast).toContain('| `c` | 4 | `batch-3`: 1 | 3 |');
    });

    test('goes on where they are loosened, and is nothing where they keep all', async () => {
      const before = await planned(files(), { ...kept('web:2', bounds), ...steps });
      const base = { ...kept('web:2', bounds), ...steps, ...before.files };
      const loosened = await planned(base, { ...base, ...kept('web:2', { c: 1 }) });
      expect(loosened.host.out).toContain('partition a 1, c 3 to c 1, the rollout continues');
      const all = await planned(files(), { ...kept('web:2', { a: 9, b: 9, c: 9 }), ...steps });
      expect(all.host.out + all.host.err).toContain('KR2113');
      expect(all.host.out).toContain('the partition retains all 10 pods on the old revision');
    });

    test('has none where Deployments are its children, and cannot where StatefulSets of Kubernetes are', async () => {
      const of = (field: TemplateField): Promise<Awaited<ReturnType<typeof planned>>> =>
        planned(files({ field }), kept('web:2', bounds, { field }));
      const { files: made } = await of('deploymentTemplate');
      const { spec } = parse(made[`${folder}/plan.yaml`] ?? '') as RolloutPlan;
      expect(spec.to.bound).toEqual({ partition: 0 });
      const { host } = await of('statefulSetTemplate');
      expect(host.err + host.out).toContain('partitions of StatefulSets of Kubernetes');
    });
  });

  test('shows what stays available of a subset by the window of its steps, and by a budget', async () => {
    const child = { updateStrategy: { rollingUpdate: { maxUnavailable: '100%' } } };
    const budget = {
      ...{ apiVersion: 'policy.kruise.io/v1alpha1', kind: 'PodUnavailableBudget' },
      metadata: { namespace: 'shop', name: 'b' },
      spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 },
    };
    const shown = async (batches: string, more: Files = {}): Promise<string> => {
      const { files: made } = await planned(files({ child }), {
        ...{ ...files({ child, image: 'web:2' }), ...more },
        'kruise.yaml': `steps: [{match: {}, batches: [${batches}]}]\n`,
      });
      return made['plans/shop/uniteddeployment-web/forecast.md'] ?? '';
    };
    const narrow = await shown('{to: 100%, subsets: [a], window: {maxUnavailable: 1}}, {to: 100%}');
    expect(narrow).toContain('| `a` | 3 | `batch-1`: all | 2 |');
    expect(narrow).toContain('| `b` | 3 | `batch-2`: all | 0 |');
    const guarded = await shown('{to: 100%}', { 'budget.yaml': stringify(budget) });
    expect(guarded).toContain('keeps at least 9 of 10 available');
    expect(guarded).toContain('| `c` | 4 | `batch-1`: all | 3 |');
  });

  test('is forecast at other numbers of replicas by the sizes of its subsets', async () => {
    const sized = (image: string): Files =>
      files({
        image,
        subsets: [...zones('a', { replicas: 5 }), ...zones('b', { replicas: 3 }), ...zones('c')],
      });
    const byZone = (batches: string): Files => ({
      'kruise.yaml': `steps: [{match: {}, batches: [${batches}]}]\n`,
    });
    const forecastOf = async (batches: string): Promise<string> => {
      const { files: made } = await planned(sized('web:1'), { ...sized('web:2'), ...byZone(batches) });
      return made['plans/shop/uniteddeployment-web/forecast.md'] ?? '';
    };
    const forecast = await forecastOf('{to: 100%, subsets: [b]}, {to: 50%, subsets: [a, c]}, {to: 100%}');
    expect(forecast).toMatch(/\| pods of 10 \| of 20 \|/);
    expect(forecast).toMatch(/batch-1.*\| 3 \| 3 \|/);
    expect(forecast).toMatch(/batch-2.*\| 6 \| 11 \|/);
    expect(forecast).toContain('With 5 replicas the sizes of the subsets do not fit, and nothing changes.');
  });

  test('names a subset that a change removes as removed, and suggests no other', async () => {
    const { host } = await planned(files(), {
      ...files({ subsets: zones('ac') }),
      'kruise.yaml': 'steps: [{match: {}, batches: [{to: 1, subsets: [b]}, {to: 100%}]}]\n',
    });
    expect(host.err + host.out).toContain(
      'error[KR4046]: batch 1 is for b, which this change removes from UnitedDeployment shop/web',
    );
    expect(host.err + host.out).not.toContain('did you mean');
  });

  test.each<[string, string, string]>([
    [
      'a subset that does not exist',
      '[{to: 100%, subsets: [a, d]}, {to: 100%}]',
      'error[KR4046]: batch 1 is for d, and UnitedDeployment shop/web has the subsets a, b and c',
    ],
    [
      'a last batch for some subsets',
      '[{to: 50%}, {to: 100%, subsets: [a]}]',
      'error[KR3041]: batch 2 is the last one and for a alone, so the rollout would never be complete',
    ],
    ['no subset', '[{to: 1, subsets: []}, {to: 100%}]', 'subsets must have at least 1 item'],
    [
      'batches of one subset that shrink',
      '[{to: 50%, subsets: [a, b]}, {to: 10%}, {to: 20%, subsets: [b, a]}, {to: 100%}]',
      'error[KR4002]: batch 3 (20%) must update more pods than batch 1 (50%)',
    ],
    [
      'a subset twice',
      '[{to: 1, subsets: [a, b, a]}, {to: 100%}]',
      "error[KR2005]: batches[0].subsets must not name 'a' twice",
    ],
    [
      'nodes',
      '[{to: 1, nodes: {matchLabels: {a: b}}}, {to: 100%}]',
      'error[KR4027]: nodes of batch 1 has no meaning for UnitedDeployment shop/web: its steps count pods, and no nodes',
    ],
  ])('is refused with batches for %s, with the line', async (_what, batches, expected) => {
    const { code, host } = await kruise(
      { ...files(), 'kruise.yaml': `steps: [{match: {}, batches: ${batches}}]\n` },
      { args: ['validate'] },
    );
    expect(host.err + host.out).toContain(expected);
    expect(host.err + host.out).toMatch(/--> kruise\.yaml:[0-9]+:[0-9]+/);
    expect(code).toBe(1);
  });

  test.each([['a CloneSet', 'subsets of batch 1 has no meaning for CloneSet shop/api: it has no subsets']])(
    'is the only kind whose batches name subsets: %s',
    async (_what, expected) => {
      const { name: _name, ...metadata } = united().metadata;
      const { template } = united()['spec'] as { template: { cloneSetTemplate: { spec: object } } };
      const api = {
        ...{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', metadata: { ...metadata, name: 'api' } },
        spec: template.cloneSetTemplate.spec,
      };
      const { host } = await kruise(
        {
          'api.yaml': stringify(api),
          'kruise.yaml': 'steps: [{match: {}, batches: [{to: 1, subsets: [a]}, {to: 100%}]}]\n',
        },
        { args: ['validate'] },
      );
      expect(host.err + host.out).toContain(`error[KR4027]: ${expected}`);
    },
  );

  test('is forecast with the deadline and the times of its template', async () => {
    const child = { minReadySeconds: 30, progressDeadlineSeconds: 120 };
    const { files: made } = await planned(files({ child }), files({ child, image: 'web:2' }));
    const forecast = made['plans/shop/uniteddeployment-web/forecast.md'] ?? '';
    expect(forecast).toContain('fails when no pod becomes available for 2m');
    expect(forecast).toMatch(/The updates take at least \d/);
  });

  test('is updated in place where its children are', async () => {
    const child = { updateStrategy: { type: 'InPlaceIfPossible' } };
    const { files: made } = await planned(files({ child }), files({ child, image: 'web:2' }));
    const { spec } = parse(made['plans/shop/uniteddeployment-web/plan.yaml'] ?? '') as RolloutPlan;
    expect(spec.from).toMatchObject([{ mode: 'InPlace' }]);
  });

  test.each<[string, Web, Web, string]>([
    [
      'another number of pods',
      {},
      { spec: { replicas: 12 } },
      'replicas 10 to 12: a 3 → 4, b 3 → 4; scaling needs no plan',
    ],
    [
      'the same pods in other subsets',
      { subsets: [...zones('a', { replicas: 5 }), ...zones('bc')] },
      { subsets: [...zones('a', { replicas: 4 }), ...zones('bc')] },
      'the same 10 in other subsets: a 5 → 4, b 2 → 3',
    ],
    ['another subset', {}, { subsets: zones('abd') }, 'the same 10 in other subsets: d none → 4, c 4 → none'],
  ])('shows which subset gets how many, and needs no plan: %s', async (_what, before, after, expected) => {
    const { code, host, files: made } = await planned(files(before), files(after));
    expect([code, plansIn(made)]).toEqual([0, []]);
    expect(host.out).toContain(expected);
  });

  test('gets a plan for another patch, beside the template of all', async () => {
    const patched = (tier: string): Web => ({
      subsets: [...zones('ab'), ...zones('c', { patch: { metadata: { labels: { tier } } } })],
    });
    const { code, host, files: made } = await planned(files(patched('silver')), files(patched('gold')));
    expect([code, plansIn(made).length > 0]).toEqual([0, true]);
    expect(host.out).toContain('10 pods recreated');
  });

  test.each<[string, JsonObject, string]>([
    [
      'more pods than there are',
      { topology: { subsets: [...zones('a', { replicas: 11 }), ...zones('b')] } },
      'error[KR2244]: spec.topology.subsets must not have more replicas than spec.replicas: they have 11, and it is 10',
    ],
    [
      'a partition of no subset',
      { updateStrategy: { manualUpdate: { partitions: { z: 1 } } } },
      'error[KR2005]: spec.updateStrategy.manualUpdate.partitions.z must be the name of a subset',
    ],
    [
      'a partition that is no number',
      { updateStrategy: { manualUpdate: { partitions: { a: '50%' } } } },
      'error[KR2002]: spec.updateStrategy.manualUpdate.partitions.a must be a whole number',
    ],
  ])('is refused, with the line: %s', async (_what, spec, expected) => {
    const { code, host } = await kruise(files({ spec }), { args: ['validate'] });
    expect(host.err + host.out).toContain(expected);
    expect(host.err + host.out).toMatch(/--> web\.yaml:[0-9]+:[0-9]+/);
    expect(code).toBe(expected.startsWith('error') ? 1 : code);
  });
});
