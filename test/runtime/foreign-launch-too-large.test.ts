import { afterEach, describe, expect, test } from 'vitest';
import { failing } from 'kruise-sandbox';
import { limitsFor } from '../../runtime/observe/retention.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { launchWorld, type LaunchWorld, ordered, startOrder } from './launch-world.ts';

let it: LaunchWorld;

afterEach(async () => it.stop());

const MIB = 1024 * 1024;
/** No pod fits the memory of one object. */
const retention = { ...limitsFor(384 * MIB), object: 512 };

describe('a foreign pod that is too large for the caches', () => {
  test('is read by itself as long as its containers wait, and is released in order', async () => {
    it = await launchWorld();
    let reads = 0;
    const runtime = it.run(
      failing(it.world.cluster('kruise'), ({ resource, verb }) => {
        if (resource.plural === 'pods' && verb === 'get') reads += 1;
        return undefined;
      }),
      { retention },
    );
    await it.workload('Deployment', ordered('main', 'agent', 'late'), 3);
    await it.clock.advance(3_000);
    expect(runtime.cacheSizes().find(({ resource }) => resource === 'pods')?.objects).toBe(3);
    await it.clock.advance(117_000);
    expect((await it.pods()).map(startOrder)).toEqual(Array(3).fill('main agent late'));
    expect(runtime.cacheSizes().find(({ resource }) => resource === 'pods')?.objects).toBe(0);
    expect(it.errors).toEqual([]);
    const before = reads;
    await it.clock.advance(3_600_000);
    expect(reads).toBe(before);
  });

  test('waits where it may not be read, and the log says so', async () => {
    it = await launchWorld();
    const forbidden = new ApiError({ code: 403, reason: 'Forbidden', message: 'pods "web-0" is forbidden' });
    let isAllowed = false;
    it.run(
      failing(it.world.cluster('kruise'), ({ resource, verb }) =>
        resource.plural === 'pods' && verb === 'get' && !isAllowed ? forbidden : undefined,
      ),
      { retention },
    );
    await it.workload('StatefulSet', ordered('main', 'agent'));
    await it.clock.advance(60_000);
    expect(startOrder(await it.onlyPod())).toBe('');
    expect(new Set(it.errors)).toEqual(new Set([`Pod/shop/web-0: ${String(forbidden)}`]));
    isAllowed = true;
    await it.clock.advance(600_000);
    expect(startOrder(await it.onlyPod())).toBe('main agent');
  });
});
