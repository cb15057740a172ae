import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { createChild } from '../../../semantics/advancedcronjob/new-child.ts';
import { WAVES_ANNOTATION, wavesOfChild, wavesText } from '../../../semantics/children/waves.ts';
import { shortestPeriod, waveFaults } from '../../../semantics/advancedcronjob/wave-faults.ts';
import { parseRevisions } from '../../../semantics/revision/revision.ts';
import { at, broadcastJobTemplate, type Given, jobTemplate, revisionsOf, targetOf } from './model.ts';

const waves = [
  { id: 'first', run: { to: 1 } },
  { id: 'soak', soak: { for: '10m' } },
  { id: 'errors', check: { use: 'nodes', for: '5m' } },
  { id: 'rest', run: { to: '100%' } },
] as Step[];

describe('waves of a child', () => {
  const childOf = (given: Given, text = wavesText(waves)): KubeObject => {
    const [revision] = revisionsOf(given).map((each) => ({
      ...each,
      metadata: { ...each.metadata, annotations: { [WAVES_ANNOTATION]: text } },
    }));
    const [parsed] = parseRevisions(revision === undefined ? [] : [revision]);
    const action = parsed && createChild(targetOf(given), parsed, at('1:00'));
    if (action === undefined) throw new Error('no child');
    return action.object;
  };
  const broadcast: Given = { now: '1:00', spec: { template: broadcastJobTemplate() } };

  test('are those of its template when it was created', () => {
    expect(wavesOfChild(childOf(broadcast))).toEqual(waves);
  });

  test('a Job has none, and neither has a child whose template has none', () => {
    const job = childOf({ now: '1:00', spec: { template: jobTemplate() } });
    expect(job.metadata.annotations).not.toHaveProperty([WAVES_ANNOTATION]);
    expect(childOf(broadcast, 'x').metadata.annotations).not.toHaveProperty([WAVES_ANNOTATION]);
  });

  test('count only under the control of an AdvancedCronJob', () => {
    const child = childOf(broadcast);
    const [owner] = child.metadata.ownerReferences ?? [];
    const owned = (ownerReferences: unknown[]): KubeObject =>
      ({ ...child, metadata: { ...child.metadata, ownerReferences } }) as KubeObject;
    expect(wavesOfChild(owned([]))).toBeUndefined();
    expect(wavesOfChild(owned([{ ...owner, controller: false }]))).toBeUndefined();
    expect(wavesOfChild(owned([{ ...owner, kind: 'CloneSet' }]))).toBeUndefined();
    expect(wavesOfChild(owned([{ ...owner, apiVersion: 'batch/v1' }]))).toBeUndefined();
  });
});

describe('what is wrong with waves', () => {
  const hourly = { schedule: '0 * * * *', timeZone: undefined, concurrency: 'Allow' } as const;
  const approve = [...waves, { id: 'ok', approve: {} }] as Step[];

  test('nothing', () => {
    expect(waveFaults(waves, hourly)).toEqual([]);
  });

  test('an approval', () => {
    expect(waveFaults(approve, hourly)).toEqual([
      { step: 'ok', message: 'step ok waits for an approval at every tick. Remove it, or use a check' },
    ]);
  });

  test.each<[schedule: string, concurrency: 'Allow' | 'Forbid' | 'Replace', faults: number]>([
    ['*/15 * * * *', 'Allow', 1],
    ['*/15 * * * *', 'Replace', 1],
    ['*/15 * * * *', 'Forbid', 0],
    ['*/16 * * * *', 'Allow', 1],
    ['*/20 * * * *', 'Allow', 0],
    ['x', 'Allow', 0],
  ])('a quarter of an hour at %s with %s: %i', (schedule, concurrency, faults) => {
    expect(waveFaults(waves, { ...hourly, schedule, concurrency })).toHaveLength(faults);
  });

  test('the message has both times', () => {
    expect(waveFaults(waves, { ...hourly, schedule: '@every 90s' })).toEqual([
      {
        step: undefined,
        message:
          'the soaks and checks alone take 15m, and ticks come every 1m30s. Set the policy Forbid, or make the waves shorter',
      },
    ]);
  });

  test.each<[schedule: string, period: number | undefined]>([
    ['0 * * * *', 3600],
    // 0:48, then 1:00.
    ['*/16 * * * *', 720],
    ['0 0 31 2 *', undefined],
    ['0 0 1 1 *', 365 * 86400],
  ])('the shortest time between two ticks of %s is %s s', (schedule, period) => {
    const ms = shortestPeriod({ schedule, timeZone: undefined });
    expect(ms === undefined ? undefined : ms / 1000).toBe(period);
  });
});
