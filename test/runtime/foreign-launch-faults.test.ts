import { afterEach, describe, expect, test } from 'vitest';
import { crashing, failing, type Fate } from 'kruise-sandbox';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import { launchWorld, type LaunchWorld, ordered, startOrder } from './launch-world.ts';

let it: LaunchWorld | undefined;

afterEach(async () => it?.stop());

const CONTAINERS = ['main', 'agent', 'late'] as const;

/** The start order of the pod of a Deployment, after the play has begun. */
async function played(play: (world: LaunchWorld) => Promise<void>, replicas = 1): Promise<string> {
  await it?.stop();
  it = await launchWorld();
  const begun = play(it);
  await it.workload('Deployment', ordered(...CONTAINERS), replicas);
  await begun;
  await it.clock.advance(120_000);
  const all = new Set((await it.pods()).map(startOrder));
  return [...all].join('; ');
}

const IN_ORDER = CONTAINERS.join(' ');

describe('the containers of a foreign pod start in their order', () => {
  test('over a restart of the runtime at any time (LP-20)', async () => {
    for (let restartMs = 0; restartMs <= 12_000; restartMs += 500) {
      const order = await played(async ({ clock, run }) => {
        const first = run();
        await clock.advance(restartMs);
        void first.stop();
        await clock.advance(5_000);
        run();
      });
      expect(`${restartMs} ms: ${order}`).toBe(`${restartMs} ms: ${IN_ORDER}`);
      expect(it?.errors).toEqual([]);
    }
  });

  const fates: readonly Fate[] = ['unsent', 'unanswered', { arrivesAfterMs: 20_000 }];
  test.each(fates)('over a crash of the runtime at any call: %j', async (fate) => {
    for (let nth = 0, isOver = false; !isOver; nth += 1) {
      let calls = 0;
      const order = await played(({ world, clock, run }) => {
        const next = (): void => void clock.after(2_000, () => run());
        const cluster = crashing(
          world.cluster('kruise'),
          clock,
          ({ resource, verb }) => {
            if (!['configmaps', 'pods'].includes(resource.plural) || ['list', 'watch'].includes(verb))
              return 'lives';
            return calls++ === nth ? fate : 'lives';
          },
          () => {
            void first.stop();
            next();
          },
        );
        const first = run(cluster);
        return Promise.resolve();
      });
      expect(`call ${nth}: ${order}`).toBe(`call ${nth}: ${IN_ORDER}`);
      isOver = calls <= nth;
      if (isOver) expect(nth).toBeGreaterThan(8);
    }
  });

  test('with two runtimes at once', async () => {
    const order = await played(({ world, run }) => {
      run();
      run(world.cluster('other'));
      return Promise.resolve();
    }, 3);
    expect(order).toBe(IN_ORDER);
    expect(it?.errors).toEqual([]);
  });

  const failures = [
    { code: 500, reason: 'InternalError', message: 'etcd is slow' },
    { code: 409, reason: 'Conflict', message: 'it was written meanwhile' },
    { code: 403, reason: 'Forbidden', message: 'not now' },
    { code: 404, reason: 'NotFound', message: 'not there' },
  ] as const;
  test.each(failures)('whichever call fails with $code', async (status) => {
    for (let nth = 0; nth < 9; nth += 1) {
      let calls = 0;
      const order = await played(({ world, run }) => {
        const cluster: Cluster = failing(world.cluster('kruise'), ({ resource, verb }) => {
          if (!['configmaps', 'pods'].includes(resource.plural) || ['list', 'watch'].includes(verb))
            return undefined;
          return calls++ === nth ? new ApiError(status) : undefined;
        });
        run(cluster);
        return Promise.resolve();
      });
      expect(`call ${nth}: ${order}`).toBe(`call ${nth}: ${IN_ORDER}`);
      expect(calls).toBeGreaterThan(nth);
    }
  });
});
