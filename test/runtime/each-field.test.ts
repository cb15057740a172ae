import { expect, test } from 'vitest';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { createRuntime } from '../../runtime/runtime.ts';
import { ApiError, type Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { errorsOf } from '../compiler/world/field-mutants.ts';
import { isAll, isFull } from '../lanes.ts';

const EPOCH = Date.UTC(2026, 0, 1);

/** The resource of an object in the version that it is written in. */
function resourceOf(object: JsonObject): Resource {
  const [group = '', version = ''] = (object['apiVersion'] as string).split('/');
  const kind = kindOf({ group, kind: object['kind'] as string });
  if (kind === undefined) throw new Error(`no kind for ${object['kind'] as string}`);
  return { ...kind.resource, version };
}

/** Waits for a request that the server may refuse. */
async function tried(request: Promise<unknown>): Promise<void> {
  await request.catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
  });
}

/** The runtime meets a mutant as a new target, or a running one is changed to it. Throws what the runtime throws. */
async function play(object: JsonObject, origin: JsonObject, isChange: boolean): Promise<void> {
  const errors: unknown[] = [];
  const clock = createVirtualClock(EPOCH);
  const world = createWorld({ clock, namespaces: ['default', 'shop'] });
  const user = world.cluster('user');
  const runtime = createRuntime({
    cluster: world.cluster('kruise'),
    clock,
    policy: 'Auto',
    onError: (_key, error) => {
      // The rules know refusals of the server.
      if (!(error instanceof ApiError)) errors.push(error);
    },
  });
  const resource = resourceOf(object);
  try {
    runtime.start();
    if (isChange) {
      const { metadata } = await user.create(resource, origin as unknown as KubeObject);
      await clock.advance(30_000);
      const { name, namespace } = metadata;
      const at = { name, ...(namespace !== undefined && { namespace }) };
      const { spec = null } = object;
      await tried(user.patch(resource, at, { type: 'merge', body: { spec } }));
    } else await tried(user.create(resource, object as unknown as KubeObject));
    await clock.advance(60_000);
  } finally {
    await Promise.all([runtime.stop(), clock.settle()]);
    world.stop();
  }
  if (errors.length > 0) throw errors[0];
}

const [GROUPS, DRAWS] = isAll ? [50, 100] : isFull ? [1, 60] : [1, 12];

test.each(Array.from({ length: GROUPS }, (_, group) => group))(
  'no value of a field that the server accepts makes the runtime fail: group %d',
  async (group) => {
    const seed = Number(process.env['KRUISE_TEST_SEED'] ?? 0) + group;
    const errors = await errorsOf(seed, DRAWS, (object, origin, n) => play(object, origin, n % 2 === 0));
    expect(errors).toEqual([]);
  },
  600_000,
);
