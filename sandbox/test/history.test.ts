import { describe, expect, it } from 'vitest';
import { createHistory, type Commit } from '../store/history.ts';
import { ownWeight } from '../store/weight.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { configMap, configMaps, refusal, stage } from './world.ts';

const limits = { commits: 100, bytes: 10_000 };

function object(revision: number, text: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { text, revision } };
}

function change(revision: number, text: (revision: number) => string): Commit {
  return {
    revision,
    at: 0,
    user: 'alice',
    type: 'MODIFIED',
    resource: 'configmaps',
    object: object(revision, text(revision)),
    previous: object(revision - 1, text(revision - 1)),
  };
}

function revisionsOf(history: ReturnType<typeof createHistory>): number[] {
  return (history.after(history.oldest()) ?? []).map(({ revision }) => revision);
}

describe('history', () => {
  it('forgets the oldest commits when there are too many', () => {
    const history = createHistory({ ...limits, commits: 3 });
    for (let revision = 1; revision <= 10; revision += 1) history.append(change(revision, () => 'x'));
    expect(revisionsOf(history)).toEqual([8, 9, 10]);
    expect(history.after(6)).toBeUndefined();
  });

  it('forgets the oldest commits when their former states are too large', () => {
    const history = createHistory(limits);
    const text = (revision: number): string => String(revision).repeat(3_000).slice(0, 3_000);
    for (let revision = 1; revision <= 10; revision += 1) history.append(change(revision, text));
    expect(revisionsOf(history)).toEqual([8, 9, 10]);
    expect(history.after(6)).toBeUndefined();
  });

  it('keeps the latest commit, however large', () => {
    const history = createHistory({ ...limits, bytes: 10 });
    for (const revision of [1, 2]) history.append(change(revision, String));
    expect(revisionsOf(history)).toEqual([2]);
  });

  it('weighs what a state does not share with the next one', () => {
    const labels = { app: 'x'.repeat(1_000) };
    const before = { labels, list: ['a', 'b'], note: 'old' };
    expect(ownWeight(before, { labels, list: ['a', 'b'], note: 'new' })).toBeLessThan(150);
    expect(ownWeight(before, undefined)).toBeGreaterThan(1_000);
  });

  it('of a world ends with 410 for who asks further back', async () => {
    const { world, alice } = stage({ nodes: 0, historyBytes: 20_000 });
    const data = (round: number): Record<string, string> => ({ text: String(round % 10).repeat(5_000) });
    const first = await alice.create(configMaps, configMap('a', {}, data(0)));
    for (let round = 1; round < 10; round += 1)
      await alice.replace(configMaps, configMap('a', {}, data(round)));
    expect(world.server.list('alice', configMaps).items).toHaveLength(1);
    const page = alice.list(configMaps, {
      resourceVersion: first.metadata.resourceVersion ?? '',
      resourceVersionMatch: 'Exact',
    });
    expect(await refusal(page)).toMatchObject({ code: 410 });
  });
});
