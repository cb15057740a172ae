import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { cloneSetKind } from '../../semantics/cloneset/kind.ts';
import { createMeters } from '../../runtime/report/meters.ts';
import type { SnapshotReport } from '../../runtime/report/snapshot.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { resources } from '../../schemas/wire/resources.ts';
import {
  cloneSet,
  createTestCluster,
  patchSpec,
  planOf,
  phaseOf,
  type TestCluster,
  startRuntime,
} from '../runtime/stage.ts';

const MINUTE = 60_000;
const SHOP = { namespace: 'shop' };
const { observe } = cloneSetKind;

let stage: TestCluster;
let broken: string | undefined;

/** A rule that fails on one target, as a mistake of this program would. */
beforeEach(async () => {
  broken = undefined;
  vi.spyOn(cloneSetKind, 'observe').mockImplementation((input) => {
    if (input.target.metadata.name === broken) throw new TypeError('rows.flatMap is not a function');
    return observe(input);
  });
  stage = await createTestCluster(cloneSet('web', 'web:1'));
  await stage.user.create(resources.CloneSet, cloneSet('api', 'api:1'));
  await stage.clock.advance(MINUTE);
  stage.errors.length = 0;
});
afterEach(async () => {
  await stage.stop();
  vi.restoreAllMocks();
});

async function held(name: string): Promise<string> {
  const { conditions = [] } = ((await stage.target(name))['status'] ?? {}) as {
    conditions?: { type: string; reason: string; message: string }[];
  };
  const found = conditions.find(({ type }) => type === 'plan.kruise.io/Held');
  return found === undefined ? '' : `${found.reason}: ${found.message}`;
}

async function heldEvents(): Promise<string[]> {
  const { items } = await stage.user.list(resources.Event, SHOP);
  return items.filter((event) => event['reason'] === 'Held').map((event) => String(event['message']));
}

const names = async (target: string): Promise<string[]> =>
  (await stage.pods(target)).map(({ metadata }) => metadata.name).sort();

async function deletePod(target: string): Promise<void> {
  const [name = ''] = await names(target);
  await stage.user.delete(resources.Pod, { ...SHOP, name });
}

describe('security 12: an error of this program in the reconcile of one target', () => {
  test('is reported on the target, which is held and retried; others are not affected', async () => {
    broken = 'web';
    await deletePod('web');
    await deletePod('api');
    await stage.clock.advance(10 * MINUTE);
    expect(await held('web')).toMatch(/^InternalError: .*rows\.flatMap is not a function/);
    expect(await heldEvents()).toEqual([expect.stringMatching(/^InternalError: /)]);
    expect(await stage.pods('web')).toHaveLength(2);
    expect(await held('api')).toBe('');
    expect(await stage.pods('api')).toHaveLength(3);
    // Every attempt is reported, and there is half a minute between two of them.
    expect(stage.errors.length).toBeGreaterThan(15);
    expect(stage.errors.length).toBeLessThan(40);
    broken = undefined;
    await stage.clock.advance(MINUTE);
    expect(await held('web')).toBe('');
    expect(await stage.pods('web')).toHaveLength(3);
  });

  test('a target that waits for it names it', async () => {
    await patchSpec(stage, 'web', { minReadySeconds: 1 });
    broken = 'web';
    await patchSpec(stage, 'web', { minReadySeconds: 0 });
    await stage.change('api:2', { after: [{ kind: 'CloneSet', name: 'web' }] }, 'api');
    await stage.clock.advance(MINUTE);
    expect(await held('api')).toMatch(/^Predecessor: comes after CloneSet web, .*cannot be read/);
    broken = undefined;
    await stage.clock.advance(2 * MINUTE);
    expect(await phaseOf(stage, 'api')).toBe('Succeeded');
  });

  test('is counted as held, by its reason', async () => {
    const observations: SnapshotReport[] = [];
    const meters = createMeters({ clock: stage.clock, version: 'test' });
    await stage.runtime.stop();
    const runtime = createRuntime({
      cluster: stage.world.cluster('kruise'),
      clock: stage.clock,
      policy: 'Required',
      ...meters.hooks(),
      onSnapshot(report) {
        observations.push(report);
        meters.hooks().onSnapshot(report);
      },
    });
    broken = 'web';
    runtime.start();
    await stage.clock.advance(MINUTE);
    expect(observations.some(({ held: shown }) => shown?.reason === 'InternalError')).toBe(true);
    expect(meters.render(runtime)).toContain(
      'kruise_held_targets{group="apps.kruise.io",kind="CloneSet",reason="InternalError"} 1',
    );
    void runtime.stop();
  });

  test('a refusal of the server is not an internal error', async () => {
    await stage.user.create(resources.RolloutPlan, planOf('web', 'web:1', 'web:2'));
    await stage.clock.advance(MINUTE);
    expect(await held('web')).not.toMatch(/InternalError/);
  });

  test('it holds no slot', async () => {
    await stage.runtime.stop();
    const runtime = startRuntime(stage.world, stage.clock, stage.errors, { maxRunning: 1 });
    stage.world.images.set('api:2', { pullMs: 9 * MINUTE });
    await stage.change('api:2', {}, 'api');
    await stage.clock.advance(10_000);
    await stage.change('web:2');
    await stage.clock.advance(20_000);
    expect([await phaseOf(stage), await phaseOf(stage, 'api')]).toEqual(['Pending', 'Running']);
    broken = 'api';
    await stage.clock.advance(2 * MINUTE);
    expect(await phaseOf(stage)).toBe('Succeeded');
    void runtime.stop();
  });
});
