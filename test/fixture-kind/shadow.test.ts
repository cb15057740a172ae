import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import type { Finding } from '../../runtime/shadow/compare.ts';
import { createShadow } from '../../runtime/shadow/shadow.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../schemas/generated/crds.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { lockResource } from './cards.ts';
import { rackDefinitions } from './definitions.ts';
import { aisleKind, rackKind } from './kind.ts';
import { SHOP, target } from './world.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('./registered.ts'));

let stop = (): void => {};
afterEach(() => stop());

/** The same, but that no Secret may be seen. */
function withoutLocks(cluster: Cluster): Cluster {
  const refusal = new ApiError({ code: 403, reason: 'Forbidden', message: 'secrets are forbidden' });
  return {
    ...cluster,
    list: async (resource, options) => {
      if (resource === lockResource) throw refusal;
      return cluster.list(resource, options);
    },
  };
}

/** A shadow beside another instance of these rules, which `db` at image db:1 has settled under. */
async function beside(kind: typeof rackKind, spec: JsonObject = {}, hides = (cluster: Cluster) => cluster) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({
    clock,
    namespaces: ['default', SHOP, 'kruise-system'],
    crds: [...crds, ...rackDefinitions],
  });
  const user = world.cluster('user');
  const rack = target(kind, 'db:1');
  await user.create(lockResource, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'gate', namespace: SHOP },
  });
  await user.create(kind.resource, { ...rack, spec: { ...(rack['spec'] as JsonObject), ...spec } });
  const manager = createRuntime({ cluster: world.cluster('manager'), clock, policy: 'Auto' });
  manager.start();
  await clock.advance(60_000);
  const findings: Finding[] = [];
  const forbidden: string[] = [];
  const shadow = createShadow({
    cluster: hides(world.cluster('shadow')),
    clock,
    policy: 'Auto',
    targets: [{ kind, resource: kind.resource }],
    onFinding: (_, finding) => findings.push(finding),
    onRefused: (key, fields) => forbidden.push(`${String(key)} ${fields.join(' ')}`),
    onForbidden: (plural) => forbidden.push(plural),
    onWatchLost: (_, error) => {
      throw error;
    },
  });
  shadow.start();
  await clock.advance(60_000);
  stop = () => {
    shadow.stop();
    void manager.stop();
    world.stop();
  };
  const { name, namespace } = rack.metadata;
  const at = { name, ...(namespace !== undefined && { namespace }) };
  return {
    clock,
    manager,
    user,
    findings,
    forbidden,
    shadow,
    slot: (index: number) => ({ namespace: SHOP, name: `db-${index}` }),
    async change(change: JsonObject) {
      await user.patch(kind.resource, at, { type: 'merge', body: { spec: change } });
      await clock.advance(600_000);
    },
    told: () => findings.filter(({ verdict }) => verdict !== 'same').map(({ text }) => text),
  };
}

const image = (name: string): JsonObject => ({
  template: { spec: { containers: [{ name: 'main', image: name }] } },
});

describe.each([rackKind, aisleKind])('a shadow of a $id.kind', (kind) => {
  test.each<[string, JsonObject, JsonObject, number]>([
    ['more slots', {}, { slots: 6 }, 2],
    ['fewer slots', {}, { slots: 2 }, 2],
    ['another template', {}, image('db:2'), 8],
    ['another template, with children', { cards: true }, image('db:2'), 8],
    ['another template, and an object it names that locks it', { lock: 'gate' }, image('db:2'), 0],
  ])('beside a controller that acts alike, %s: no difference', async (_, spec, change, moves) => {
    const scene = await beside(kind, spec);
    await scene.change(change);
    expect(scene.told()).toEqual([]);
    expect(scene.findings).toHaveLength(moves);
    expect(scene.shadow.counts()).toEqual({ targets: 1, refused: 0, forbidden: 0 });
  });

  test('beside a controller that does nothing: what it has not done', async () => {
    const scene = await beside(kind);
    await scene.manager.stop();
    await scene.user.delete(resources.Pod, scene.slot(2));
    await scene.clock.advance(600_000);
    expect(scene.told()).toEqual([
      `db-2 was deleted, by the ${kind.id.kind} controller or by another user; expected: no deletion`,
      `The ${kind.id.kind} controller has not done: fill slot; it is due because its slot is empty`,
      'status.replicas is 4; expected: 3',
      'status.readyReplicas is 4; expected: 3',
      'status.availableReplicas is 4; expected: 3',
      'status.updatedReplicas is 4; expected: 3',
      'status.updatedReadyReplicas is 4; expected: 3',
    ]);
  });

  test('beside a controller that empties another slot first', async () => {
    const scene = await beside(kind);
    await scene.manager.stop();
    await scene.change(image('db:2'));
    await scene.user.delete(resources.Pod, scene.slot(3));
    await scene.clock.advance(60_000);
    expect(scene.told()).toContain(
      `The ${kind.id.kind} controller chose another pod: delete db-3; expected: delete db-0`,
    );
  });

  test('is not compared where what it names may not be seen', async () => {
    const scene = await beside(kind, { lock: 'gate' }, withoutLocks);
    await scene.manager.stop();
    await scene.change(image('db:2'));
    expect([scene.told(), scene.forbidden]).toEqual([[], ['secrets']]);
    expect(scene.shadow.counts()).toEqual({ targets: 1, refused: 0, forbidden: 1 });
  });
});
