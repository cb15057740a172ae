import { expect, test } from 'vitest';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSet, createTestCluster, type TestCluster } from '../runtime/stage.ts';

const IN_NAMESPACE = { namespace: 'shop' };
const AHEAD = 999_999_999_999;

async function record(stage: TestCluster, observed: number | null): Promise<void> {
  const [revision] = (await stage.user.list(resources.ControllerRevision, IN_NAMESPACE)).items;
  const annotations = {
    'plan.kruise.io/seen': observed === null ? null : JSON.stringify({ pods: observed }),
  };
  const at = { ...IN_NAMESPACE, name: revision?.metadata.name ?? '' };
  await stage.user.patch(resources.ControllerRevision, at, {
    type: 'merge',
    body: { metadata: { annotations } },
  });
}

async function held(stage: TestCluster): Promise<string> {
  const { conditions = [] } = ((await stage.target())['status'] ?? {}) as {
    conditions?: { type: string; reason: string; message: string }[];
  };
  const found = conditions.find(({ type }) => type === 'plan.kruise.io/Held');
  return found === undefined ? '' : `${found.reason}: ${found.message}`;
}

const discards = async (stage: TestCluster) =>
  (await stage.user.list(resources.Event, IN_NAMESPACE)).items.filter(
    ({ reason }) => reason === 'RecordDiscarded',
  );

test('security 2: a record with a version that the server does not have, as after a restore, holds a target only until the next list', async () => {
  const stage = await createTestCluster(cloneSet('web', 'web:1'), { policy: 'Auto' });
  await record(stage, AHEAD);
  await stage.change('web:2', false);
  await stage.clock.advance(3_000);
  expect(await stage.images()).toEqual({ 'web:1': 3 });
  await stage.clock.advance(180_000);
  expect([await held(stage), await stage.images()]).toEqual(['', { 'web:2': 3 }]);
  const events = await discards(stage);
  expect(events.map(({ type, message, count }) => [type, message, count])).toEqual([
    [
      'Warning',
      `the record refers to pods at version ${AHEAD}, which a later list shows the server never had. It was restored from a backup, or the record was edited. The rollout continues from what the server shows`,
      1,
    ],
  ]);
  expect(stage.errors).toEqual([]);
  await stage.stop();
});

test('security 2: while no list completes, a target with such a record is held, with the remedy', async () => {
  let down = false;
  const wrap = (cluster: Cluster): Cluster => ({
    ...cluster,
    // A list that never ends.
    list: async (resource, options) =>
      down && resource.plural === 'pods' ? new Promise(() => undefined) : cluster.list(resource, options),
  });
  const stage = await createTestCluster(cloneSet('web', 'web:1'), { policy: 'Auto', wrap });
  down = true;
  await record(stage, AHEAD);
  await stage.change('web:2', false);
  await stage.clock.advance(180_000);
  expect(await held(stage)).toBe(
    'CachesStale: the caches have lagged behind recorded writes for a minute, and nothing is decided until they catch up. The log shows why lists of pods do not complete',
  );
  expect([await stage.images(), await discards(stage)]).toEqual([{ 'web:1': 3 }, []]);
  await stage.stop();
});
