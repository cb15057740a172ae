import { describe, expect, test } from 'vitest';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { HOUR, MINUTE, requests, shown } from './lead.ts';
import { cloneSet, createTestCluster, type TestCluster } from './stage.ts';

/** A stage whose pod writes of one kind are refused while `refuse.is`. */
async function refusing(verb: 'create' | 'patch', podUpdatePolicy: string) {
  const refuse = { is: false };
  const check = (asked: string, plural: string): void => {
    if (refuse.is && asked === verb && plural === 'pods')
      throw new ApiError({ code: 403, reason: 'Forbidden', message: `pods: ${verb} is refused here` });
  };
  let asked = 0;
  const stage = await createTestCluster(cloneSet('web', 'web:1', {}, { podUpdatePolicy }), {
    wrap: (cluster) => ({
      ...cluster,
      async create(resource, body, options) {
        if (resource.plural === 'pods') asked += 1;
        check('create', resource.plural);
        return cluster.create(resource, body, options);
      },
      async patch(resource, at, patch, options) {
        if (resource.plural === 'pods') asked += 1;
        check('patch', resource.plural);
        return cluster.patch(resource, at, patch, options);
      },
    }),
  });
  return { stage, refuse, asked: () => asked };
}

async function targetStatus(stage: TestCluster) {
  const target = await stage.target();
  const status = target['status'] as Record<string, unknown>;
  return {
    seen: status['observedGeneration'] === target.metadata.generation,
    replicas: status['replicas'],
    updated: status['updatedReplicas'],
    moved: status['currentRevision'] !== status['updateRevision'],
  };
}

// The pass ended at the refusal: statuses stayed as they were before, and a failing pass reset the step's clock each time.
describe.each([
  ['a quota that refuses every new pod', 'create', 'ReCreate', 2],
  ['an admission that refuses every patch of a pod', 'patch', 'InPlaceIfPossible', 3],
] as const)('%s, for hours', (_, verb, policy, left) => {
  test('statuses are current, the deadline fails the step, and the API is not flooded', async () => {
    const { stage, refuse, asked } = await refusing(verb, policy);
    refuse.is = true;
    await stage.change('web:2');
    await stage.clock.advance(MINUTE);
    expect(await targetStatus(stage)).toEqual({ seen: true, replicas: left, updated: 0, moved: true });
    expect(await shown(stage)).toMatchObject({ phase: 'Running', step: 'all' });
    await stage.clock.advance(8 * MINUTE);
    expect((await shown(stage)).phase).toBe('Running');
    await stage.until('Halted', 3 * MINUTE);
    expect((await shown(stage)).message).toContain('no pod became available for 10m');
    const at = asked();
    await stage.clock.advance(4 * HOUR);
    expect(await targetStatus(stage)).toEqual({ seen: true, replicas: left, updated: 0, moved: true });
    expect(asked() - at).toBeLessThan(600);
    expect(requests(stage)).toBeLessThan(5_000);
    expect(stage.errors.length).toBeGreaterThan(0);
    const { items } = await stage.user.list(resources.Event, { namespace: 'shop' });
    expect(items.map((event) => event['message'])).toContainEqual(expect.stringContaining('is refused here'));
    await stage.stop();
  });

  test('if the refusal ends before the deadline, the rollout continues', async () => {
    const { stage, refuse } = await refusing(verb, policy);
    refuse.is = true;
    await stage.change('web:2');
    await stage.clock.advance(5 * MINUTE);
    refuse.is = false;
    await stage.until('Succeeded', 5 * MINUTE);
    expect(await stage.images()).toEqual({ 'web:2': 3 });
    await stage.stop();
  });
});
