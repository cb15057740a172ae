import { describe, expect, test } from 'vitest';
import { createLog } from '../../runtime/report/log.ts';
import { createReconcileLog } from '../../runtime/report/reconcile-log.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';
import { resources } from '../../schemas/wire/resources.ts';
import type { Action } from '../../semantics/decision.ts';
import { createSite } from './process-world.ts';
import { cloneSet } from './stage.ts';
import { quotas } from '../fixtures/quotas.ts';
import { cloneSetKey } from './keys.ts';

function written(format: 'json' | 'text') {
  const lines: string[] = [];
  const clock = createVirtualClock(Date.UTC(2026, 0, 1, 12, 0, 1));
  const log = createLog({ write: (line) => lines.push(line), clock, format });
  return { lines, clock, log, passes: createReconcileLog(log, clock) };
}

const patch = (name: string): Action => ({
  do: 'patch',
  kind: 'Pod',
  verb: 'drain',
  reason: 'it is next',
  name,
  body: { metadata: { annotations: { secret: 'hunter2' } } },
});

describe('a line of the log', () => {
  test('is JSON on one line, with target, plan and step', () => {
    const { lines, log } = written('json');
    log.warn('stopped\nhere \u001b[31m', {
      target: 'CloneSet/shop/web',
      plan: 'h1:0',
      step: 'one',
      count: 2,
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\{[^\n]*\}\n$/);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      time: '2026-01-01T12:00:01.000Z',
      level: 'warn',
      msg: 'stopped\nhere \u001b[31m',
      plan: 'h1:0',
      step: 'one',
      target: 'CloneSet/shop/web',
      count: 2,
    });
  });

  test('is text for a terminal, without control characters', () => {
    const { lines, log } = written('text');
    log.warn('stopped\nhere \u001b[31m', { target: 'CloneSet/shop/web', step: 'one', count: 2 });
    expect(lines).toEqual(['12:00:01  warning: stopped\\nhere \\u001b[31m  (shop/web, step one, count=2)\n']);
  });

  test('is cut at its longest length', () => {
    const { lines, log } = written('json');
    log.info('x'.repeat(100_000));
    expect(lines[0]?.length).toBeLessThan(2_200);
  });
});

describe('the actions of a reconcile', () => {
  test('are one line for each kind of action, with names and never with content', () => {
    const { lines, passes: reconciles } = written('json');
    const actions = Array.from({ length: 30 }, (_, index) => patch(`web-${index}`));
    const report = { key: cloneSetKey(), at: 0, actions, explanations: [], result: undefined };
    // What is about to be done is nothing yet.
    reconciles.reconciled(report);
    expect(lines).toEqual([]);
    reconciles.executed(report);
    expect(lines).toHaveLength(1);
    const line = JSON.parse(lines[0] ?? '') as { names: string[]; count: number; msg: string };
    expect(line).toMatchObject({ msg: 'drain: it is next', verb: 'drain', kind: 'Pod', count: 30 });
    expect(line.names).toHaveLength(20);
    expect(lines[0]).not.toContain('hunter2');
  });

  test('the same error is logged once a minute, another one at once', async () => {
    const { lines, passes: reconciles, clock } = written('text');
    const fail = (text: string): void => reconciles.failed(cloneSetKey(), new Error(text));
    for (let second = 0; second < 90; second += 1) {
      fail('quota');
      await clock.advance(1_000);
    }
    fail('other');
    expect(lines.map((line) => line.slice(10).trim())).toEqual([
      'warning: reconcile failed, retrying: quota  (shop/web)',
      'warning: reconcile failed, retrying: quota  (shop/web)',
      'warning: reconcile failed, retrying: other  (shop/web)',
    ]);
  });
});

test('a missing plan is logged only after it had time to follow its manifest', async () => {
  const { lines, passes: reconciles, clock } = written('text');
  const snapshot = (reason?: string): void => {
    const held = reason === undefined ? undefined : { reason, message: reason, since: clock.now() };
    reconciles.snapshot({ key: cloneSetKey(), plan: undefined, held });
  };
  const logged = (): string[] => lines.splice(0).map((line) => line.slice(10).trim());
  snapshot('NoPlan');
  await clock.advance(9_000);
  snapshot('NoPlan');
  snapshot();
  expect(logged()).toEqual([]);
  snapshot('NoPlan');
  await clock.advance(10_000);
  snapshot('NoPlan');
  snapshot('NoPlan');
  snapshot();
  expect(logged()).toEqual([
    'held: NoPlan  (shop/web, reason=NoPlan)',
    'no longer held (NoPlan)  (shop/web)',
  ]);
  snapshot('Halted');
  expect(logged()).toEqual(['held: Halted  (shop/web, reason=Halted)']);
});

test('a refused action is never logged as executed', async () => {
  const site = await createSite(20);
  const user = site.world.cluster('user');
  await user.create(quotas, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace: 'shop', name: 'team' },
    spec: { hard: { pods: '2' } },
  });
  await site.start();
  await user.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 6 }));
  const refused = () =>
    site.world.log.filter(
      ({ verb, resource, code }) => verb === 'create' && resource === 'pods' && code === 403,
    );
  await site.until('three refusals', () => refused().length >= 3, 20_000);
  const lines = site.lines as unknown as { verb?: string; kind?: string; count?: number }[];
  const created = lines.filter(({ verb, kind }) => verb === 'create' && kind === 'Pod');
  expect(created.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(2);
  await site.close();
}, 40_000);
