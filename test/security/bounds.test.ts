import { describe, expect, test } from 'vitest';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { crds } from '../../schemas/generated/crds.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';
import { createScheduler } from '../../runtime/observe/scheduler.ts';
import { beyondBounds, SPEC_BOUNDS } from '../../semantics/template/bounds.ts';
import { cloneSet, createTestCluster, patchSpec, templateOf, type TestCluster } from '../runtime/stage.ts';

function objectWith(value: unknown): KubeObject {
  return { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' }, spec: { template: { value } } };
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let n = 0; n < levels; n += 1) value = { a: value };
  return value;
}

interface Held {
  reason: string;
  message: string;
}

async function heldOf(stage: TestCluster, name = 'web'): Promise<Held | undefined> {
  const { conditions = [] } = ((await stage.target(name))['status'] ?? {}) as {
    conditions?: (Held & { type: string; status: string })[];
  };
  const held = conditions.find(({ type, status }) => type === 'plan.kruise.io/Held' && status === 'True');
  return held && { reason: held.reason, message: held.message };
}

const { text, items, depth, values, characters } = SPEC_BOUNDS;

describe('security: a spec is bounded before any rule reads it', () => {
  test.each<[what: string, value: unknown, rule: string]>([
    ['a text', 'x'.repeat(text + 1), `must have at most ${text} characters, and has ${text + 1}`],
    ['a list', Array(items + 1).fill(1), `must have at most ${items} entries, and has ${items + 1}`],
    [
      'a map',
      Object.fromEntries(Array.from({ length: items + 1 }, (_, n) => [n, n])),
      `must have at most ${items} entries, and has ${items + 1}`,
    ],
    ['depth', nested(70), `must be nested at most ${depth} levels deep`],
    ['many values', Array(100).fill(Array(1_000).fill(1)), `must have at most ${values} values`],
    [
      'many characters',
      Array(10).fill('x'.repeat(160_000)),
      `must have at most ${characters} characters in all`,
    ],
    ['long keys', { ['k'.repeat(characters)]: 1 }, `must have at most ${characters} characters in all`],
  ])('%s', (_, value, rule) => {
    expect(beyondBounds(objectWith(value))?.rule).toBe(rule);
  });

  test('more pods than a cluster has', () => {
    const asking = (replicas: number): KubeObject => ({ ...objectWith(1), spec: { replicas } });
    expect(beyondBounds(asking(150_000))).toBeUndefined();
    expect(beyondBounds(asking(150_001))).toEqual({
      path: ['spec', 'replicas'],
      rule: 'must be at most 150000, and is 150001',
    });
  });

  test('what is within the bounds', () => {
    const value = [Array(items).fill(1), 'x'.repeat(text), nested(50)];
    expect(beyondBounds(objectWith(value))).toBeUndefined();
  });

  test('such a target is held as InvalidTarget, and no other', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    const large = cloneSet('api', 'api:1');
    const template = templateOf('api', 'api:1') as { spec: { containers: Record<string, unknown>[] } };
    Object.assign(template.spec.containers[0] ?? {}, { args: ['x'.repeat(text + 1)] });
    const body = { ...large, spec: { ...(large['spec'] as object), template } } as KubeObject;
    await stage.user.create(resources.CloneSet, body);
    await stage.clock.advance(60_000);
    expect(await heldOf(stage, 'api')).toEqual({
      reason: 'InvalidTarget',
      message: `spec.template.spec.containers.0.args.0 must have at most ${text} characters, and has ${text + 1}. No pod is changed until git corrects that`,
    });
    expect(await stage.pods('api')).toHaveLength(0);
    await stage.change('web:2');
    await stage.until('Succeeded');
    await stage.stop();
  });
});

/** A cluster that refuses statuses of one target, while it is told to. */
function refusing(name: string) {
  const refusal = { is: false };
  const wrap = (cluster: Cluster): Cluster => ({
    ...cluster,
    patch(resource, at, patch, options) {
      const conditions = JSON.stringify(patch.body).includes('StatusRefused');
      if (!refusal.is || at.name !== name || options?.subresource !== 'status' || conditions)
        return cluster.patch(resource, at, patch, options);
      throw new ApiError({ code: 422, reason: 'Invalid', message: 'status.labelSelector: Too long' });
    },
  });
  return { refusal, wrap };
}

