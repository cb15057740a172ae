import { expect, test } from 'vitest';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { validateRolloutPlan } from '../../schemas/generated/validate/rolloutplan.js';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { planDigest } from '../../semantics/plan/digest.ts';
import { planOf } from '../runtime/stage.ts';
import { cpuMs } from '../cpu-time.ts';

const EVIL = 'evil';
const ours = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' };

const command = (target: JsonObject): KubeObject => ({
  apiVersion: 'plan.kruise.io/v1alpha1',
  kind: 'RolloutCommand',
  metadata: { name: 'c', namespace: EVIL },
  spec: { target, action: 'Pause' },
});

function plan(spec: JsonObject): KubeObject {
  const object = planOf('web', 'web:1', 'web:2');
  return {
    ...object,
    metadata: { name: 'p', namespace: EVIL },
    spec: { ...(object['spec'] as JsonObject), ...spec },
  };
}

/** What the server answers to an object: the fields that it refuses. */
async function sent(object: KubeObject): Promise<string[]> {
  const world = createWorld({ clock: createVirtualClock(0), namespaces: [EVIL] });
  const resource = object.kind === 'RolloutPlan' ? resources.RolloutPlan : resources.RolloutCommand;
  try {
    await world.cluster('mallory').create(resource, object);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return (error.status.details?.causes ?? []).map(({ field }) => field ?? '');
  } finally {
    world.stop();
  }
}

test.each([
  ['a kind with a namespace and a name', 'kind', 'CloneSet/victim/api'],
  ['a kind in small letters', 'kind', 'cloneset'],
  ['a kind that is empty', 'kind', ''],
  ['a kind of 64 letters', 'kind', 'C'.repeat(64)],
  ['a name with a slash', 'name', 'victim/api'],
  ['a name that leads upwards', 'name', '../api'],
  ['a name in capital letters', 'name', 'API'],
  ['a name that ends with a line', 'name', 'web\n'],
  ['a name of 254 letters', 'name', 'a'.repeat(254)],
  ['a group without a version', 'apiVersion', 'apps.kruise.io'],
  ['a version without a group', 'apiVersion', 'v1'],
  ['a group with a slash', 'apiVersion', 'apps.kruise.io/v1beta1/CloneSet'],
])('security 1: the definitions refuse a target with %s', async (_, field, value) => {
  const target = { ...ours, [field]: value };
  expect(await sent(command(target))).toContain(`spec.target.${field}`);
  expect(await sent(plan({ target }))).toContain(`spec.target.${field}`);
  expect(await sent(plan({ after: [ours, target] }))).toContain(`spec.after[1].${field}`);
  // Whoever has no definitions in between, as the compiler and the runtime, knows the same patterns.
  const problems = validateRolloutPlan(plan({ target }));
  expect(problems.map(({ path }) => path.join('.'))).toContain(`spec.target.${field}`);
});

test.each([
  ['without a group', { kind: 'CloneSet', name: 'web' }],
  ['with one', ours],
  ['with the longest name', { ...ours, name: `${'a.'.repeat(126)}b` }],
  ['with dots and dashes', { ...ours, name: 'web-1--2.shop.example' }],
  ['of a kind that is not known yet', { ...ours, kind: 'BroadcastJob2' }],
])('security 1: a target %s is accepted as before', async (_, target) => {
  expect(await sent(command(target))).toEqual([]);
  expect(await sent(plan({ target: { ...ours, ...target }, after: [target] }))).toEqual([]);
});

test('security 1: a plan that names groups under `after` has another digest, one that does not keeps its own', () => {
  const named = planOf('web', 'web:1', 'web:2', { after: [{ kind: 'CloneSet', name: 'db' }] });
  const { digest, ...spec } = named['spec'] as RolloutPlanSpec;
  expect(digest).toBe('h1:cc0fd03f29dd5ef7d9735d1dfc589214');
  expect(planDigest({ ...spec, after: [{ ...ours, name: 'db' }] })).not.toBe(digest);
});

test('security 1: the patterns match any input quickly', () => {
  const ms = cpuMs(() => {
    for (const name of [
      'a'.repeat(100_000),
      'a-'.repeat(50_000),
      'a.'.repeat(50_000),
      `${'a-b.'.repeat(25_000)}!`,
    ])
      expect(
        validateRolloutPlan(plan({ target: { ...ours, name, kind: name, apiVersion: name } })),
      ).not.toEqual([]);
  });
  expect(ms).toBeLessThan(2_000);
});
