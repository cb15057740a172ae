import { afterEach, expect, test, vi } from 'vitest';
import { createVirtualClock } from 'kruise-sandbox';
import { createRuntime, type Runtime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import { ApiError, type Cluster, type Resource } from '../../schemas/wire/cluster.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { rackDefinitions } from '../fixture-kind/definitions.ts';
import { injectingWorld } from '../fixtures/injecting-world.ts';
import type { Refused } from './expected.ts';
import { everyKind } from './matrix.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

let end: (() => Promise<void>) | undefined;
afterEach(async () => {
  await end?.();
  end = undefined;
});

const MINUTE = 60_000;

/** The cluster of a runtime whose writes of one resource are refused, once it is switched on. */
function refusing(cluster: Cluster, { of }: Refused, isOn: () => boolean): Cluster {
  const refuse = (verb: string, resource: Resource): void => {
    if (isOn() && of.verb === verb && of.plural === resource.plural)
      throw new ApiError({ code: 403, reason: 'Forbidden', message: 'the server says no.' });
  };
  return {
    ...cluster,
    create: async (resource, ...rest) => {
      refuse('create', resource);
      return cluster.create(resource, ...rest);
    },
    patch: async (resource, ...rest) => {
      refuse('patch', resource);
      return cluster.patch(resource, ...rest);
    },
  };
}

const resourceOf = (plural: string): Resource => {
  const found = [...kinds.map(({ resource }) => resource), resources.Pod].find(
    (each) => each.plural === plural,
  );
  if (found === undefined) throw new Error(`there is no resource ${plural}`);
  return found;
};

/** The conditions that an object shows as they are, with the times since when. */
function conditionsOf(object: KubeObject): string[] {
  const { conditions = [] } = (object['status'] ?? {}) as { conditions?: Condition[] };
  return conditions
    .filter(({ status }) => status !== 'False')
    .map(({ type, reason, message, lastTransitionTime }) =>
      [type, reason, message, lastTransitionTime].join(' '),
    );
}

const cases = everyKind.flatMap(([name, { refused }]) =>
  Object.entries(refused).map(([what, each]) => [name, what, each] as const),
);

test.each(cases)('%s: the refusal of %s is reported on after a restart', async (name, _what, refused) => {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = injectingWorld(clock, { namespaces: ['ops'], crds: [...crds, ...rackDefinitions] });
  const user = world.cluster('user');
  const errors: unknown[] = [];
  let isOn = refused.change === undefined;
  const start = (): Runtime => {
    const cluster = refusing(world.cluster('kruise'), refused, () => isOn);
    const runtime = createRuntime({
      cluster,
      clock,
      policy: 'Auto',
      onError: (_key, error) => errors.push(error),
    });
    runtime.start();
    return runtime;
  };
  let runtime = start();
  end = async () => {
    void runtime.stop();
    world.stop();
    await clock.settle();
  };
  await clock.settle();
  const kind = kinds.find(({ id }) => id.kind === name);
  const { object: first } = refused.objects.find(({ object }) => object.kind === name) ?? {};
  if (kind === undefined || first === undefined) throw new Error(`there is no ${name}`);
  for (const { plural, object } of refused.objects) {
    await user.create(resourceOf(plural), object);
    await clock.advance(MINUTE);
  }
  const { namespace } = first.metadata;
  const at = { name: first.metadata.name, ...(namespace !== undefined && { namespace }) };
  if (refused.change !== undefined) {
    isOn = true;
    await user.patch(kind.resource, at, { type: 'merge', body: { spec: refused.change } });
  }
  await clock.advance(3 * MINUTE);
  const before = conditionsOf(await user.get(kind.resource, at));
  expect(before.map((text) => text.split(' ')[0])).toEqual(refused.conditions);
  expect(before.join()).toContain('the server says no');
  const shown: string[] = [];
  world.onCommit(({ resource, object }) => {
    if (resource === kind.resource.plural) shown.push(conditionsOf(object).join());
  });
  await runtime.stop();
  await clock.advance(5_000);
  runtime = start();
  await clock.advance(3 * MINUTE);
  // Neither that it is refused, nor since when, has changed for a moment.
  expect(shown.filter((each) => each !== before.join())).toEqual([]);
  expect(conditionsOf(await user.get(kind.resource, at))).toEqual(before);
});