test('a target whose status the server refuses is held, alone, until it accepts one', async () => {
  const { refusal, wrap } = refusing('web');
  const stage = await createTestCluster(cloneSet('web', 'web:1'), { wrap });
  await stage.user.create(resources.CloneSet, cloneSet('api', 'api:1'));
  await stage.clock.advance(60_000);
  refusal.is = true;
  await stage.change('web:2');
  await stage.clock.advance(60_000);
  const moved = (await stage.images())['web:2'] ?? 0;
  await stage.clock.advance(60_000);
  expect(await heldOf(stage)).toEqual({
    reason: 'StatusRefused',
    message:
      'its status cannot be written: status.labelSelector: Too long. Change what refuses it, or the field of the status that it names. No pod is changed until then; it is retried',
  });
  // What was decided before the first refusal, and nothing after it.
  expect((await stage.images())['web:2'] ?? 0).toBe(moved);
  await stage.change('api:2', {}, 'api');
  await stage.clock.advance(240_000);
  expect(await stage.images('api')).toEqual({ 'api:2': 3 });
  refusal.is = false;
  await stage.clock.advance(300_000);
  expect([await heldOf(stage), await stage.images()]).toEqual([undefined, { 'web:2': 3 }]);
  await stage.stop();
});

/** The definitions as they were before values had limits. */
function withoutLimits(definitions: readonly KubeObject[]): KubeObject[] {
  const written = JSON.stringify(definitions, (key, value: unknown) =>
    ['maxLength', 'maxItems', 'maxProperties'].includes(key) ? undefined : value,
  );
  return JSON.parse(written) as KubeObject[];
}

test('a target with more than the definitions take, stored before they had limits, is read and rolled out', async () => {
  const stored = cloneSet('web', 'web:1', { scaleStrategy: { podsToDelete: ['x'.repeat(40_000)] } });
  const definitions = {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    namespaced: false,
  };
  const stage = await createTestCluster(stored, { world: { crds: withoutLimits(crds) } });
  for (const definition of crds) {
    const { name } = definition.metadata;
    const { resourceVersion = '' } = (await stage.user.get(definitions, { name })).metadata;
    await stage.user.replace(definitions, { ...definition, metadata: { name, resourceVersion } });
  }
  await expect(
    patchSpec(stage, 'web', { scaleStrategy: { podsToDelete: ['y'.repeat(40_000)] } }),
  ).rejects.toThrow('spec.scaleStrategy.podsToDelete[0]: Too long');
  await stage.change('web:2');
  await stage.until('Succeeded');
  expect([await heldOf(stage), await stage.images()]).toEqual([undefined, { 'web:2': 3 }]);
  await stage.stop();
});

test('a target that keeps the thread for a second gets a twentieth of the time, and fifty others run meanwhile', async () => {
  const clock = createVirtualClock(0);
  const begun = new Map<string, number[]>();
  const busy: number[] = [];
  const scheduler = createScheduler(
    clock,
    async (key: string) => {
      begun.set(key, [...(begun.get(key) ?? []), clock.now()]);
      scheduler.busy(key, key === 'slow' ? 1_000 : 10);
      scheduler.enqueue(key, 1_000);
      return true;
    },
    () => {},
    { onStart: () => {}, onEnd: () => {}, onBusy: (ms) => void busy.push(ms) },
  );
  const quick = Array.from({ length: 50 }, (_, n) => `quick-${n}`);
  for (const key of ['slow', ...quick]) scheduler.enqueue(key);
  await clock.advance(40_500);
  expect(begun.get('slow')).toEqual([0, 20_000, 40_000]);
  expect(Math.min(...quick.map((key) => begun.get(key)?.length ?? 0))).toBeGreaterThan(35);
  expect(busy.filter((ms) => ms === 1_000)).toHaveLength(3);
});
