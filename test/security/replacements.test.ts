import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { isSnapshot, snapshotName } from '../../semantics/plan/memory.ts';
import { SPECIFIED_DELETE_LABEL } from '../../semantics/pod/types.ts';
import {
  cloneSet,
  createTestCluster,
  patchSpec,
  planOf,
  type TestCluster,
  templateOf,
} from '../runtime/stage.ts';

const MINUTE = 60_000;
const SHOP = { namespace: 'shop' };

let stage: TestCluster;
afterEach(() => stage.stop());

async function start(spec: JsonObject = {}): Promise<void> {
  stage = await createTestCluster(cloneSet('web', 'web:1', spec), { policy: 'Auto' });
  stage.errors.length = 0;
}

/** Counts the created objects of a resource, and applies this to each a moment later, until it is canceled. */
function toEach(
  plural: string,
  act: (object: KubeObject) => Promise<unknown>,
): { made: number; stop(): void } {
  const count = { made: 0, stop: () => undefined as void };
  count.stop = stage.world.onCommit(({ type, resource, object }) => {
    if (type !== 'ADDED' || resource !== plural) return;
    count.made += 1;
    stage.clock.after(10, () => void act(object).catch(() => undefined));
  });
  return count;
}

const deleteIt = ({ metadata: { name } }: KubeObject) =>
  stage.user.delete(resources.Pod, { ...SHOP, name }, { gracePeriodSeconds: 0 });

async function loseAll(): Promise<void> {
  for (const pod of await stage.pods()) await deleteIt(pod);
}

async function condition(type: string): Promise<string> {
  const { conditions = [] } = ((await stage.target())['status'] ?? {}) as {
    conditions?: { type: string; reason?: string; message?: string }[];
  };
  const found = conditions.find((each) => each.type === type);
  return found === undefined ? '' : `${found.reason ?? ''}: ${found.message ?? ''}`;
}
const held = () => condition('plan.kruise.io/Held');

async function heldEvents(): Promise<string[]> {
  const { items } = await stage.user.list(resources.Event, SHOP);
  return items.filter((event) => event['reason'] === 'Held').map((event) => String(event['message']));
}

