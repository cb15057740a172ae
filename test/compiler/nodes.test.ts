import { describe, expect, test } from 'vitest';
import { simulatePlan } from '../../compiler/forecast/simulate.ts';
import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { below, config, type Files, planned } from './world/history.ts';
import { limited, limitsIn, onlyPlan } from './world/limited.ts';

const kind = 'apps.kruise.io/DaemonSet';
const rolling = (rollingUpdate: JsonObject): JsonObject => ({ updateStrategy: { rollingUpdate } });

const template = (image: string, spec: JsonObject = {}): JsonObject => ({
  metadata: { labels: { app: 'log' } },
  spec: { containers: [{ name: 'main', image }], ...spec },
});

interface Rollout {
  steps: Step[];
  spec?: JsonObject;
  /** Of the pods before and after. */
  pod?: [JsonObject, JsonObject];
  nodes?: number;
  zones?: number;
  mode?: 'InPlace' | 'Recreate';
}

/** A rollout of another image over the nodes of a model, one unavailable at a time unless the spec says otherwise. */
function simulated({ steps, spec = {}, pod = [{}, {}], nodes = 30, zones = 3, mode = 'Recreate' }: Rollout) {
  const [before, after] = [template('log:1', pod[0]), template('log:2', pod[1])];
  const target: KubeObject = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'DaemonSet',
    metadata: { name: 'log', namespace: 'ops' },
    spec: { selector: { matchLabels: { app: 'log' } }, template: after, ...spec },
  };
  const plan: RolloutPlanSpec = {
    format: '1',
    semantics: '1',
    target: { apiVersion: target.apiVersion, kind: 'DaemonSet', name: 'log' },
    to: { hash: templateHash(after), bound: { partition: 0 } },
    from: [{ hash: templateHash(before), mode }],
    steps,
    digest: 'h1:0',
  };
  return simulatePlan({ target, plan, from: before, retainedBefore: 0, replicas: nodes, zones });
}

const update = (to: number | string, parts: object = {}): Step => ({
  id: `to-${to}`,
  update: { to, ...parts },
});
const canary = { matchLabels: { track: 'canary' } };

describe('a rollout over the nodes of a model', () => {
  test.each<[what: string, rollout: Rollout, updated: number[], unavailable: number[], zones: number[][]]>([
    // Nodes are named zone by zone, and the last by name comes first.
    [
      'one at a time',
      { steps: [update(10), update('100%')] },
      [10, 30],
      [1, 1],
      [
        [0, 0, 10],
        [10, 10, 0],
      ],
    ],
    [
      'six at a time',
      { steps: [update('50%'), update('100%')], spec: rolling({ maxUnavailable: 6 }) },
      [15, 30],
      [6, 6],
      // 15 are those of zone 2, and 5 of zone 1, in rounds of 6 (zone 2), 6 (4 and 2) and 3 (zone 1).
      [
        [0, 30, 60],
        [60, 50, 0],
      ],
    ],
    [
      'a fifth at a time',
      { steps: [update('100%')], spec: rolling({ maxUnavailable: '20%' }) },
      [30],
      [6],
      [[60, 60, 60]],
    ],
    [
      'with surge no node is without an available pod',
      { steps: [update('100%')], spec: rolling({ maxUnavailable: 0, maxSurge: 6 }) },
      [30],
      [0],
      [[0, 0, 0]],
    ],
    [
      'in place',
      {
        steps: [update('100%')],
        spec: rolling({ rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 3 }),
        mode: 'InPlace',
      },
      [30],
      [3],
      [[30, 30, 30]],
    ],
    [
      'by zones: none while another one is being updated',
      { steps: [update('100%', { spread: 'rack' })], spec: rolling({ maxUnavailable: 6 }) },
      [30],
      [6],
      [[60, 60, 60]],
    ],
    [
      'a tenth with labels first, which are in every zone',
      {
        steps: [update('100%', { nodes: canary }), update('50%'), update('100%')],
        spec: rolling({ maxUnavailable: 3 }),
      },
      [3, 15, 30],
      [3, 3, 3],
      [
        [10, 10, 10],
        [0, 30, 30],
        [30, 30, 0],
      ],
    ],
    [
      'under a partition',
      { steps: [update('100%')], spec: rolling({ maxUnavailable: 5, partition: 20 }) },
      [10],
      [5],
      [[0, 0, 50]],
    ],
    [
      'a template that fits some nodes alone',
      {
        steps: [update('100%')],
        pod: [{ nodeSelector: { a: 'b' } }, { nodeSelector: { a: 'c' } }],
        nodes: 3,
      },
      [3],
      [1],
      [[100, 100, 100]],
    ],
  ])('%s', (_what, rollout, updated, unavailable, zones) => {
    const result = simulated(rollout);
    expect(result?.steps.map(({ updatedPods }) => updatedPods)).toEqual(updated);
    expect(result?.onNodes?.map((each) => each.unavailable)).toEqual(unavailable);
    expect(result?.onNodes?.map((each) => each.zones)).toEqual(zones);
  });

  test('is over at its last step, and the same each time', () => {
    const rollout: Rollout = { steps: [update('100%', { nodes: canary }), update('100%')], nodes: 20 };
    const first = simulated(rollout);
    expect(first?.finished).toBe(true);
    expect(first?.lowestAvailable).toBe(19);
    expect(simulated(rollout)).toEqual(first);
  });

  test('of a thousand nodes', () => {
    const result = simulated({
      steps: [update('1%'), update('100%')],
      spec: rolling({ maxUnavailable: '10%' }),
      nodes: 1000,
    });
    expect(result?.steps.map(({ updatedPods }) => updatedPods)).toEqual([10, 1000]);
    expect(result?.onNodes?.map((each) => each.unavailable)).toEqual([10, 100]);
  });
});

