import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { CronCluster, planOf, templateOf } from './cluster.ts';

const to = (id: string, size: number | string, more: JsonObject = {}): JsonObject => ({
  id,
  update: { to: size },
  ...more,
});
const soak = (time: string): JsonObject => ({ id: 'soak', soak: { for: time } });
const BROADCAST = 'broadcastJobTemplate';

/** An AdvancedCronJob of image 1 at half past one, and then of image 2. */
function changed(...steps: JsonObject[]): CronCluster {
  const cluster = new CronCluster(templateOf(1)).until('1:30');
  cluster.commit(templateOf(2));
  if (steps.length > 0) cluster.plans = [planOf(1, 2, steps)];
  return cluster;
}

describe('without a plan, in Required', () => {
  test('a new AdvancedCronJob of Jobs is free', () => {
    const cluster = new CronCluster(templateOf(1)).until('2:10');
    expect([cluster.created, cluster.held]).toEqual([['01:00 1', '02:00 1'], '']);
  });

  test('a new AdvancedCronJob of BroadcastJobs waits for its plan', () => {
    const cluster = new CronCluster(templateOf(1, BROADCAST)).until('2:10');
    expect([cluster.created, cluster.held]).toEqual([[], 'NoPlan']);
    cluster.plans = [planOf(undefined, 1, [to('first', 1), to('all', '100%')], { field: BROADCAST })];
    cluster.until('4:10');
    expect([cluster.created, cluster.state, cluster.held]).toEqual([
      ['02:10 1', '03:00 1', '04:00 1'],
      'Succeeded',
      '',
    ]);
  });

  test('a changed template is held, and ticks go on with the stable one', () => {
    const cluster = changed().until('3:10');
    expect([cluster.created, cluster.held]).toEqual([['01:00 1', '02:00 1', '03:00 1'], 'NoPlan']);
  });
});

describe('under a plan', () => {
  test('steps count ticks, and the last one makes the template stable', () => {
    const cluster = changed(to('first', 1), to('more', 3), to('all', '100%'));
    expect(cluster.until('2:01').state).toBe('Running first');
    expect(cluster.until('2:30').state).toBe('Running more');
    expect(cluster.until('4:30').state).toBe('Running all');
    expect(cluster.until('5:30').state).toBe('Succeeded');
    expect(cluster.until('6:10').created).toEqual([
      '01:00 1',
      '02:00 2',
      '03:00 2',
      '04:00 2',
      '05:00 2',
      '06:00 2',
    ]);
    expect(cluster.held).toBe('');
  });

  test('ticks run the stable template in a gate, however long it is', () => {
    const cluster = changed(to('first', 1), soak('2h'), to('all', '100%')).until('5:30');
    expect(cluster.created).toEqual(['01:00 1', '02:00 2', '03:00 1', '04:00 1', '05:00 2']);
    expect(cluster.state).toBe('Succeeded');
  });

  test('ticks of a day apart fail no step', () => {
    const cluster = new CronCluster(templateOf(1), { schedule: '0 23 * * *' }).until('0:30');
    cluster.commit(templateOf(2));
    cluster.plans = [planOf(1, 2, [to('all', '100%')])];
    expect(cluster.until('22:59').state).toBe('Running all');
    expect(cluster.until('23:30').state).toBe('Succeeded');
  });

  test('a child that fails halts the plan, and ticks run the stable template', () => {
    const cluster = changed(to('first', 1), to('all', '100%'));
    cluster.broken.add(2);
    cluster.until('4:10');
    expect([cluster.created, cluster.state]).toEqual([
      ['01:00 1', '02:00 2', '03:00 1', '04:00 1'],
      'Halted first',
    ]);
  });

  test('with onFailure Revert it goes back, which the next ticks show', () => {
    const cluster = changed(to('first', 1, { onFailure: 'Revert' }), to('all', '100%'));
    cluster.broken.add(2);
    cluster.until('3:10');
    expect([cluster.created, cluster.state]).toEqual([['01:00 1', '02:00 2', '03:00 1'], 'Reverted first']);
  });

  test('once a person resumes it, the step is repeated by another tick', () => {
    const cluster = changed(to('first', 1), to('all', '100%'));
    cluster.broken.add(2);
    cluster.until('2:30');
    expect(cluster.state).toBe('Halted first');
    cluster.broken.delete(2);
    cluster.command('Resume');
    expect(cluster.until('3:30').state).toBe('Running all');
    expect(cluster.until('4:30').state).toBe('Succeeded');
    expect(cluster.created).toEqual(['01:00 1', '02:00 2', '03:00 2', '04:00 2']);
  });

  test('and fails again where that one fails, too', () => {
    const cluster = changed(to('first', 1), to('all', '100%'));
    cluster.broken.add(2);
    cluster.until('2:30');
    cluster.command('Resume');
    expect(cluster.until('3:30').state).toBe('Halted first');
    expect(cluster.until('4:10').created).toEqual(['01:00 1', '02:00 2', '03:00 2', '04:00 1']);
  });

  test('a failure before the plan does not count: another attempt begins anew', () => {
    const steps = [to('first', 1), to('all', '100%')];
    const cluster = changed(...steps);
    cluster.broken.add(2);
    cluster.until('2:30');
    cluster.broken.delete(2);
    const supersedes = cluster.plans.map(({ digest }) => digest);
    cluster.plans = [planOf(1, 2, steps, { attempt: 2, supersedes })];
    expect(cluster.until('4:30').state).toBe('Succeeded');
    expect(cluster.created).toEqual(['01:00 1', '02:00 2', '03:00 2', '04:00 2']);
  });

  test('a failure without a plan does not count against a later one', () => {
    const cluster = changed();
    cluster.policy = 'Auto';
    cluster.broken.add(2);
    cluster.until('2:30');
    cluster.broken.delete(2);
    cluster.policy = 'Required';
    cluster.plans = [planOf(1, 2, [to('first', 1), to('all', '100%')])];
    expect(cluster.until('2:40').state).toBe('Running first');
    expect(cluster.until('4:30').state).toBe('Succeeded');
  });

  test('a manifest that goes back and returns begins at step 1', () => {
    const cluster = changed(to('first', 1), to('all', '100%')).until('2:30');
    expect(cluster.state).toBe('Running all');
    cluster.commit(templateOf(1));
    cluster.until('3:30');
    expect([cluster.state, cluster.created.at(-1)]).toEqual(['Reverted all', '03:00 1']);
    cluster.commit(templateOf(2));
    expect(cluster.until('4:01').state).toBe('Running first');
    expect(cluster.until('5:30').state).toBe('Succeeded');
  });

  test('a paused AdvancedCronJob runs no tick, and its plan waits', () => {
    const cluster = new CronCluster(templateOf(1), { paused: true }).until('1:30');
    cluster.commit(templateOf(2));
    cluster.plans = [planOf(1, 2, [to('first', 1, { timeout: '30m' }), to('all', '100%')])];
    cluster.until('4:00');
    expect([cluster.created, cluster.state]).toEqual([[], 'Running first']);
  });

  test('a step with a timeout fails when no tick has succeeded by then', () => {
    const cluster = changed(to('first', 1, { timeout: '20m' }), to('all', '100%'));
    expect(cluster.until('1:55').state).toBe('Halted first');
  });
});

