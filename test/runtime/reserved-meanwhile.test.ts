import { expect, test } from 'vitest';
import { createReservations } from '../../runtime/act/reservations.ts';
import { createAddressRules } from '../../runtime/check/addresses.ts';
import { createChecks } from '../../runtime/check/checks.ts';
import { createHttpGet } from '../../runtime/check/http-get.ts';
import { createCaches } from '../../runtime/observe/caches.ts';
import { targetKey, type TargetKey } from '../../runtime/observe/target-key.ts';
import { createRolloutContexts } from '../../runtime/plan/rollout-contexts.ts';
import { createReconciler } from '../../runtime/reconcile/reconciler.ts';
import { createStates } from '../../runtime/reconcile/state.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { cloneSet, createTestCluster, templateOf } from './stage.ts';

const web = targetKey({ group: 'apps.kruise.io', kind: 'CloneSet' }, 'shop', 'web');
const log = targetKey({ group: 'apps.kruise.io', kind: 'SidecarSet' }, '', 'log');

/** The pods of three that a CloneSet drains while another target reserves one during its reconcile, but not this one. */
async function drained(unreserved?: string): Promise<string[]> {
  const stage = await createTestCluster(cloneSet('web', 'web:1'), { policy: 'Auto' });
  const { clock, world, user } = stage;
  await clock.advance(60_000);
  await stage.runtime.stop();
  const cluster = world.cluster('kruise');
  const enqueue = (): void => undefined;
  const caches = createCaches(cluster, clock, enqueue);
  caches.start();
  caches.need(log, [
    { of: 'SelectedPods', selector: { matchLabels: { app: 'web' } }, namespaces: undefined },
  ]);
  await clock.advance(1_000);
  const states = createStates({ cluster, caches, clock });
  const get = createHttpGet({ clock, addresses: createAddressRules([]) });
  const checks = createChecks<TargetKey>({ config: { checks: [] }, clock, get, onResult: enqueue });
  const reservations = createReservations(clock);
  const names: string[] = [];
  const reconcile = createReconciler(
    {
      options: {
        cluster,
        clock,
        policy: 'Auto',
        onReconcile({ actions }) {
          for (const action of actions)
            if (action.verb === 'drain' && action.do === 'patch') names.push(action.name);
        },
      },
      stateNamespace: 'kruise-system',
      cluster,
      clock,
      caches,
      states,
      notices: undefined,
      contexts: createRolloutContexts({ caches, states, checks, clock, maxRunning: 10, enqueue }),
      reservations,
      enqueue,
      busy() {},
      async yieldAfter() {
        const pods = (await user.list(resources.Pod, {})).items as Pod[];
        const pod = pods.find(({ metadata }) => metadata.name !== unreserved);
        if (unreserved === undefined || pod === undefined) return;
        const { name, uid = '', resourceVersion = '' } = pod.metadata;
        const body = { metadata: { uid, resourceVersion } };
        reservations.reserve(log, [{ do: 'patch', kind: 'Pod', verb: '', reason: '', name, body }]);
      },
    },
    { managedKinds: kinds, isOwnError: () => false },
  );
  const body = { spec: { template: templateOf('web', 'web:2') } };
  await user.patch(resources.CloneSet, { namespace: 'shop', name: 'web' }, { type: 'merge', body });
  for (let n = 0; n < 5; n++) {
    await clock.advance(1_000);
    reservations.forget(log);
    const running = reconcile(web);
    await clock.advance(1_000);
    await running;
  }
  caches.stop();
  await stage.stop();
  return names;
}

test('a pod that another target reserves during a reconcile uses up the budget of its decision', async () => {
  const [first] = await drained();
  expect(first).toBeDefined();
  expect(await drained(first)).toEqual([]);
});
