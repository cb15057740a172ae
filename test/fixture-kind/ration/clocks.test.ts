import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { planOf } from '../../runtime/stage.ts';
import { rationResource } from './spec.ts';
import { createRationCluster, MINUTE, ration, type RationCluster, SHOP, web } from './world.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));

const AT = { namespace: SHOP, name: 'web' };

let scene: RationCluster | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

/** Its pods are never ready. */
const BROKEN = 'web:3';

const hashOf = (image: string): string =>
  templateHash((web('web', image)['spec'] as { template: JsonObject }).template);

/** A cluster in which the CloneSet `web` goes to another image by a plan of one step. */
async function underWay(maxUnavailable: number, image: string, step: Partial<Step>): Promise<RationCluster> {
  scene = await createRationCluster([web(), ration({ maxUnavailable })]);
  scene.world.images.set(BROKEN, { neverReady: true });
  await scene.user.create(
    resources.RolloutPlan,
    planOf('web', '', '', {
      to: { hash: hashOf(image), bound: {} },
      from: [{ hash: hashOf('web:1'), mode: 'Recreate' }],
      steps: [{ id: 'all', update: { to: '100%' }, ...step }],
    }),
  );
  await scene.update(image);
  return scene;
}

async function planStatus({ user }: RationCluster): Promise<Record<string, unknown>> {
  const plan = await user.get(resources.RolloutPlan, { namespace: SHOP, name: 'cloneset-web' });
  return (plan['status'] ?? {}) as Record<string, unknown>;
}

describe.each<[string, Partial<Step>]>([
  ['the timeout of a step', { timeout: '5m' }],
  ['the deadline without progress', {}],
])('%s', (_, step) => {
  test('stands while all pods wait for a ration, whose name the plan shows', async () => {
    const cluster = await underWay(0, 'web:2', step);
    const { user, clock, images, held } = cluster;
    await clock.advance(45 * MINUTE);
    const status = await planStatus(cluster);
    expect(status).toMatchObject({
      phase: 'Running',
      waitingOn: 'Pods',
      message: expect.stringContaining('(Ration shop/web allows 0 unavailable pods)') as string,
    });
    expect(status['deadline']).toBeUndefined();
    expect(await held()).toContain('DisruptionNotAllowed');
    await user.patch(rationResource, AT, { type: 'merge', body: { spec: { maxUnavailable: 1 } } });
    await clock.advance(20 * MINUTE);
    expect([(await planStatus(cluster))['phase'], await images()]).toEqual(['Succeeded', { 'web:2': 6 }]);
  });

  test('runs while a pod of the change itself uses up the ration', async () => {
    const cluster = await underWay(1, BROKEN, step);
    await cluster.clock.advance(45 * MINUTE);
    expect(await planStatus(cluster)).toMatchObject({
      phase: 'Halted',
      conditions: [
        { type: 'Ready', reason: 'Timeout' },
        { type: 'Stalled', reason: 'Timeout' },
      ],
    });
    expect(await cluster.images()).toEqual({ 'web:1': 5, [BROKEN]: 1 });
  });
});
