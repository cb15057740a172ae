import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { normalizeCronJob } from '../../semantics/advancedcronjob/normalize.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { planned } from './world/history.ts';
import type { Files } from './world/history.ts';
import { cloneSet, diagnosticsOf } from './world/manifests.ts';
import { advancedCronJob, type ScheduleParts } from './world/schedule-cases.ts';

const PLAN = 'plans/ops/advancedcronjob-tidy/plan.yaml';
const FORECAST = 'plans/ops/advancedcronjob-tidy/forecast.md';
const EMPTY: Files = { 'notes.txt': '' };
const RULE = 'steps:\n- match: {}\n  batches: [{to: 1}, {to: 100%}]\n  between: {soak: 10m}\n';
const files = (parts: ScheduleParts = {}): Files => ({
  'tidy.yaml': advancedCronJob(parts),
  'kruise.yaml': RULE,
});
const hashOf = (parts: ScheduleParts): string =>
  templateHash(normalizeCronJob(parse(advancedCronJob(parts)) as never).template);
const planIn = (all: Files) => (parse(all[PLAN] ?? '') as RolloutPlan).spec;

describe('a schedule and its plan', () => {
  test('a new one of Jobs needs none, and a CronJob would do', async () => {
    const { host, files: all } = await planned(EMPTY, files());
    expect(all).not.toHaveProperty([PLAN]);
    expect(host.out).toContain(
      'it runs from its next time on, and needs no plan. A CronJob of Kubernetes would do',
    );
  });

  test('a new one of BroadcastJobs has one: nothing is created before it', async () => {
    const parts = { field: 'broadcastJobTemplate' };
    const { host, files: all } = await planned(EMPTY, files(parts));
    expect(planIn(all)).toMatchObject({ to: { hash: hashOf(parts), bound: {} }, from: [] });
    expect(host.out).toContain('AdvancedCronJob ops/tidy: new; no time runs before its plan');
    expect(host.out).not.toContain('CronJob of Kubernetes');
  });

  test('steps of a changed template count times, which the forecast shows', async () => {
    const after = { image: 'tidy:2' };
    const { host, files: all } = await planned(files(), files(after));
    expect(planIn(all)).toMatchObject({
      to: { hash: hashOf(after), bound: {} },
      from: [{ hash: hashOf({}), mode: 'Recreate' }],
      steps: [
        { id: 'batch-1', update: { to: 1 } },
        { id: 'soak-1', soak: { for: '10m' } },
        { id: 'batch-2', update: { to: '100%' } },
      ],
    });
    expect(host.out).toContain('~ AdvancedCronJob ops/tidy: another template at its next times');
    expect(host.out).toContain('~ template.spec.containers[tidy].image: tidy:1 → tidy:2');
    expect(host.out).toContain('one time runs it');
    expect(all[FORECAST]).toContain('A child that fails halts it: the next times run the template before.');
    expect(all[FORECAST]).toContain('A CronJob of Kubernetes creates the same Jobs');
    expect((await planned(files(), all, ['--check'])).code).toBe(0);
  });

  test('another schedule applies at once', async () => {
    const { host, files: all } = await planned(files(), files({ schedule: '@daily' }));
    expect(all).not.toHaveProperty([PLAN]);
    expect(host.out).toContain('settings only (schedule), which apply at once');
  });

  test('what is created beside the pods is one change', async () => {
    const { host } = await planned(files(), files({ field: 'broadcastJobTemplate' }));
    expect(host.out).toContain('~ template: changed');
  });
});

describe('a zone that does not exist', () => {
  const inZone = (zone: string): string =>
    advancedCronJob().replace('spec:\n', `spec:\n  timeZone: ${JSON.stringify(zone)}\n`);

  test.each(['Asia/Beijing', 'Local', '', 'Europe/Berlin ', '+08:00', 'A'.repeat(300)])(
    '%j is an error of its object, whatever else there is',
    async (zone) => {
      const other = cloneSet({ image: 'nginx:1.27' });
      const { positions } = await diagnosticsOf(
        { 'head/a.yaml': inZone(zone), 'head/b.yaml': other },
        { args: ['validate', 'head'] },
      );
      expect(positions).toEqual(['KR2005 head/a.yaml:7:13']);
    },
  );

  test('at base it hinders nobody from mending it', async () => {
    const states = { 'base/a.yaml': inZone('Asia/Beijing'), 'head/a.yaml': inZone('Asia/Shanghai') };
    expect((await diagnosticsOf(states)).positions).toEqual([]);
  });
});
