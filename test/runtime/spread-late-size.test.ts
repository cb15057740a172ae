import { delayed } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { AT, deployments, gatedDeployment, spreadWorld, zones } from './spread-world.ts';

const of = (count: number, place: string): string[] => Array.from({ length: count }, () => place);
const SPLIT = [...of(4, 'node-a a'), ...of(4, 'node-b b')];

test.each([
  ['grows', 2, 8, SPLIT],
  ['shrinks as it is updated', 8, 2, ['node-a a', 'node-b b']],
] as const)(
  'percentages of a Deployment that %s are of its present size, however late its watch is',
  async (_, before, after, expected) => {
    let isLate = false;
    const { clock, user, errors, located, change, stop } = await spreadWorld((cluster, on) =>
      delayed(cluster, on, ({ plural }) => (isLate && plural === 'deployments' ? 30_000 : 0)),
    );
    await user.create(resources.WorkloadSpread, zones('Deployment', { a: '50%', b: '50%' }));
    await clock.advance(2_000);
    await user.create(deployments, gatedDeployment(before));
    await clock.advance(60_000);
    isLate = true;
    const container = { name: 'main', image: 'web:1', env: [{ name: 'A', value: 'b' }] };
    await change(deployments, {
      replicas: after,
      ...(after < before && { template: { spec: { containers: [container] } } }),
    });
    await clock.advance(120_000);
    expect(await located()).toEqual(expected);
    expect(errors).toEqual([]);
    await stop();
  },
);

test('pods wait while the size of their Deployment cannot be read, and it is read for percentages alone', async () => {
  let isDown = true;
  let reads = 0;
  const { clock, user, located, change, stop } = await spreadWorld((cluster) => ({
    ...cluster,
    async list(resource, options) {
      const isRead = resource.plural === 'deployments' && options?.fieldSelector !== undefined;
      if (isRead) reads += 1;
      if (isRead && isDown) throw new ApiError({ code: 500, reason: 'InternalError', message: 'down' });
      return cluster.list(resource, options);
    },
  }));
  await user.create(resources.WorkloadSpread, zones('Deployment', { a: '50%', b: '50%' }));
  await clock.advance(2_000);
  await user.create(deployments, gatedDeployment(8));
  await clock.advance(30_000);
  expect(await located()).toEqual(of(8, 'nowhere - unbound'));
  isDown = false;
  await clock.advance(60_000);
  expect(await located()).toEqual(SPLIT);
  reads = 0;
  await clock.advance(600_000);
  expect(reads).toBe(0);
  await change(resources.WorkloadSpread, objectOf(zones('Deployment', { a: 4, b: null })['spec']));
  await change(deployments, { replicas: 9 });
  await clock.advance(60_000);
  expect(await located()).toEqual([...SPLIT, 'node-b b']);
  expect(reads).toBe(0);
  await stop();
});

test('they wait for a minute at most, are reported meanwhile, and the rest of the WorkloadSpread goes on', async () => {
  const { clock, user, errors, located, change, stop, waiting } = await spreadWorld((cluster) => ({
    ...cluster,
    async list(resource, options) {
      if (resource.plural === 'deployments' && options?.fieldSelector !== undefined)
        throw new ApiError({ code: 403, reason: 'Forbidden', message: 'down' });
      return cluster.list(resource, options);
    },
  }));
  await user.create(resources.WorkloadSpread, zones('Deployment', { a: '50%', b: '50%' }));
  await clock.advance(2_000);
  await user.create(deployments, gatedDeployment(4));
  await clock.advance(50_000);
  expect(await located()).toEqual(of(4, 'nowhere - unbound'));
  expect(waiting()).toBe(true);
  await change(resources.WorkloadSpread, {
    subsets: objectOf(zones('Deployment', { a: '75%', b: '25%' })['spec'])['subsets'] ?? [],
  });
  await clock.advance(1_000);
  const { metadata, status } = await user.get(resources.WorkloadSpread, AT);
  expect(objectOf(status)['observedGeneration']).toBe(metadata.generation);
  await clock.advance(30_000);
  expect(await located()).toEqual([...of(3, 'node-a a'), 'node-b b']);
  expect(waiting()).toBe(false);
  // One read for each reconcile, and not one for each pod.
  expect(errors.length).toBeLessThan(30);
  await stop();
});
