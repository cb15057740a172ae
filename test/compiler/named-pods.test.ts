import { describe, expect, test } from 'vitest';
import { nameRuns } from '../../compiler/text/name-runs.ts';
import { type NumberedParts, numbered } from './world/numbered.ts';
import { kruise } from './world/manifests.ts';

const path = '/repo/head/plans/shop/statefulset-web/forecast.md';
const next = { image: 'nginx:1.27' };
const inBatches = 'steps: [{match: {}, batches: [{to: 1}, {to: 50%}, {to: 100%}]}]\n';

async function forecast(
  base: NumberedParts,
  head: NumberedParts,
  config?: string,
): Promise<{ page: string; terminal: string }> {
  const { host } = await kruise({
    'base/web.yaml': numbered(base),
    'head/web.yaml': numbered(head),
    ...(config !== undefined && { 'head/kruise.yaml': config }),
  });
  return { page: String(host.files.get(path)), terminal: host.out };
}

/** The cells of one column of the steps, from top to bottom; undefined: there is no such column. */
function column(page: string, title: string): string[] | undefined {
  const lines = page.split('\n');
  const from = lines.findIndex((line) => line.startsWith('| step'));
  const table = lines.slice(from, lines.indexOf('', from));
  const cells = table.map((line) => line.split('|').map((cell) => cell.trim()));
  const at = cells[0]?.indexOf(title) ?? -1;
  return at < 0 ? undefined : cells.slice(2).map((row) => row[at] ?? '');
}

describe('the forecast names pods in the order in which they are updated', () => {
  test.each<[string, NumberedParts, NumberedParts, string[] | undefined, string?]>([
    ['the highest first', {}, next, ['web-9 to web-0']],
    ['step by step', {}, next, ['web-9', 'web-8 to web-5', 'web-4 to web-0'], inBatches],
    [
      'without the reserved',
      {},
      { ...next, spec: '  reserveOrdinals: [1, 4-5]' },
      ['web-12 to web-6, web-3, web-2, web-0'],
    ],
    ['from the first ordinal on', {}, { ...next, spec: '  ordinals: {start: 3}' }, ['web-12 to web-3']],
    ['without those of the partition', {}, { ...next, rolling: 'partition: 7' }, ['web-9 to web-7']],
    [
      'a continuation: those that are left',
      { ...next, rolling: 'partition: 7' },
      { ...next, rolling: 'partition: 2' },
      ['web-6 to web-2'],
    ],
    [
      'by the labels of the pods before the change',
      { replicas: 4, labels: 'app: web' },
      {
        replicas: 4,
        labels: 'app: web, wave: b',
        rolling:
          'unorderedUpdate: {priorityStrategy: {weightPriority: [{weight: 9, matchSelector: {matchLabels: {wave: b, apps.kubernetes.io/pod-index: "1"}}}]}}',
      },
      ['web-3 to web-0'],
    ],
    [
      'by weight',
      { replicas: 4 },
      {
        ...next,
        replicas: 4,
        rolling:
          'unorderedUpdate: {priorityStrategy: {weightPriority: [{weight: 9, matchSelector: {matchLabels: {apps.kubernetes.io/pod-index: "1"}}}]}}',
      },
      ['web-1, web-3, web-2, web-0'],
    ],
    ['not where users choose', { type: 'OnDelete' }, { ...next, type: 'OnDelete' }, undefined],
    ['not while it is paused', {}, { ...next, rolling: 'paused: true' }, undefined],
    ['not of more than 10,000 pods', { replicas: 10_001 }, { ...next, replicas: 10_001 }, undefined],
  ])('%s', async (_, base, head, expected, config) => {
    const { page } = await forecast(base, head, config);
    expect(column(page, 'in this order')).toEqual(expected);
  });

  test('on the terminal, too', async () => {
    const { terminal } = await forecast({}, next, inBatches);
    expect(terminal).toMatch(/batch-2 +update to 50%, .* 5\/10 pods: web-8 to web-5\n/);
  });

  test('the page says what the order does not', async () => {
    const { page } = await forecast({}, { ...next, spec: '  reserveOrdinals: [1, 4-5, 99]' });
    expect(page).toContain('Pods that are unavailable when the rollout starts come first.');
    expect(page).toContain('No pod has a reserved ordinal: 1, 4-5.');
  });
});

describe('the forecast reports what no step shows', () => {
  const one = { policy: 'OrderedReady' } as const;

  test.each<[string, NumberedParts, NumberedParts, string]>([
    [
      'a reservation',
      { replicas: 4 },
      { replicas: 4, spec: '  reserveOrdinals: [1]' },
      'the ordinals of shop/web move: web-4 is created, and web-1 is deleted',
    ],
    [
      'a reservation that ends',
      { replicas: 4, spec: '  reserveOrdinals: [1]' },
      { replicas: 4 },
      'move: web-1 is created, and web-4 is deleted',
    ],
    [
      'another first ordinal, with fewer pods',
      { replicas: 5 },
      { replicas: 3, spec: '  ordinals: {start: 2}' },
      'the ordinals of shop/web move: web-1, web-0 are deleted',
    ],
    [
      'scale-in of what is updated first',
      {},
      { ...next, replicas: 6 },
      'web-9 to web-6 are deleted while shop/web is updated',
    ],
    [
      'pods that the partition keeps broken',
      one,
      { ...one, ...next, rolling: 'partition: 4' },
      'if one of the 4 pods that the partition retains is broken (web-3 to web-0), no pod is updated',
    ],
    [
      'the only pod that it keeps',
      one,
      { ...one, ...next, rolling: 'partition: 1' },
      'if the pod that the partition retains is broken (web-0)',
    ],
    [
      'the way out of a budget of one',
      one,
      { ...one, ...next },
      'A pod that stays unavailable stops it; a fix, or the way back, begins with that pod.',
    ],
  ])('%s', async (_, base, head, text) => {
    const { host } = await kruise({ 'base/web.yaml': numbered(base), 'head/web.yaml': numbered(head) });
    expect(`${host.out}${host.err}`).toContain(text);
  });

  test('a field that cannot change, and the command of the person who has to', async () => {
    const { host, code } = await kruise({
      'base/web.yaml': numbered(),
      'head/web.yaml': numbered({ serviceName: 'db' }),
    });
    expect(code).toBe(1);
    expect(host.err).toContain(
      'spec.serviceName cannot change once the object exists: it is web, and would be db',
    );
    expect(host.err).toContain('kubectl delete statefulsets.apps.kruise.io/web -n shop');
  });
});

describe('runs of names', () => {
  test.each<[string, string[], string]>([
    ['three are a run', ['a-3', 'a-2', 'a-1'], 'a-3 to a-1'],
    ['two are not', ['a-2', 'a-1', 'b-0'], 'a-2, a-1, b-0'],
    ['upwards', ['a-8', 'a-9', 'a-10'], 'a-8 to a-10'],
    ['not of two directions', ['a-2', 'a-1', 'a-2'], 'a-2, a-1, a-2'],
    ['not of several texts', ['a-3', 'b-2', 'a-1'], 'a-3, b-2, a-1'],
    ['none', [], ''],
    [
      'the rest is counted',
      Array.from({ length: 30 }, (_, n) => `a-${2 * n}`),
      `${Array.from({ length: 12 }, (_, n) => `a-${2 * n}`).join(', ')}, and 18 more`,
    ],
  ])('%s', (_, names, text) => {
    expect(nameRuns(names)).toBe(text);
  });
});
