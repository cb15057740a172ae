import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { invalidCronJob } from '../../semantics/advancedcronjob/invalid.ts';
import { shortestPeriod } from '../../semantics/advancedcronjob/wave-faults.ts';
import { crds } from '../../schemas/generated/crds.ts';
import { dueOf } from '../../semantics/advancedcronjob/schedule/due.ts';
import {
  MAX_SCHEDULE_LENGTH,
  readSchedule,
  type Schedule,
} from '../../semantics/advancedcronjob/schedule/grammar.ts';
import { nextTime } from '../../semantics/advancedcronjob/schedule/next.ts';
import { MAX_ZONE_LENGTH } from '../../semantics/advancedcronjob/schedule/offset.ts';
import { crdSpec } from '../schemas/crd-fields.ts';

/** Texts that took minutes, or that grow with what somebody writes. */
const HUGE: readonly [what: string, schedule: string][] = [
  ['digits without a unit', `@every ${'0'.repeat(120_000)}!`],
  ['many points', `@every ${'0.'.repeat(60_000)}s`],
  ['many durations', `@every ${'1s'.repeat(60_000)}!`],
  ['200,000 items', `${Array.from({ length: 200_000 }, () => '1').join(',')} * * * *`],
  ['200,000 ranges', `* ${'0-23,'.repeat(200_000)} * * *`],
  ['a zone', `TZ=${'A/'.repeat(100_000)} * * * * *`],
  ['spaces', `TZ=UTC${' '.repeat(200_000)}* * * *`],
  ['fields', '* '.repeat(100_000)],
  ['a descriptor', `@${'y'.repeat(200_000)}`],
];

const spec = (schedule: string, timeZone?: string) => ({
  schedule,
  ...(timeZone !== undefined && { timeZone }),
  template: { jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [] } } } } },
});
const faultsOf = (schedule: string, timeZone?: string): string[] =>
  invalidCronJob({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'AdvancedCronJob',
    metadata: { name: 'a' },
    spec: spec(schedule, timeZone),
  }).map(({ path, rule }) => `${path.join('.')} ${rule}`);

test.each(HUGE)('a schedule that is longer than any real one is refused by its length: %s', (_what, text) => {
  expect(faultsOf(text)).toEqual([`spec.schedule must have at most ${MAX_SCHEDULE_LENGTH} characters`]);
});

test('a zone that is longer than any real one is refused by its length', () => {
  const faults = faultsOf('@daily', `A${'/a'.repeat(100_000)}`);
  expect(faults).toEqual([`spec.timeZone must have at most ${MAX_ZONE_LENGTH} characters`]);
});

test('the definition has the same bounds, in every version', () => {
  const found = crds.map(crdSpec).filter(({ names }) => names.kind === 'AdvancedCronJob');
  const bounds = found
    .flatMap(({ versions }) => versions)
    .map(({ schema }) => schema.openAPIV3Schema.properties?.['spec']?.properties)
    .map((fields) => [fields?.['schedule']?.['maxLength'], fields?.['timeZone']?.['maxLength']]);
  expect(bounds).toEqual([
    [MAX_SCHEDULE_LENGTH, MAX_ZONE_LENGTH],
    [MAX_SCHEDULE_LENGTH, MAX_ZONE_LENGTH],
  ]);
});

test('the longest real schedule is far from the bound', () => {
  const all = (from: number, to: number): string =>
    Array.from({ length: to - from + 1 }, (_, at) => from + at).join(',');
  const text = [all(0, 59), all(0, 23), all(1, 31), all(1, 12), all(0, 6)].join(' ');
  const longest = `CRON_TZ=America/Argentina/ComodRivadavia ${text}`;
  expect(readSchedule(longest, undefined)).toHaveProperty('zone');
  expect(longest.length * 2).toBeLessThan(MAX_SCHEDULE_LENGTH);
});

test('a delay that no time can hold is refused', () => {
  expect(faultsOf('@every 2562047h')).toEqual([]);
  expect(faultsOf(`@every ${'9'.repeat(400)}h`)[0]).toContain('is longer than 292 years');
});

describe('steps of work', () => {
  /** How often the wall clock of a zone was asked. */
  let asked = 0;
  const { formatToParts } = Intl.DateTimeFormat.prototype;
  beforeEach(() => {
    asked = 0;
    vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts').mockImplementation(function (
      this: Intl.DateTimeFormat,
      at,
    ) {
      asked += 1;
      return formatToParts.call(this, at);
    });
  });
  afterEach(() => void vi.restoreAllMocks());

  const of = (text: string, zone = 'Europe/Berlin'): Schedule => {
    const read = readSchedule(text, zone);
    if ('rule' in read) throw new Error(read.rule);
    return read;
  };
  const now = Date.UTC(2026, 10, 28);
  const YEAR_MS = 366 * 86_400_000;

  test.each(['0 0 31 2 *', '0 0 30 2 *', '* * 31 4,6,9,11 *'])(
    '%s never comes: the zone is not asked',
    (text) => {
      expect(dueOf(of(text), now - 4 * YEAR_MS, now)).toEqual({ last: undefined, next: undefined });
      expect(asked).toBe(0);
    },
  );

  test('what is due after a short while takes a few questions', () => {
    expect(dueOf(of('*/5 * * * *'), now - 3_600_000, now)).toEqual({ last: now, next: now + 300_000 });
    expect(asked).toBeLessThan(200);
  });

  test.each(['* * * 1 *', '* * * * *', '0 0 29 2 *', '0 3 1 1 *'])(
    '%s: what is due after four years takes no more for each time that was missed',
    (text) => {
      expect(dueOf(of(text), now - 4 * YEAR_MS, now).last).toBeDefined();
      expect(asked).toBeLessThan(10_000);
    },
  );

  test('the shortest period of times that are rare', () => {
    expect(shortestPeriod({ schedule: '0 0 29 2 *', timeZone: 'Europe/Berlin' })).toBeGreaterThan(YEAR_MS);
    expect(asked).toBeLessThan(10_000);
  });

  test('no time is before 1970, or after the year 9999, and nothing is thrown', () => {
    for (const from of [NaN, Infinity, 8.64e15, 253_402_300_799_000])
      expect(nextTime(of('* * * * *'), from)).toBe(undefined);
    for (const from of [-Infinity, -8.64e15, -1]) expect(nextTime(of('* * * * *'), from)).toBe(60_000);
  });
});
