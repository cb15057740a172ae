import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { Wave } from '../../../schemas/generated/types/rolloutplan.ts';
import { WAVES_ANNOTATION, readWaves } from '../../../semantics/children/waves.ts';
import { CronCluster, planOf, templateOf } from './cluster.ts';

const field = 'broadcastJobTemplate';
const canary: Wave[] = [
  { id: 'one', run: { to: 1 } },
  { id: 'wait', soak: { for: '5m' } },
  { id: 'rest', run: { to: '100%' } },
];
const every: Wave[] = [{ id: 'all', run: { to: '100%' } }];
const always = [{ id: 'update', update: { to: '100%' } }];
const once: JsonObject[] = [{ id: 'first', update: { to: 1 } }, { id: 'ask', approve: {} }, ...always];

/** The ids of the waves of each child, by its image and hour. */
const wavesOf = ({ children }: CronCluster): string[] =>
  children.map(({ metadata }) => {
    const waves = readWaves(metadata.annotations?.[WAVES_ANNOTATION]) ?? [];
    return waves.map(({ id }) => id).join(' ');
  });

describe('the waves of a plan (kinds 5.12)', () => {
  test('each child has them, also after the plan has ended', () => {
    const cluster = new CronCluster(templateOf(1, field));
    cluster.plans = [planOf(undefined, 1, always, { field, waves: canary })];
    cluster.until('3:10');
    expect(cluster.state).toBe('Succeeded');
    expect(cluster.created).toEqual(['01:00 1', '02:00 1', '03:00 1']);
    expect(wavesOf(cluster)).toEqual(['one wait rest', 'one wait rest', 'one wait rest']);
  });

  test('are on record before the first child exists', () => {
    const cluster = new CronCluster(templateOf(1, field));
    cluster.plans = [planOf(undefined, 1, always, { field, waves: canary })];
    cluster.until('0:59');
    expect(cluster.children).toEqual([]);
    cluster.until('1:00');
    const [record] = cluster.revisions.filter(({ metadata }) => metadata.annotations?.[WAVES_ANNOTATION]);
    const [child] = cluster.children;
    expect(readWaves(record?.metadata.annotations?.[WAVES_ANNOTATION])).toEqual(canary);
    expect(child?.metadata.annotations?.[WAVES_ANNOTATION]).toBe(
      record?.metadata.annotations?.[WAVES_ANNOTATION],
    );
  });

  test('are those of the template that a time runs: the stable one keeps its own', () => {
    const cluster = new CronCluster(templateOf(1, field));
    cluster.plans = [planOf(undefined, 1, always, { field, waves: canary })];
    cluster.until('1:30');
    cluster.commit(templateOf(2, field));
    cluster.plans = [planOf(1, 2, once, { field, waves: every })];
    cluster.until('3:10');
    expect(cluster.created).toEqual(['01:00 1', '02:00 2', '03:00 1']);
    expect(wavesOf(cluster)).toEqual(['one wait rest', 'all', 'one wait rest']);
  });

  test('end with a plan that has none', () => {
    const cluster = new CronCluster(templateOf(1, field));
    const first = planOf(undefined, 1, always, { field, waves: canary });
    cluster.plans = [first];
    cluster.until('1:30');
    cluster.plans = [planOf(1, 1, always, { field, attempt: 2, supersedes: [first.digest] })];
    cluster.until('2:10');
    expect(wavesOf(cluster)).toEqual(['one wait rest', '']);
  });

  test('are none of Jobs', () => {
    const cluster = new CronCluster(templateOf(1));
    cluster.plans = [planOf(undefined, 1, always, { waves: canary })];
    cluster.until('1:10');
    expect(cluster.created).toEqual(['01:00 1']);
    expect(wavesOf(cluster)).toEqual(['']);
  });
});
