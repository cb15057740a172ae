import { expect, test } from 'vitest';
import type { World } from 'kruise-sandbox';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { trueCondition } from '../../semantics/status/conditions.ts';
import { cloneSet, createTestCluster } from './stage.ts';

const spreadOf = (patch: JsonObject) => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'WorkloadSpread',
  metadata: { name: 'spread', namespace: 'shop' },
  spec: {
    targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' },
    subsets: [{ name: 'a', patch }],
  },
});

/** A CloneSet whose pods get this patch, after a while. */
async function spread(patch: JsonObject) {
  const prepare = (world: World): void =>
    void world.cluster('user').create(resources.WorkloadSpread, spreadOf(patch));
  const stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 2 }), { prepare });
  await stage.clock.advance(60_000);
  return stage;
}

test('a server that refuses a patched pod is quoted with the WorkloadSpread that has patched it', async () => {
  const mount = { name: 'none', mountPath: '/x' };
  const stage = await spread({ spec: { containers: [{ name: 'main', volumeMounts: [mount] }] } });
  expect(await stage.pods()).toEqual([]);
  const target = await stage.user.get(resources.CloneSet, { namespace: 'shop', name: 'web' });
  const { message } = trueCondition(target, 'FailedScale') ?? {};
  expect(message).toContain('volumeMounts[0].name: Not found: "none"');
  expect(message).toContain('(the pod was changed by WorkloadSpread spread)');
  expect(trueCondition(target, 'plan.kruise.io/Held')?.message).toContain('changed by WorkloadSpread spread');
  await stage.stop();
});
