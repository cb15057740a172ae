import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../semantics/pod/types.ts';
import { inUpdateOrder, podsOfRound } from '../../../semantics/sidecarset/choose.ts';

/** Pods that wait: so many that are not ready come first. */
function waiting(count: number, notReady: number): { isReady: boolean }[] {
  return Array.from({ length: count }, (_, index) => ({ isReady: index >= notReady }));
}

describe('how many pods one round updates (OpenKruise sidecarset, rule 6.8)', () => {
  test.each([
    // matched, waiting, of these not ready, updated and not ready, partition, maxUnavailable, taken
    [100, 70, 0, 4, 0, 10, 6],
    [1000, 700, 0, 40, 0, '10%', 60],
    [1000, 700, 0, 50, 0, '5%', 0],
    [1000, 200, 0, 40, 180, 100, 20],
    [1000, 200, 0, 40, '18%', 100, 20],
    [1000, 200, 0, 40, '10%', 100, 60],
    [5, 5, 0, 0, '99%', 5, 1],
    [5, 5, 0, 0, '1%', 5, 4],
    [5, 5, 0, 0, '100%', 5, 0],
    [10, 10, 0, 0, '33%', 10, 6],
    [1, 1, 0, 0, '50%', 1, 0],
    [3, 3, 0, 0, '50%', 3, 1],
    [5, 5, 0, 0, 0, '5%', 1],
    [10, 10, 2, 0, 0, 1, 3],
    [10, 10, 2, 1, 0, 1, 2],
    [10, 10, 0, 0, 0, 0, 0],
    [10, 10, 1, 0, 0, 0, 1],
    [10, 7, 0, 0, 5, 10, 2],
  ] as const)(
    'of %i, %i wait, %i not ready, %i updated are not ready, partition %s, maxUnavailable %s: %i',
    (matched, count, notReady, unavailable, partition, maxUnavailable, taken) => {
      const round = podsOfRound({
        matched,
        waiting: waiting(count, notReady),
        isReady: ({ isReady }) => isReady,
        unavailable,
        partition,
        maxUnavailable,
      });
      expect(round).toHaveLength(taken);
    },
  );

  test('a plan takes no more than it allows', () => {
    const input = {
      matched: 10,
      waiting: waiting(10, 0),
      isReady: () => true,
      unavailable: 0,
      partition: undefined,
      maxUnavailable: 10,
    };
    expect(podsOfRound({ ...input, most: 3 })).toHaveLength(3);
    expect(podsOfRound({ ...input, most: -1 })).toHaveLength(0);
    expect(podsOfRound(input)).toHaveLength(10);
  });
});

describe('which pods come first', () => {
  const pod = (name: string, labels: Record<string, string> = {}): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { nodeName: 'n', containers: [] },
    status: { phase: 'Running' },
  });
  const names = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => metadata.name);

  test('the heaviest (SS-36)', () => {
    const pods = [pod('a'), pod('b', { tier: 'low' }), pod('c', { tier: 'high' })];
    const weightPriority = [
      { weight: 90, matchSelector: { matchLabels: { tier: 'high' } } },
      { weight: 10, matchSelector: { matchLabels: { tier: 'low' } } },
    ];
    const order = inUpdateOrder(pods, pods, {
      priorities: { weightPriority, orderPriority: [] },
      scatter: [],
    });
    expect(names(order)).toEqual(['c', 'b', 'a']);
  });

  test.each([['app'], ['*']])('scattered by %s: first, sixth and tenth of ten (SS-36)', (value) => {
    const pods = Array.from({ length: 10 }, (_, n) => pod(`p${n}`, n < 3 ? { foo: 'app' } : {}));
    const order = inUpdateOrder(pods, pods, {
      priorities: undefined,
      scatter: [{ key: 'foo', value }],
    });
    const places = order.flatMap(({ metadata }, index) =>
      metadata.labels?.['foo'] === 'app' ? [index + 1] : [],
    );
    expect(places).toEqual([1, 6, 10]);
  });
});

describe('pods that others keep from being updated', () => {
  const input = {
    matched: 3,
    waiting: ['a1', 'a2', 'b1'],
    isReady: () => true,
    unavailable: 0,
    partition: undefined,
    maxUnavailable: 3,
    most: 2,
    free: (all: readonly string[]) => all.filter((name) => name !== 'a2'),
  };

  test.each([
    ['give their place to the next ones', () => false, ['a1', 'b1']],
    ['keep their place where they may', () => true, ['a1']],
    ['give it where others may keep theirs', (name: string) => name !== 'a2', ['a1', 'b1']],
  ])('%s', (_title, isOrdered, expected) => {
    expect(podsOfRound({ ...input, isOrdered })).toEqual(expected);
  });
});
