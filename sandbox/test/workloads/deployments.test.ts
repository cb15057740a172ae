import { describe, expect, test } from 'vitest';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import {
  at,
  conditionsOf,
  deployments,
  imageChange,
  merge,
  podsOf,
  replicaSets,
  statusOf,
  workload,
  workloadStage,
} from './stage.ts';

const revision = 'deployment.kubernetes.io/revision';

async function sets(alice: Cluster): Promise<KubeObject[]> {
  const { items } = await alice.list(replicaSets, { namespace: 'default' });
  return items.sort(
    (a, b) => Number(a.metadata.annotations?.[revision]) - Number(b.metadata.annotations?.[revision]),
  );
}

/** `REVISION: REPLICAS` of each ReplicaSet. */
async function sizes(alice: Cluster): Promise<string> {
  return (await sets(alice))
    .map(
      ({ metadata, spec }) =>
        `${metadata.annotations?.[revision]}: ${(spec as { replicas: number }).replicas}`,
    )
    .join(', ');
}

describe('a Deployment', () => {
  test('makes a ReplicaSet and becomes available', async () => {
    const { alice, wait } = workloadStage();
    await alice.create(deployments, workload('Deployment', { replicas: 2 }));
    await wait(5);
    const made = await alice.get(deployments, at('web'));
    expect(statusOf(made)).toMatchObject({
      observedGeneration: 1,
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
    });
    expect(made.metadata.generation).toBe(1);
    expect(made.metadata.annotations).toEqual({ [revision]: '1' });
    expect(conditionsOf(made)).toEqual([
      'Available True MinimumReplicasAvailable',
      'Progressing True NewReplicaSetAvailable',
    ]);
    const [set] = await sets(alice);
    const hash = set?.metadata.labels?.['pod-template-hash'] ?? '';
    expect(set?.metadata.name).toBe(`web-${hash}`);
    expect(set?.metadata.annotations).toEqual({
      [revision]: '1',
      'deployment.kubernetes.io/desired-replicas': '2',
      'deployment.kubernetes.io/max-replicas': '3',
    });
    expect(await podsOf(alice, `pod-template-hash=${hash}`)).toHaveLength(2);
  });

  test('never has fewer available or more pods than a rolling update allows', async () => {
    const { alice, wait, world } = workloadStage();
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } };
    await alice.create(deployments, workload('Deployment', { replicas: 4, strategy }));
    await wait(5);
    let most = 0;
    let least = 9;
    world.onCommit(({ resource }) => {
      if (resource !== 'pods') return;
      const pods = world.server.list(
        'bob',
        { group: '', version: 'v1', plural: 'pods' },
        { namespace: 'default' },
      ).items;
      const active = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const ready = active.filter(({ status }) =>
        JSON.stringify(status).includes('"type":"Ready","observedGeneration":1,"status":"True"'),
      );
      most = Math.max(most, active.length);
      least = Math.min(least, ready.length);
    });
    await alice.patch(deployments, at('web'), imageChange('web:2'));
    await wait(1);
    expect(conditionsOf(await alice.get(deployments, at('web')))).toContain(
      'Progressing True ReplicaSetUpdated',
    );
    await wait(40);
    expect([most, least]).toEqual([5, 3]);
    expect(await sizes(alice)).toBe('1: 0, 2: 4');
    expect((await podsOf(alice, 'app=web')).map(({ spec }) => spec.containers[0]?.image)).toEqual(
      Array.from({ length: 4 }, () => 'web:2'),
    );
    expect(conditionsOf(await alice.get(deployments, at('web')))).toContain(
      'Progressing True NewReplicaSetAvailable',
    );
  });

  test('goes back to an earlier ReplicaSet, which gets the next revision', async () => {
    const { alice, wait } = workloadStage();
    await alice.create(deployments, workload('Deployment', { replicas: 1 }));
    await wait(5);
    await alice.patch(deployments, at('web'), imageChange('web:2'));
    await wait(10);
    await alice.patch(deployments, at('web'), imageChange('web:1'));
    await wait(10);
    expect(await sizes(alice)).toBe('2: 0, 3: 1');
    const [, current] = await sets(alice);
    expect(current?.metadata.annotations?.['deployment.kubernetes.io/revision-history']).toBe('1');
  });

  test('stops when the new pods do not start, and reports it after the deadline', async () => {
    const { alice, wait, world } = workloadStage();
    world.images.set('web:2', { pullError: true });
    await alice.create(deployments, workload('Deployment', { replicas: 4, progressDeadlineSeconds: 60 }));
    await wait(5);
    await alice.patch(deployments, at('web'), imageChange('web:2'));
    await wait(50);
    expect(await sizes(alice)).toBe('1: 3, 2: 2');
    const found = await alice.get(deployments, at('web'));
    expect(conditionsOf(found)).toContain('Progressing True ReplicaSetUpdated');
    expect(conditionsOf(found)).toContain('Available True MinimumReplicasAvailable');
    await wait(30);
    expect(conditionsOf(await alice.get(deployments, at('web')))).toContain(
      'Progressing False ProgressDeadlineExceeded',
    );
  });

  test('shares a new size among its ReplicaSets during an update', async () => {
    const { alice, wait, world } = workloadStage();
    world.images.set('web:2', { neverReady: true });
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2, maxUnavailable: 2 } };
    await alice.create(deployments, workload('Deployment', { replicas: 8, strategy }));
    await wait(5);
    await alice.patch(deployments, at('web'), imageChange('web:2'));
    await wait(10);
    expect(await sizes(alice)).toBe('1: 6, 2: 4');
    await alice.patch(deployments, at('web'), merge({ spec: { replicas: 18 } }));
    await wait(10);
    expect(await sizes(alice)).toBe('1: 12, 2: 8');
  });

  test('is paused and resumed', async () => {
    const { alice, wait } = workloadStage();
    await alice.create(deployments, workload('Deployment', { replicas: 1 }));
    await wait(5);
    await alice.patch(deployments, at('web'), merge({ spec: { paused: true } }));
    await alice.patch(deployments, at('web'), imageChange('web:2'));
    await alice.patch(deployments, at('web'), merge({ spec: { replicas: 2 } }));
    await wait(10);
    expect(await sizes(alice)).toBe('1: 2');
    expect(conditionsOf(await alice.get(deployments, at('web')))).toContain(
      'Progressing Unknown DeploymentPaused',
    );
    await alice.patch(deployments, at('web'), merge({ spec: { paused: false } }));
    await wait(15);
    expect(await sizes(alice)).toBe('1: 0, 2: 2');
    expect(conditionsOf(await alice.get(deployments, at('web')))).toContain(
      'Progressing True NewReplicaSetAvailable',
    );
  });

  test('of the strategy Recreate removes the old pods before it makes new ones', async () => {
    const { alice, wait, world } = workloadStage();
    await alice.create(deployments, workload('Deployment', { replicas: 2, strategy: { type: 'Recreate' } }));
    await wait(5);
    const images = new Set<string>();
    world.onCommit(({ resource }) => {
      if (resource !== 'pods') return;
      const { items } = world.server.list(
        'bob',
        { group: '', version: 'v1', plural: 'pods' },
        { namespace: 'default' },
      );
      images.add(
        [
          ...new Set(
            items.map((each) => (each['spec'] as { containers: { image: string }[] }).containers[0]?.image),
          ),
        ].join(),
      );
    });
    await alice.patch(deployments, at('web'), imageChange('web:2'));
    await wait(15);
    expect([...images]).toEqual(['web:1', '', 'web:2']);
    expect(await sizes(alice)).toBe('1: 0, 2: 2');
  });

  test('keeps as many old ReplicaSets as its history limit says', async () => {
    const { alice, wait } = workloadStage();
    await alice.create(deployments, workload('Deployment', { replicas: 1, revisionHistoryLimit: 1 }));
    for (const image of ['web:2', 'web:3', 'web:4']) {
      await wait(10);
      await alice.patch(deployments, at('web'), imageChange(image));
    }
    await wait(10);
    expect(await sizes(alice)).toBe('3: 0, 4: 1');
  });

  test('takes another name where its own is taken', async () => {
    const { alice, wait } = workloadStage();
    await alice.create(deployments, workload('Deployment', { replicas: 1 }));
    await wait(5);
    const [set] = await sets(alice);
    await alice.delete(deployments, at('web'));
    await wait(5);
    const squatter = workload('ReplicaSet', { replicas: 0, selector: { matchLabels: { app: 'x' } } });
    const body: KubeObject = {
      ...squatter,
      metadata: { ...squatter.metadata, name: set?.metadata.name ?? '' },
    };
    const spec = body['spec'] as { template: { metadata: { labels: object } } };
    spec.template.metadata.labels = { app: 'x' };
    await alice.create(replicaSets, body);
    await alice.create(deployments, workload('Deployment', { replicas: 1 }));
    await wait(5);
    const found = statusOf(await alice.get(deployments, at('web')));
    expect(found).toMatchObject({ collisionCount: 1, availableReplicas: 1 });
  });
});
