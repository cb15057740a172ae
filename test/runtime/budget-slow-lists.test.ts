import { afterEach, expect, test } from 'vitest';
import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { at, budget, endSite, site, web } from './budget-site.ts';

afterEach(endSite);

const SECOND = 1_000;
const { Pod, PodUnavailableBudget } = resources;

/** A cluster whose lists of pods take so long. */
const slowPods =
  (tookMs: number) =>
  (cluster: Cluster, clock: Clock): Cluster => ({
    ...cluster,
    async list(resource, options) {
      if (resource.plural === Pod.plural) await new Promise<void>((done) => void clock.after(tookMs, done));
      return cluster.list(resource, options);
    },
  });

test('a budget that is made while the pods are listed for another one is counted after the next list', async () => {
  const { user, clock } = await site([web(2)], slowPods(6 * SECOND));
  const named = (name: string, labels: Record<string, string>) => ({
    ...budget({ selector: { matchLabels: labels } }),
    metadata: at(name),
  });
  await user.create(PodUnavailableBudget, named('first', { app: 'web' }));
  await clock.advance(SECOND);
  await user.create(PodUnavailableBudget, named('second', { app: 'web' }));
  await clock.advance(15 * SECOND);
  const found = await Promise.all(
    ['first', 'second'].map((name) => user.get(PodUnavailableBudget, at(name))),
  );
  const counted = { observedGeneration: 1, totalReplicas: 2 };
  expect(found.map(({ status }) => status)).toMatchObject([counted, counted]);
});