/** The plan and the forecast of another image, with these batches. */
async function files(batches: string, more: Files = {}, spec: object = rolling({ maxUnavailable: 2 })) {
  const head = { ...limited({ kind }, 'log:2', spec), ...config(`batches: [${batches}]`), ...more };
  const { code, host } = await planned(limited({ kind }, 'log:1', spec), head);
  return { code, err: host.err, out: host.out, files: below(host) };
}

describe('batches for nodes with labels', () => {
  const batches = '{to: 100%, nodes: {matchLabels: {track: canary}}}, {to: 50%, spread: zone}, {to: 100%}';

  test('are steps of the plan, with its limits', async () => {
    const found = await files(batches);
    expect({ code: found.code, err: found.err }).toMatchObject({ code: 0 });
    const window = { maxUnavailable: 2, maxSurge: 0 };
    const { plan } = onlyPlan(found.files);
    expect(plan.spec.steps).toEqual([
      { id: 'batch-1', update: { to: '100%', nodes: canary, window } },
      { id: 'batch-2', update: { to: '50%', atLeast: 1, spread: 'zone', window } },
      { id: 'batch-3', update: { to: '100%', window } },
    ]);
    expect(limitsIn(plan)).toHaveLength(3);
  });

  test('are in the forecast, with what they take of each zone', async () => {
    const found = await files(batches, {
      'kruise.yaml': `assume: {nodes: 40, zones: 4}\nsteps: [{match: {}, batches: [${batches}]}]`,
    });
    const text = Object.entries(found.files).find(([path]) => path.endsWith('forecast.md'))?.[1] ?? '';
    expect(text).toContain('kruise.yaml assumes 40 nodes.');
    expect(text).toContain('How many nodes have track=canary is not in git either: the numbers are for 4.');
    expect(text).toContain(
      'At most 2 nodes are without an available pod at a time, and 20% of a zone: with 4 zones of one size, and nodes named zone by zone.',
    );
    expect(text).toContain('In batch-2 nodes are updated in one zone after the other');
    const cells = text
      .split('\n')
      .filter((line) => line.startsWith('| `batch'))
      .map((line) => line.split('|').map((cell) => cell.trim()));
    expect(cells.map((row) => row.slice(3))).toEqual([
      ['4', '2', '10%, 10%, 10%, 10%', ''],
      // By zone: the nodes of zone 0 that are left, and those of zone 1.
      ['20', '2', '20%, 20%, 0%, 0%', ''],
      // Two of zone 1 are left, too.
      ['40', '2', '0%, 20%, 20%, 20%', ''],
    ]);
    expect(cells.map((row) => row[2])).toEqual([
      'update to 100% of nodes with track=canary, 2 at a time, in 2 rounds',
      expect.stringContaining('update to 50%, one zone after the other, 2 at a time'),
      expect.stringContaining('update to 100%, 2 at a time'),
    ]);
  });

  test('are arithmetic where a simulation would take too long', async () => {
    const found = await files(batches, {
      'kruise.yaml': `assume: {nodes: 9000}\nsteps: [{match: {}, batches: [${batches}]}]`,
    });
    const text = Object.entries(found.files).find(([path]) => path.endsWith('forecast.md'))?.[1] ?? '';
    expect(text).toContain('| `batch-1` | update to 100% of nodes with track=canary, 2 at a time | 900 |');
    expect(text).toContain(
      'All 2 nodes without a pod at a time may be in one zone: with 3 zones of one size, up to 1% of it.',
    );
  });
});

test('a continuation tells batches of one size apart by their nodes', async () => {
  const limits = (of: number, all: number): Files =>
    config(
      `batches: [{to: 100%, nodes: {matchLabels: {track: canary}}, window: {maxUnavailable: ${of}}}, {to: 100%, window: {maxUnavailable: ${all}}}]`,
    );
  const spec = rolling({ maxUnavailable: 9 });
  const head = { ...limited({ kind }, 'log:2', spec), ...limits(1, 2) };
  const { files: base } = await planned(limited({ kind }, 'log:1', spec), head);
  const { code, files: next } = await planned(base, { ...base, ...limits(3, 4) }, ['--continue']);
  expect(code).toBe(0);
  expect(onlyPlan(next).plan.spec.steps.map(({ update: each }) => each?.window?.maxUnavailable)).toEqual([
    3, 4,
  ]);
});
