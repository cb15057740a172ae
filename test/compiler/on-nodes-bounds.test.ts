import { expect, test } from 'vitest';
import { planned } from './world/history.ts';
import { onNodes } from './world/on-nodes.ts';

const config = `steps:
- match: {kind: DaemonSet}
  batches: [{to: 1}, {to: 100%}]
assume: {nodes: 5}
`;
const files = (rolling: string) => ({
  'kruise.yaml': config,
  'log.yaml': onNodes({ image: 'log:2' }).replace('maxUnavailable: 1', `maxUnavailable: 1${rolling}`),
});
const canary = ', selector: {matchLabels: {pool: canary}}';

/** The title of the change, and how many nodes have it after each step. */
async function told(before: string, after: string): Promise<string[]> {
  const { host } = await planned(files(before), files(after));
  const [, title = ''] = /DaemonSet \S+: (.*)/.exec(host.out) ?? [];
  return [title, ...[...host.out.matchAll(/ (\d+)\/5 nodes$/gm)].map(([, count = '']) => count)];
}

test.each<[what: string, before: string, after: string, expected: string[]]>([
  [
    'a partition after a selector: how many the selector has let go is unknown, so none is taken for granted',
    canary,
    ', partition: 2',
    ['selector pool=canary to none and partition 0 to 2, the rollout continues', '1', '3'],
  ],
  [
    'no bound after a selector',
    canary,
    '',
    ['selector pool=canary to none, the rollout continues', '1', '5'],
  ],
  [
    'a lower partition: the others are there',
    ', partition: 2',
    '',
    ['partition 2 to 0, the rollout continues', '3', '5'],
  ],
])('%s', async (_what, before, after, expected) => {
  expect(await told(before, after)).toEqual(expected);
});
