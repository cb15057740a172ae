import { afterEach, expect, test, vi } from 'vitest';
import { createVirtualClock } from 'kruise-sandbox';
import { inNamespace } from '../../runtime/observe/one-namespace.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { trueCondition } from '../../semantics/status/conditions.ts';
import { rackDefinitions } from '../fixture-kind/definitions.ts';
import { injectingWorld } from '../fixtures/injecting-world.ts';
import { everyKind } from './matrix.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

let end: (() => Promise<void>) | undefined;
afterEach(async () => {
  await end?.();
  end = undefined;
});

const MINUTE = 60_000;
const HELD = 'plan.kruise.io/Held';

/** The cluster, which notes the creates that the server refuses, and each reason to be held that is written. */
function noting(cluster: Cluster, refused: string[], held: Set<string>): Cluster {
  return {
    ...cluster,
    async create(resource, body, options) {
      try {
        return await cluster.create(resource, body, options);
      } catch (error) {
        refused.push(`${resource.kind} ${body.metadata.name}: ${String(error)}`);
        throw error;
      }
    },
    async patch(resource, at, patch, options) {
      const written = await cluster.patch(resource, at, patch, options);
      const reason = trueCondition(written, HELD)?.reason;
      if (reason !== undefined) held.add(reason);
      return written;
    },
  };
}

const namespaced = everyKind.filter(([name]) =>
  kinds.some(({ id, resource }) => id.kind === name && resource.namespaced),
);

const scopes: readonly [scope: string, most: number][] = [
  ['all namespaces', 0],
  ['one namespace', 1],
];

test.each(
  namespaced.flatMap(([name, expected]) => scopes.map((scope) => [name, ...scope, expected] as const)),
)(
  'a %s in a namespace that is being deleted is left alone by a runtime for %s',
  async (name, scope, most, { refused: { ...refusals } }) => {
    const [{ objects } = { objects: [] as { plural: string; object: KubeObject }[] }] =
      Object.values(refusals);
    const namespace = objects.at(-1)?.object.metadata.namespace ?? '';
    const clock = createVirtualClock(Date.UTC(2026, 0, 1));
    const world = injectingWorld(clock, { namespaces: ['ops'], crds: [...crds, ...rackDefinitions] });
    const user = world.cluster('user');
    const refused: string[] = [];
    const held = new Set<string>();
    const errors: string[] = [];
    const whole = noting(world.cluster('kruise'), refused, held);
    const runtime = createRuntime({
      cluster: scope === 'one namespace' ? inNamespace(whole, clock, namespace) : whole,
      ...(scope === 'one namespace' && {
        namespace,
        kinds: kinds.filter(({ resource }) => resource.namespaced),
      }),
      clock,
      policy: 'Auto',
      onError: (_key, error) => errors.push(String(error)),
    });
    end = async () => {
      void runtime.stop();
      world.stop();
      await clock.settle();
    };
    runtime.start();
    await clock.settle();
    for (const { plural, object } of objects) {
      const resource = [...kinds.map((kind) => kind.resource), resources.Pod].find(
        (each) => each.plural === plural,
      );
      if (resource === undefined) throw new Error(`there is no resource ${plural}`);
      await user.create(resource, object);
      await clock.advance(MINUTE);
    }
    // As long as a pod stays, so does the rest of the namespace.
    const metadata = { name: 'stays', namespace, finalizers: ['example.com/stays'] };
    const stays = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: { containers: [{ name: 'a', image: 'a:1' }] },
    };
    await user.create(resources.Pod, stays);
    await clock.advance(MINUTE);
    const { items: pods } = await user.list(resources.Pod, { namespace });
    expect(pods.length).toBeGreaterThan(1);
    refused.length = 0;
    held.clear();
    errors.length = 0;
    await user.delete(resources.Namespace, { name: namespace }, {});
    await clock.advance(5 * MINUTE);
    expect(errors).toEqual([]);
    expect(refused.slice(most)).toEqual([]);
    held.delete('NamespaceTerminating');
    expect([name, ...held]).toEqual([name]);
  },
);
