import { describe, expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { VirtualClock } from 'kruise-sandbox/clock';
import { MINUTE, shown } from './lead.ts';
import {
  cloneSet,
  createTestCluster,
  patchSpec,
  phaseOf,
  type TestCluster,
  startRuntime,
  templateOf,
} from './stage.ts';

const after = (name: string): Partial<RolloutPlanSpec> => ({ after: [{ kind: 'CloneSet', name }] });
const steps: Step[] = [
  { id: 'one', update: { to: 1 } },
  { id: 'soak', soak: { for: '10m' } },
  { id: 'all', update: { to: '100%' } },
];

/** `web` and `api`, two pods each, both settled. */
async function two(): Promise<TestCluster> {
  const stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 2 }));
  await stage.user.create(resources.CloneSet, cloneSet('api', 'api:1', { replicas: 2 }));
  await stage.clock.advance(MINUTE);
  return stage;
}

/** A new runtime, on a clock that fires a limited number of its timers: a loop without a pause ends. */
function counting(stage: TestCluster, most: number): { asked: number } {
  void stage.runtime.stop();
  const count = { asked: 0 };
  const clock: VirtualClock = {
    ...stage.clock,
    after(delayMs, run) {
      count.asked += 1;
      return count.asked > most ? () => undefined : stage.clock.after(delayMs, run);
    },
  };
  startRuntime(stage.world, clock, stage.errors);
  return count;
}

describe('targets that wait for each other', () => {
  const circles: [string, [string, string][], Record<string, string>][] = [
    [
      'each other',
      [
        ['web', 'api'],
        ['api', 'web'],
      ],
      {
        web: 'web comes after api comes after web: remove one of these',
        api: 'api comes after web comes after api: remove one of these',
      },
    ],
    ['itself', [['web', 'web']], { web: 'web comes after web: remove one of these' }],
  ];

  // Each reconcile of one enqueued the other at once: one core was busy forever, and the cycle was not reported.
  test.each(circles)('%s: they wait without a loop, and name the cycle', async (_, edges, said) => {
    const stage = await two();
    const count = counting(stage, 2_000);
    await stage.clock.advance(MINUTE);
    count.asked = 0;
    for (const [target, other] of edges) await stage.change(`${target}:2`, after(other), target);
    await stage.clock.advance(5 * MINUTE);
    expect(count.asked).toBeLessThan(500);
    for (const [target, message] of Object.entries(said))
      expect(await shown(stage, `cloneset-${target}`)).toMatchObject({ phase: 'Pending', message });
    await stage.stop();
  });

  // A completed plan still counted: web waited forever for an order that was fulfilled.
  test('one whose rollout has started does not wait any more', async () => {
    const stage = await two();
    await stage.change('api:2', after('web'), 'api');
    await stage.clock.advance(2 * MINUTE);
    expect(await phaseOf(stage, 'api')).toBe('Succeeded');
    await stage.change('web:2', after('api'), 'web');
    await stage.clock.advance(2 * MINUTE);
    expect(await phaseOf(stage)).toBe('Succeeded');
    await stage.stop();
  });

  test('one that waits starts as soon as the other is settled', async () => {
    const stage = await two();
    await stage.change('api:2', { steps }, 'api');
    await stage.change('web:2', after('api'), 'web');
    await stage.clock.advance(MINUTE);
    expect([await phaseOf(stage, 'api'), await phaseOf(stage)]).toEqual(['Soaking', 'Pending']);
    await stage.until('Succeeded', 20 * MINUTE);
    await stage.clock.advance(2_000);
    expect([await phaseOf(stage, 'api'), await phaseOf(stage)]).toEqual(['Succeeded', 'Running']);
    await stage.stop();
  });
});

describe('a plan that cannot continue gives its slot back', () => {
  /** `api` holds the only slot while its image is pulled, and `web` waits for it. */
  async function queued(): Promise<TestCluster> {
    const stage = await two();
    await stage.runtime.stop();
    const { clock, errors } = stage;
    const runtime = createRuntime({
      cluster: stage.world.cluster('kruise'),
      clock,
      policy: 'Required',
      maxRunning: 1,
      onError: (_key, error) => errors.push(error),
    });
    runtime.start();
    await clock.advance(1_000);
    stage.world.images.set('api:2', { pullMs: 9 * MINUTE });
    await stage.change('api:2', {}, 'api');
    await clock.advance(MINUTE);
    await stage.change('web:2', {}, 'web');
    await clock.advance(MINUTE);
    expect([await phaseOf(stage, 'api'), await phaseOf(stage)]).toEqual(['Running', 'Pending']);
    return { ...stage, runtime };
  }
  const api = { namespace: 'shop', name: 'api' };
  const plan = { namespace: 'shop', name: 'cloneset-api' };

  const ways: [string, (stage: TestCluster) => Promise<unknown>][] = [
    // With a finalizer, or a pod on a lost node, the slot was held as long as the target was being deleted.
    [
      'a target that is being deleted, and hangs',
      async ({ user }) => {
        const body = { metadata: { finalizers: ['example.com/hold'] } };
        await user.patch(resources.CloneSet, api, { type: 'merge', body });
        await user.delete(resources.CloneSet, api);
      },
    ],
    // A deleted plan object that nobody restored held the slot for days.
    ['a rollout whose plan object was deleted', ({ user }) => user.delete(resources.RolloutPlan, plan)],
    [
      'a target that is paused in git',
      ({ user }) =>
        user.patch(resources.CloneSet, api, {
          type: 'merge',
          body: { spec: { updateStrategy: { paused: true } } },
        }),
    ],
    // It had nothing left to move, and waited for an old pod for hours.
    [
      'a way back with every pod there',
      async (stage) => {
        stage.world.images.set('api:1', { neverReady: true });
        await patchSpec(stage, 'api', { template: templateOf('api', 'api:1') });
        await stage.clock.advance(MINUTE);
        expect(await phaseOf(stage, 'api')).toBe('Reverting');
      },
    ],
  ];
  test.each(ways)('%s', async (_, block) => {
    const stage = await queued();
    await block(stage);
    await stage.clock.advance(2 * MINUTE);
    expect(await phaseOf(stage)).toBe('Succeeded');
    await stage.stop();
  });
});
