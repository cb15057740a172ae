import { describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { REVISION_LABEL } from '../../semantics/pod/types.ts';
import { sampled } from '../lanes.ts';
import { compareWithForecast } from './forecast-comparison.ts';
import { type Web, web } from './manifests.ts';
import { makeClass } from './of-claims.ts';
import { createStoryCluster, type StoryCluster } from './stage.ts';
import { MANIFEST, settled } from './story.ts';

const config = 'steps: [{match: {}, batches: [{to: 5%}, {to: 50%}, {to: 100%}]}]\n';
const data = { storage: '1Gi', replicas: 4 };
const debug = { ...data, env: 'debug' };
const surge = { maxUnavailable: 0, maxSurge: 2 };
const byHand = { ...data, onDelete: true } as const;
const alone = { ...byHand, reuse: false } as const;
const next = { image: 'nginx:1.27-alpine' };

/** Successive git states; each is rolled out before the next one is committed. */
const histories: { name: string; states: Web[] }[] = [
  {
    name: 'in place, then recreated in batches',
    states: [data, { ...data, ...next }, { ...debug, ...next }],
  },
  {
    name: 'recreated with pods to spare',
    states: [
      { ...data, ...surge },
      { ...debug, ...surge },
    ],
  },
  {
    name: 'kept back by a partition, and then not',
    states: [data, { ...debug, partition: 3 }, { ...debug, partition: 1 }, debug],
  },
  { name: 'the first claims', states: [{ replicas: 4 }, debug] },
  { name: 'the last claims', states: [data, { replicas: 4, env: 'debug' }] },
  { name: 'taken by people, claims taken over', states: [byHand, { ...byHand, ...next }] },
  { name: 'taken by people, claims and all', states: [alone, { ...alone, ...next }] },
];

describe('the claims that are made and deleted are those of the forecast', () => {
  test.each(sampled('claims foretold', histories, 3))(
    '$name',
    async ({ states: [first = {}, ...others] }) => {
      const stage = await createStoryCluster({
        files: { 'kruise.yaml': config, [MANIFEST]: web(first) },
        prepare: makeClass,
      });
      const forecast = compareWithForecast(stage);
      await settled(stage);
      await stage.run(60_000);
      for (const [index, state] of others.entries()) {
        await stage.commit(`state ${index + 2}`, { [MANIFEST]: web(state) });
        await stage.sync();
        if (state.onDelete === true) await deleteOldPods(stage);
        await stage.until('Succeeded');
        await stage.run(60_000);
      }
      await stage.stop();
      expect(forecast.started()).toBe(others.length);
      // How many pods are unavailable at a time depends on the users who delete them.
      expect(forecast.differences().filter((text) => !text.includes('at the least'))).toEqual([]);
    },
  );
});

/** Users delete pods one by one, and wait for the replacements. */
async function deleteOldPods(stage: StoryCluster): Promise<void> {
  const labelOf = (pod: { metadata: { labels?: Record<string, string> } }) =>
    pod.metadata.labels?.[REVISION_LABEL];
  const old = await stage.pods();
  for (const { metadata } of old) {
    await stage.user.delete(resources.Pod, { namespace: 'shop', name: metadata.name });
    await stage.run(60_000);
  }
  const before = new Set(old.map(labelOf));
  expect((await stage.pods()).filter((pod) => before.has(labelOf(pod)))).toEqual([]);
}