describe('security 6: pods that are lost as soon as they are created', () => {
  test('are created with an increasing backoff, and the target has the reason, the count and the remedy', async () => {
    await start();
    const made = toEach('pods', deleteIt);
    await loseAll();
    await stage.clock.advance(20_000);
    expect(made.made).toBeLessThan(25);
    expect(await held()).toMatch(
      /^PodsLost: \d+ pods were lost within \d+ s, each less than a minute after its creation; the next one is created at 2026-01-01T/,
    );
    expect(await condition('FailedScale')).toMatch(/pods were lost within/);
    await stage.clock.advance(60 * MINUTE);
    expect(made.made).toBeLessThan(80);
    expect(await heldEvents()).toEqual([expect.stringMatching(/^PodsLost: /)]);
    expect(stage.errors).toEqual([]);
    // Nobody takes them away any more: they come within the longest pause, and after a minute all is as before.
    made.stop();
    await stage.clock.advance(5 * MINUTE + 1_000);
    expect(await stage.pods()).toHaveLength(3);
    await stage.clock.advance(2 * MINUTE);
    expect(await held()).toBe('');
    await loseAll();
    await stage.clock.advance(1_000);
    expect(await stage.pods()).toHaveLength(3);
  });

  test('as are pods that a user labels for deletion', async () => {
    await start();
    const made = toEach('pods', ({ metadata: { name } }) =>
      stage.user.patch(
        resources.Pod,
        { ...SHOP, name },
        { type: 'merge', body: { metadata: { labels: { [SPECIFIED_DELETE_LABEL]: 'true' } } } },
      ),
    );
    await loseAll();
    await stage.clock.advance(20_000);
    expect(made.made).toBeLessThan(25);
    expect(await held()).toMatch(/^PodsLost: /);
    made.stop();
  });

  test('a hundred that are lost at once, and once more, are recreated at once', async () => {
    await start({ replicas: 100 });
    for (let round = 0; round < 2; round++) {
      await loseAll();
      await stage.clock.advance(1_000);
      expect(await stage.pods()).toHaveLength(100);
      expect(await held()).toBe('');
    }
  });

  test('another pod of the target that a user deletes is recreated at once', async () => {
    await start();
    const [victim] = await stage.pods();
    const made = toEach('pods', deleteIt);
    await deleteIt(victim as KubeObject);
    await stage.clock.advance(30_000);
    expect(await held()).toMatch(/^PodsLost: /);
    made.stop();
    const [other] = await stage.pods();
    const before = (await stage.pods()).length;
    await deleteIt(other as KubeObject);
    await stage.clock.advance(500);
    expect(await stage.pods()).toHaveLength(before);
  });

  test('scaling in and out, however fast, does not count as loss', async () => {
    await start();
    for (let round = 0; round < 6; round++) {
      await patchSpec(stage, 'web', { replicas: 0 });
      await stage.clock.advance(1_000);
      await patchSpec(stage, 'web', { replicas: 3 });
      await stage.clock.advance(200);
      expect((await stage.pods()).filter((pod) => !pod.metadata.deletionTimestamp)).toHaveLength(3);
    }
    expect(await held()).toBe('');
  });

  test.each([200, 2_000, 15_000])(
    'nor do changes that recreate and are taken back, %d ms apart',
    async (pause) => {
      await start({ updateStrategy: { rollingUpdate: { podUpdatePolicy: 'ReCreate', maxUnavailable: 3 } } });
      for (let round = 0; round < 6; round++)
        for (const image of ['web:2', 'web:1']) {
          await patchSpec(stage, 'web', { template: templateOf('web', image) });
          await stage.clock.advance(pause);
          expect(await held()).toBe('');
        }
      await stage.clock.advance(40_000);
      expect(await stage.images()).toEqual({ 'web:1': 3 });
    },
  );

  test('pods of another revision are created at once: a revert does not wait for the backoff', async () => {
    await start({ updateStrategy: { rollingUpdate: { podUpdatePolicy: 'ReCreate', maxUnavailable: 3 } } });
    const made = toEach('pods', deleteIt);
    await patchSpec(stage, 'web', { template: templateOf('web', 'web:2') });
    await stage.clock.advance(30_000);
    expect(await held()).toMatch(/^PodsLost: /);
    made.stop();
    await patchSpec(stage, 'web', { template: templateOf('web', 'web:1') });
    await stage.clock.advance(2_000);
    expect(await stage.images()).toEqual({ 'web:1': 3 });
    expect(await held()).toBe('');
  });

  test('a revision that is repeatedly deleted is created with an increasing backoff', async () => {
    await start();
    const made = toEach('controllerrevisions.apps', ({ metadata: { name } }) =>
      stage.user.delete(resources.ControllerRevision, { ...SHOP, name }),
    );
    await patchSpec(stage, 'web', { template: templateOf('web', 'web:2') });
    await stage.clock.advance(20_000);
    expect(made.made).toBeLessThan(10);
    expect(await held()).toMatch(/^RevisionsLost: /);
    made.stop();
    await stage.clock.advance(6 * MINUTE);
    expect(await stage.images()).toEqual({ 'web:2': 3 });
    expect(await held()).toBe('');
  });

  test('the record of a plan that is repeatedly deleted is created with an increasing backoff', async () => {
    await start();
    await stage.clock.advance(MINUTE);
    const made = toEach('controllerrevisions.apps', ({ metadata: { name } }) =>
      name.includes('-plan-')
        ? stage.user.delete(resources.ControllerRevision, { ...SHOP, name })
        : Promise.resolve(),
    );
    await stage.change('web:2', {
      steps: [
        { id: 'soak', soak: { for: '1h' } },
        { id: 'all', update: { to: '100%' } },
      ],
    });
    await stage.clock.advance(20_000);
    expect(made.made).toBeLessThan(12);
    expect(await held()).toMatch(/^RevisionsLost: /);
    made.stop();
  });

  test('a record with its second name, because the first is taken, does not count as lost', async () => {
    await start();
    await stage.clock.advance(MINUTE);
    const steps: Step[] = [
      { id: 'soak', soak: { for: '1h' } },
      { id: 'all', update: { to: '100%' } },
    ];
    const { digest } = planOf('web', 'web:1', 'web:2', { steps })['spec'] as { digest: string };
    await stage.user.create(resources.ControllerRevision, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { ...SHOP, name: snapshotName('web', digest) },
      data: {},
      revision: 1,
    });
    await stage.change('web:2', { steps });
    await stage.clock.advance(5_000);
    const records = async () =>
      (await stage.user.list(resources.ControllerRevision, SHOP)).items.filter(isSnapshot);
    const [record] = await records();
    expect(record?.metadata.name).toMatch(/-plan-[0-9a-f]{8}-/);
    await stage.user.delete(resources.ControllerRevision, { ...SHOP, name: record?.metadata.name ?? '' });
    await stage.clock.advance(20_000);
    expect(await records()).toHaveLength(1);
    expect(await heldEvents()).not.toContainEqual(expect.stringMatching(/^RevisionsLost: /));
    // Deleted again and again it waits like any other.
    for (let n = 0; n < 3; n++) {
      for (const { metadata } of await records())
        await stage.user.delete(resources.ControllerRevision, { ...SHOP, name: metadata.name });
      await stage.clock.advance(3_000);
    }
    expect(await heldEvents()).toContainEqual(expect.stringMatching(/^RevisionsLost: /));
  });
});
