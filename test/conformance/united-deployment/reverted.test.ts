import { intercepting, isWrite } from 'kruise-sandbox';
import { describe, expect, test } from 'vitest';
import { createRuntime } from '../../../runtime/runtime.ts';
import type { Resource } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { childKindOf } from '../../../semantics/uniteddeployment/child-kinds.ts';
import { FIELDS, type TemplateField } from '../../../semantics/uniteddeployment/resource.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { sampled } from '../../lanes.ts';
import { isConflict } from '../compare.ts';
import { AT, createUnitedWorld, planFor, SHOP, united, type Web, zones } from '../../runtime/united-world.ts';

const MINUTE = 60_000;
const quotas: Resource = {
  ...{ group: '', version: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas' },
  namespaced: true,
};

/** Three pods in two zones, and no room for an extra one. */
const web = (field: TemplateField, image: string): Web => ({
  ...{ image, field, subsets: [...zones('a', { replicas: 1 }), ...zones('b')] },
  spec: { replicas: 3 },
});

/**
 * A rollout of one zone, and git is reverted right after a write of the runtime, the k-th one of the rollout. Later there is room for more
 * pods.
 *
 * @returns how many writes there were before, and what is there at the end
 */
async function revertedAfter(field: TemplateField, k: number) {
  const [old, next] = [web(field, 'web:1'), web(field, 'web:2')];
  let writes: number | undefined;
  let reverted: Promise<unknown> | undefined;
  const revert = (): Promise<KubeObject> =>
    world.user.patch(
      resources.UnitedDeployment,
      AT,
      { type: 'apply', body: united(old) as never, force: true },
      { fieldManager: 'user' },
    );
  const world = await createUnitedWorld({
    workloads: true,
    start: (options) =>
      createRuntime({
        ...options,
        cluster: intercepting(options.cluster, {
          async request(call, send) {
            const answer = await send();
            if (isWrite(call) && writes !== undefined && ++writes === k) reverted = revert();
            return answer;
          },
          watch: (_call, open, sink) => open(sink),
        }),
      }),
  });
  const { user, clock } = world;
  await user.create(quotas, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace: SHOP, name: 'few' },
    spec: { hard: { pods: 3 } },
  });
  await world.apply(united(old));
  writes = 0;
  await world.apply(
    planFor(old, next, [
      { id: 'zone-b', update: { to: '100%', subsets: ['b'] } },
      { id: 'gate', approve: {} },
      { id: 'rest', update: { to: '100%' } },
    ]),
    united(next),
  );
  await clock.advance(10 * MINUTE);
  const made = writes;
  await reverted;
  await clock.advance(20 * MINUTE);
  world.most();
  await user.delete(quotas, { namespace: SHOP, name: 'few' });
  await clock.advance(20 * MINUTE);
  const { items } = await user.list(childKindOf(field).resource, { namespace: SHOP });
  const ending = {
    pods: await world.pods(),
    most: world.most(),
    templates: items.map(({ spec }) => JSON.stringify(objectOf(spec)['template']).includes('web:1')),
    held: await world.held(),
    phase: (await world.plan())['phase'],
    // The server counts what was deleted only after a while, and refuses pods until then.
    errors: world.errors.filter((error) => !isConflict(error) && !String(error).includes('exceeded quota')),
  };
  await world.stop();
  return { made, ending };
}

/** Of the writes of a rollout, after how many git is reverted: in the usual lane, and in the full one. */
const [FEW, MANY] = [1, 6] as const;

describe('a rollout that is reverted after a write, where no extra pod fits', () => {
  test.each(FIELDS)('ends where it was: %s', { timeout: 600_000 }, async (field) => {
    const { made } = await revertedAfter(field, Infinity);
    expect(made).toBeGreaterThan(5);
    const each = Array.from({ length: made }, (_, index) => index + 1);
    for (const k of sampled(`reverted: ${field}`, each, FEW, MANY)) {
      const { ending } = await revertedAfter(field, k);
      expect([k, ending]).toEqual([
        k,
        {
          pods: { a: { 'web:1': 1 }, b: { 'web:1': 2 } },
          most: { 'web:1': expect.any(Number) },
          templates: [true, true],
          held: '',
          // A plan that was not begun yet stays Pending.
          phase: expect.stringMatching(/^(?:Pending|Reverted)$/) as string,
          errors: [],
        },
      ]);
    }
  });
});