test('in Auto without a plan a changed template is stable after its first tick that succeeds', () => {
  const cluster = changed();
  cluster.policy = 'Auto';
  cluster.until('2:02');
  expect(cluster.revisions.map(({ metadata }) => metadata.annotations?.['plan.kruise.io/complete'])).toEqual([
    '1',
    undefined,
  ]);
  cluster.until('3:10');
  expect(cluster.created).toEqual(['01:00 1', '02:00 2', '03:00 2']);
  expect(
    cluster.revisions.map(({ metadata: { annotations = {} } }) => [
      annotations['plan.kruise.io/complete'],
      annotations['plan.kruise.io/ticks'],
    ]),
  ).toEqual([
    ['1', undefined],
    ['2', undefined],
  ]);
});

describe('why a tick has failed', () => {
  const REASON = { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  const broken = (failure: JsonObject, spec: JsonObject = {}): CronCluster => {
    const cluster = new CronCluster(templateOf(1), spec).until('1:30');
    cluster.broken.add(2);
    cluster.failure = failure;
    cluster.commit(templateOf(2));
    cluster.plans = [planOf(1, 2, [to('first', 1), to('all', '100%')])];
    return cluster;
  };
  const said = ({ memory }: CronCluster): string => JSON.stringify(memory.map(({ progress }) => progress));

  test.each<[string, JsonObject, string]>([
    [
      'reason and message',
      REASON,
      'has failed: BackoffLimitExceeded: \\"Job has reached the specified backoff limit\\"',
    ],
    ['a reason alone', { reason: 'DeadlineExceeded' }, 'has failed: DeadlineExceeded'],
    ['nothing', {}, 'has failed'],
  ])('is in the verdict: %s', (_what, failure, text) => {
    const cluster = broken(failure).until('2:30');
    expect(cluster.state).toMatch(/^Halted/);
    expect(said(cluster)).toContain(text);
    if (text === 'has failed') expect(said(cluster)).not.toContain('has failed:');
  });

  test('stays there after the child was deleted, for days', () => {
    const cluster = broken(REASON).until('2:30');
    cluster.children = [];
    expect(said(cluster.until('9:00'))).toContain('BackoffLimitExceeded');
  });

  test('is not known any more where a verdict comes after the child was deleted', () => {
    const cluster = broken(REASON).until('2:01');
    cluster.command('Pause');
    cluster.until('2:30').children = [];
    cluster.command('Resume');
    expect(said(cluster.until('2:40'))).toContain('has failed, or was deleted before its end was observed"');
  });

  test('a long text of somebody else is cut, and closes nothing', () => {
    const cluster = broken({ reason: 'x'.repeat(5_000), message: `"\u001b[31m${'y'.repeat(5_000)}` }).until(
      '2:30',
    );
    expect(said(cluster).length).toBeLessThan(4_000);
    expect(cluster.memory.map(({ progress }) => progress.message ?? '').join('')).not.toContain('\u001b');
  });
});
