import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { kruise } from './world/manifests.ts';
import { type NumberedParts, numbered } from './world/numbered.ts';

const claims = (storage: string, type = 'OnPodRollingUpdate'): string =>
  `  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: ${storage}}}}}]\n` +
  `  volumeClaimUpdateStrategy: {type: ${type}}`;
const sized = (storage: string, more: NumberedParts = {}): NumberedParts => ({
  replicas: 5,
  spec: claims(storage),
  ...more,
});
const CONFIG = 'steps: [{match: {}, batches: [{to: 20%}, {to: 100%}], approve: [1]}]';

interface Output {
  spec: RolloutPlan['spec'] | undefined;
  page: string;
  terminal: string;
}

/** The plan, forecast.md and the terminal, for a change of one StatefulSet. */
async function outputs(base: NumberedParts, head: NumberedParts): Promise<Output> {
  const { host } = await kruise({
    'base/web.yaml': numbered(base),
    'head/web.yaml': numbered(head),
    'head/kruise.yaml': CONFIG,
  });
  const at = (name: string) => host.files.get(`/repo/head/plans/shop/statefulset-web/${name}`);
  const plan = at('plan.yaml');
  return {
    spec: plan === undefined ? undefined : (parse(String(plan)) as RolloutPlan).spec,
    page: String(at('forecast.md')),
    terminal: `${host.out}${host.err}`,
  };
}

test('a commit that only makes claims larger has a plan', async () => {
  const { spec, page, terminal } = await outputs(sized('1Gi'), sized('2Gi'));
  expect(spec).toMatchObject({ from: [], to: { bound: { partition: 0 } } });
  expect(spec?.to.claims).toMatch(/^h1:/);
  for (const text of [
    'No pod changes: existing volume claims grow: data from 1Gi to 2Gi.',
    'The claims of at most 3 pods grow at a time, and no container restarts.',
    '5 volume claims stay with their pods.',
    'Reverting this commit stops the growth, and shrinks no claim that has grown.',
    '| `batch-1` | grow the claims of 20%, 3 at a time | web-4 | 1 | 1 | 2 |',
    '| `batch-2` | grow the claims of 100%, 3 at a time, in 2 rounds | web-3 to web-0 | 3 | 5 | 10 |',
  ])
    expect(page).toContain(text);
  expect(terminal).toContain('existing volume claims grow: data from 1Gi to 2Gi; no pod changes');
  expect(terminal).toContain('Plan: 0 to roll out, 1 to grow claims.');
});

describe('which change of claims has a plan', () => {
  test.each<[string, NumberedParts, NumberedParts, boolean, string]>([
    ['another spelling', sized('1Gi'), sized('1024Mi'), false, 'settings only'],
    ['a smaller size', sized('2Gi'), sized('1Gi'), true, 'no volume claim grows: claims never shrink'],
    [
      'growth is enabled',
      sized('1Gi', { spec: claims('1Gi', 'OnDelete') }),
      sized('1Gi'),
      true,
      'existing volume claims grow to the size of their templates; no pod changes',
    ],
    [
      'growth is disabled',
      sized('1Gi'),
      sized('2Gi', { spec: claims('2Gi', 'OnDelete') }),
      false,
      'settings only',
    ],
    [
      'no growth',
      sized('1Gi', { spec: claims('1Gi', 'OnDelete') }),
      sized('2Gi', { spec: claims('2Gi', 'OnDelete') }),
      false,
      'settings only',
    ],
    [
      'pods that users update',
      sized('1Gi', { type: 'OnDelete' }),
      sized('2Gi', { type: 'OnDelete' }),
      false,
      'settings only',
    ],
  ])('%s', async (_what, base, head, isPlanned, text) => {
    const { spec, terminal } = await outputs(base, head);
    expect(spec !== undefined).toBe(isPlanned);
    expect(terminal).toContain(text);
  });

  test('with the template and the partition: in the plan of those', async () => {
    const [update, partition] = [
      await outputs(sized('1Gi'), sized('2Gi', { image: 'nginx:1.27' })),
      await outputs(sized('1Gi'), sized('2Gi', { rolling: 'partition: 2' })),
    ];
    const grown = (await outputs(sized('1Gi'), sized('2Gi'))).spec?.to.claims;
    expect(update.spec?.to.claims).toBe(grown);
    expect(partition.spec?.to).toMatchObject({ bound: { partition: 2 }, claims: grown });
  });
});
