import { describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { HOUR, lead, losePod, memoryOf, MINUTE, requests, shown, toTemplate } from './lead.ts';
import { cloneSet, createTestCluster, patchSpec, templateOf } from './stage.ts';

describe('the target revision of a completed rollout is marked stable', () => {
  // The plan was Succeeded and the mark was lost for ever: the next lost pod came back at the old image.
  test('another client writes to that revision while it is marked', async () => {
    let touches = 1;
    const stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 3 }), {
      wrap: (cluster) => ({
        ...cluster,
        async patch(resource, at, patch, options) {
          const marks =
            resource.plural === 'controllerrevisions' &&
            'plan.kruise.io/complete' in annotationsOf(patch.body);
          if (marks && touches > 0) {
            touches -= 1;
            const body = { metadata: { labels: { team: 'backup' } } };
            await stage.user.patch(resources.ControllerRevision, at, { type: 'merge', body });
          }
          return cluster.patch(resource, at, patch, options);
        },
      }),
    });
    const order: string[] = [];
    stage.world.onCommit(({ object }) => {
      const annotations = object.metadata.annotations ?? {};
      if (object.kind !== 'ControllerRevision') return;
      if (annotations['plan.kruise.io/complete'] === '2') order.push('marked');
      if (annotations['plan.kruise.io/progress']?.includes('"Succeeded"')) order.push('succeeded');
    });
    await stage.change('web:2');
    await stage.until('Succeeded');
    const refused = stage.world.log.filter(
      ({ user, code, resource }) => user === 'kruise' && code === 409 && resource === 'controllerrevisions',
    );
    expect([touches, refused.length]).toEqual([0, 1]);
    expect(order.indexOf('succeeded')).toBeGreaterThan(order.indexOf('marked'));
    expect(order[0]).toBe('marked');
    await stage.clock.advance(MINUTE);
    const { currentRevision, updateRevision } = (await stage.target())['status'] as Record<string, string>;
    expect(currentRevision).toBe(updateRevision);
    await patchSpec(stage, 'web', { replicas: 8 });
    await stage.clock.advance(MINUTE);
    expect(await stage.images()).toEqual({ 'web:2': 8 });
    await stage.stop();
  });
});

function annotationsOf(body: unknown): object {
  return (body as { metadata?: { annotations?: object } }).metadata?.annotations ?? {};
}

describe('deleted and recreated under the same name', () => {
  // Objects of the first one had the names of the second one's revisions, and the runtime retried forever.
  test.each(['Background', 'Orphan'] as const)(
    '%s: a bounded number of requests, and it succeeds',
    async (policy) => {
      const target = cloneSet('web', 'web:1');
      const stage = await createTestCluster(target);
      await stage.change('web:2');
      await stage.until('Succeeded');
      const before = requests(stage);
      await stage.user.delete(
        resources.CloneSet,
        { namespace: 'shop', name: 'web' },
        { propagationPolicy: policy },
      );
      if (policy === 'Orphan') await stage.clock.advance(2_000);
      await stage.user.create(resources.CloneSet, cloneSet('web', 'web:2'));
      await stage.clock.advance(2 * MINUTE);
      expect(requests(stage) - before).toBeLessThan(150);
      expect((await stage.target())['status']).toMatchObject({ replicas: 3, availableReplicas: 3 });
      await lead(stage, templateOf('web', 'web:3'));
      await stage.until('Succeeded');
      const uid = (await stage.target()).metadata.uid;
      const own = (await stage.pods()).filter((pod) => pod.metadata.ownerReferences?.[0]?.uid === uid);
      expect(own.map((pod) => pod.spec.containers[0]?.image)).toEqual(['web:3', 'web:3', 'web:3']);
      expect(stage.errors).toEqual([]);
      await stage.stop();
    },
  );
});

describe('snapshots are bounded, and needed revisions are retained', () => {
  // Snapshots were never deleted.
  test('after fifteen succeeded plans the six newest snapshots are left', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1', { revisionHistoryLimit: 1 }));
    for (let i = 2; i <= 16; i++) {
      await lead(stage, templateOf('web', `web:${i}`));
      await stage.until('Succeeded');
    }
    await stage.clock.advance(5 * MINUTE);
    const { snapshots } = await memoryOf(stage);
    expect(snapshots.map((object) => object['revision']).sort((a, b) => Number(a) - Number(b))).toEqual([
      10, 11, 12, 13, 14, 15,
    ]);
    const settled = requests(stage, 'writes');
    await stage.clock.advance(HOUR);
    expect(requests(stage, 'writes')).toBe(settled);
    await stage.stop();
  });

  // It was truncated as soon as no plan listed it, and its pods could not be recreated.
  test('the revision of held pods is retained although no pod is at it and no plan starts from it', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 5, revisionHistoryLimit: 0 }));
    const second = templateOf('web', 'web:2');
    const rolling = (partition: number) => ({ updateStrategy: { rollingUpdate: { partition } } });
    await lead(stage, second, { to: toTemplate(second, 2) }, rolling(2));
    await stage.until('Succeeded');
    expect(await stage.images()).toEqual({ 'web:1': 2, 'web:2': 3 });
    await patchSpec(stage, 'web', { replicas: 0 });
    await stage.clock.advance(MINUTE);
    const elsewhere = toTemplate(templateOf('web', 'web:3')).hash;
    await lead(stage, second, { to: toTemplate(second, 2), from: [{ hash: elsewhere, mode: 'Recreate' }] });
    await stage.clock.advance(MINUTE);
    expect((await shown(stage)).phase).toBe('Succeeded');
    await patchSpec(stage, 'web', { replicas: 5 });
    await stage.clock.advance(MINUTE);
    expect(await stage.images()).toEqual({ 'web:1': 2, 'web:2': 3 });
    await stage.stop();
  });

  test('without pods the stable revision is retained, and new pods are created at it', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1', { revisionHistoryLimit: 0 }));
    await stage.change('web:2', {
      steps: [
        { id: 'one', update: { to: 1 } },
        { id: 'ok', approve: {} },
      ],
    });
    await stage.until('AwaitingApproval');
    await patchSpec(stage, 'web', { replicas: 0 });
    await stage.clock.advance(HOUR);
    expect(await stage.images()).toEqual({});
    await patchSpec(stage, 'web', { replicas: 3 });
    await stage.clock.advance(MINUTE);
    expect(await stage.images()).toEqual({ 'web:1': 2, 'web:2': 1 });
    await losePod(stage, 'web:1');
    expect(await stage.images()).toEqual({ 'web:1': 2, 'web:2': 1 });
    await stage.stop();
  });
});
