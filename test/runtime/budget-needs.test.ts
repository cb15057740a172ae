import { afterEach, expect, test } from 'vitest';
import { intercepting } from 'kruise-sandbox';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { at, budget, deployment, DEPLOYMENT, endSite, MINUTE, SHOP, site } from './budget-site.ts';

afterEach(endSite);

/** The budget of this name, of the Deployment of this name. */
const budgetOf = (name: string): KubeObject => ({
  ...budget({ targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } }),
  metadata: at(name),
});

/** Lists of Deployments, which are answered once they are released, and how many were requested. */
function heldLists() {
  let held: Promise<void> | undefined;
  let release = (): void => {};
  let lists = 0;
  const wrap = (cluster: Cluster): Cluster =>
    intercepting(cluster, {
      async request({ verb, resource }, send) {
        if (verb === 'list' && resource.plural === DEPLOYMENT.plural) {
          lists += 1;
          await held;
        }
        return send();
      },
      watch: (_call, open, sink) => open(sink),
    });
  const hold = (): void => void (held = new Promise((resolve) => (release = resolve)));
  return { wrap, hold, release: () => release(), lists: () => lists };
}

async function allowed(user: Cluster, name: string): Promise<number | undefined> {
  const { status } = (await user.get(resources.PodUnavailableBudget, at(name))) as {
    status?: { unavailableAllowed: number };
  };
  return status?.unavailableAllowed;
}

test('while a new workload is looked up, the budget that names it waits, and others are counted', async () => {
  const { wrap, hold, release } = heldLists();
  const { user, clock, pods, errors } = await site([deployment('one', 3), budgetOf('one')], wrap);
  expect(await allowed(user, 'one')).toBe(1);
  hold();
  await user.create(DEPLOYMENT, deployment('two', 3));
  await user.create(resources.PodUnavailableBudget, budgetOf('two'));
  await clock.advance(MINUTE);
  const [first] = (await pods()).filter(({ metadata }) => metadata.labels?.['of'] === 'one');
  const labels = { 'unavailable-pod.kruise.io/drain': 'true' };
  await user.patch(
    resources.Pod,
    { namespace: SHOP, name: first?.metadata.name ?? '' },
    { type: 'merge', body: { metadata: { labels } } },
  );
  await clock.advance(MINUTE);
  expect([await allowed(user, 'one'), await allowed(user, 'two')]).toEqual([0, undefined]);
  release();
  await clock.advance(MINUTE);
  expect([await allowed(user, 'one'), await allowed(user, 'two')]).toEqual([0, 1]);
  expect(errors).toEqual([]);
});

test('a workload that is named again while it is still cached is not looked up again', async () => {
  const { wrap, lists } = heldLists();
  const { user, clock } = await site([deployment('one', 3), budgetOf('one')], wrap);
  await user.delete(resources.PodUnavailableBudget, at('one'));
  await clock.advance(MINUTE);
  const before = lists();
  await user.create(resources.PodUnavailableBudget, budgetOf('one'));
  await clock.advance(MINUTE);
  expect([lists() - before, await allowed(user, 'one')]).toEqual([0, 1]);
});
