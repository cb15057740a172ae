import { describe, expect, test } from 'vitest';
import { runForecastOf } from '../../compiler/forecast/run-forecast.ts';
import { createBudget } from '../../compiler/load/budget.ts';
import { type Change, compareStates } from '../../compiler/plan/change.ts';
import { goesBack } from '../../compiler/plan/committed-plan.ts';
import { NO_HISTORY } from '../../compiler/plan/earlier-plans.ts';
import { planChange } from '../../compiler/plan/plan.ts';
import { toTarget, type Target } from '../../compiler/plan/target.ts';
import { runSummary } from '../../compiler/render/run-summary.ts';
import type { Batch, KruiseConfig } from '../../schemas/generated/types/config.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { broadcastJobGit } from '../../semantics/broadcastjob/git.ts';
import { allowedPods } from '../../semantics/plan/allowed.ts';
import { parallelismOf } from '../../semantics/run/wave.ts';
import { cloneSetKind } from '../../semantics/cloneset/kind.ts';
import { broadcastJobFacts } from '../../semantics/broadcastjob/facts.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';

/** A kind that runs once on each node, as far as the compiler reads it. */
const runKind: Kind = {
  ...cloneSetKind,
  id: { group: 'apps.kruise.io', kind: 'BroadcastJob' },
  shape: 'Run',
  git: broadcastJobGit,
  facts: broadcastJobFacts,
};

const template = (image: string): JsonObject => ({
  spec: { restartPolicy: 'Never', hostPID: true, containers: [{ name: 'fix', image }] },
});

function target(spec: JsonObject = {}, image = 'fix:1'): Target {
  const metadata = { name: 'fix', namespace: 'ops' };
  const object = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'BroadcastJob',
    metadata,
    spec: { template: template(image), ...spec },
  };
  const origin = { source: { file: 'fix.yaml', text: '' }, index: 0 };
  return toTarget({ id: 'fix', type: runKind, kind: 'BroadcastJob', ...metadata, object, origin } as never);
}

function changeOf(base: Target | undefined, head: Target | undefined): Change {
  const states = [base, head].map((each) => new Map(each === undefined ? [] : [['fix', each] as const]));
  const [change] = compareStates(states[0] ?? new Map(), states[1] ?? new Map(), createBudget());
  if (change === undefined) throw new Error('no change');
  return change;
}

function planned(change: Change, batches?: Batch[]): Change {
  const config: KruiseConfig = batches === undefined ? {} : { steps: [{ match: {}, batches }] };
  const before = { atBase: undefined, history: NO_HISTORY };
  change.plan = planChange(change, config, before, () => undefined as never, createBudget()).plan;
  return change;
}

describe('a change of a kind that runs once on each node', () => {
  test.each<[what: string, base: Target | undefined, head: Target | undefined, action: string]>([
    ['a new object', undefined, target(), 'Run'],
    ['another template', target(), target({}, 'fix:2'), 'Run'],
    ['another parallelism', target(), target({ parallelism: 2 }), 'Settings'],
    ['a removed object', target(), undefined, 'Delete'],
  ])('%s', (_, base, head, action) => {
    expect(changeOf(base, head).action).toBe(action);
  });

  test('its plan starts from no revision, has no bound, and cannot go back', () => {
    const { plan } = planned(changeOf(target(), target({}, 'fix:2')));
    expect(plan?.spec).toMatchObject({
      to: { hash: target({}, 'fix:2').hash, bound: {} },
      from: [],
      irreversible: 'what ran on a node stays done, and a run cannot go back',
      steps: [{ id: 'run', run: { to: '100%' } }],
    });
  });

  test('it goes back to a run that an earlier version of its plan led to', () => {
    const [first, second] = [target(), target({}, 'fix:2')];
    const change = changeOf(second, first);
    expect(goesBack(change, undefined, { hashes: [first.hash] })).toBe(true);
    expect(goesBack(change, undefined, { hashes: [second.hash] })).toBe(false);
    expect(goesBack(changeOf(undefined, first), undefined, { hashes: [first.hash] })).toBe(false);
  });
});

describe('its forecast', () => {
  const batches: Batch[] = [
    { to: 1 },
    { to: '10%', parallelism: '5%', spread: 'zone' },
    { to: '95%', atLeast: 3 },
    { to: '100%', parallelism: 7 },
  ];

  test.each([1, 2, 9, 10, 100, 1000])('has the counts of the rules at %i nodes', (units) => {
    const change = planned(changeOf(undefined, target({ parallelism: '30%' })), batches);
    change.assumedUnits = units;
    let before = 0;
    const expected = batches.map(({ to, atLeast = to === 1 || to === '100%' ? 0 : 1, parallelism }) => {
      const started = Math.max(before, allowedPods({ to, atLeast }, units));
      const atOnce = Math.min(parallelismOf('30%', parallelism, units), started - before);
      before = started;
      return { units, started, atOnce };
    });
    expect(runForecastOf(change)?.rows.flatMap(({ waves }) => waves ?? [])).toEqual(expected);
  });

  test('a parallelism of 0 begins nowhere', () => {
    const change = planned(changeOf(undefined, target({ parallelism: 0 })));
    change.assumedUnits = 10;
    expect(runForecastOf(change)?.rows[0]?.waves).toEqual([{ units: 10, started: 0, atOnce: 0 }]);
  });

  test('tells a reviewer what the run may do, at once and to a node, and what ends it', () => {
    const change = planned(changeOf(undefined, target({ completionPolicy: { type: 'Never' } })), batches);
    const forecast = runForecastOf(change);
    expect(forecast === undefined ? [] : runSummary(change, forecast)).toEqual([
      'Its pod runs once on each node that fits.',
      'What the pod may do to its node: all processes of the node (hostPID).',
      'At most 8 of 10, 85 of 100 and 850 of 1,000 nodes run it at one time.',
      'In batch-2 these are of one zone at a time; nodes without that label are one together.',
      'A failed pod stops it: it begins on no further node.',
      'There is no soak or check: it goes on though a node is worse than before.',
      'No approval is needed.',
      'There is no soak.',
      'How long it takes has no limit: batch-1, batch-2, batch-3, batch-4 have no timeout.',
      'A node that joins counts from the next step on, and belongs to the last one. After the end, nodes that join run it without a gate (completionPolicy Never).',
      'Not reversible: what ran on a node stays done, and a run cannot go back.',
      'How many nodes fit is not in git: the numbers are for 10, 100 and 1,000. Set assume in kruise.yaml to change that.',
    ]);
  });
});
