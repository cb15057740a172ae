import { afterEach, expect, test } from 'vitest';
import { createVirtualClock, type VirtualClock, type World } from 'kruise-sandbox';
import { inNamespace } from '../../runtime/observe/one-namespace.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { Cluster, Patch, WatchEvent } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { trueCondition } from '../../semantics/status/conditions.ts';
import { injectingWorld } from '../fixtures/injecting-world.ts';
import { apps, ordered } from './launch-world.ts';

const MINUTE = 60_000;
/** Every read of the namespace is earlier. Later a watch ends, and with the next one all targets are reconciled. */
const SOON = 40_000;
const SCOPES = ['all namespaces', 'one namespace'] as const;

let end: (() => Promise<void>) | undefined;
afterEach(async () => {
  await end?.();
  end = undefined;
});

/** The cluster whose watch of namespaces is later than all others by as much. */
function withLateNamespaces(cluster: Cluster, clock: VirtualClock, lateMs: number): Cluster {
  return {
    ...cluster,
    watch(resource, options, sink) {
      if (resource !== resources.Namespace) return cluster.watch(resource, options, sink);
      const onEvent = (event: WatchEvent): void => void clock.after(lateMs, () => sink.onEvent(event));
      return cluster.watch(resource, options, { ...sink, onEvent });
    },
  };
}

async function started(
  scope: (typeof SCOPES)[number],
): Promise<{ world: World; clock: VirtualClock; user: Cluster }> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = injectingWorld(clock, { crds });
  const late = withLateNamespaces(world.cluster('kruise'), clock, MINUTE / 4);
  const isOne = scope === 'one namespace';
  const runtime = createRuntime({
    cluster: isOne ? inNamespace(late, clock, 'shop') : late,
    ...(isOne && { namespace: 'shop', kinds: kinds.filter(({ resource }) => resource.namespaced) }),
    clock,
    policy: 'Auto',
  });
  end = async () => {
    void runtime.stop();
    world.stop();
    await clock.settle();
  };
  runtime.start();
  await clock.advance(MINUTE);
  return { world, clock, user: world.cluster('user') };
}

const cloneSet = (name: string, replicas = 2): KubeObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'CloneSet',
  metadata: { name, namespace: 'shop' },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'a', image: 'a:1' }] } },
  },
});

const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };

/** As long as it is there, so is the rest of the namespace. */
const stays: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'stays', namespace: 'shop', finalizers: ['example.com/stays'] },
  spec: { containers: [{ name: 'a', image: 'a:1' }] },
};

/** Deletes the namespace, which a pod keeps until the runtime has seen it, and creates it again. */
async function recreated({ clock, user }: { clock: VirtualClock; user: Cluster }): Promise<void> {
  await user.create(resources.Pod, stays);
  await user.delete(resources.Namespace, { name: 'shop' }, {});
  await clock.advance(2 * MINUTE);
  const patch: Patch = { type: 'merge', body: { metadata: { finalizers: null } } };
  await user.patch(resources.Pod, { namespace: 'shop', name: 'stays' }, patch);
  while ((await user.list(resources.Namespace, {})).items.some(({ metadata }) => metadata.name === 'shop'))
    await clock.advance(100);
  await user.create(resources.Namespace, namespace);
}

test.each(SCOPES)(
  'targets of a namespace that is deleted and comes back get their pods, though its events come last: %s',
  async (scope) => {
    const it = await started(scope);
    const { clock, user } = it;
    await user.create(resources.CloneSet, cloneSet('web'));
    await clock.advance(MINUTE);
    await recreated(it);
    await user.create(resources.CloneSet, cloneSet('web'));
    await user.create(resources.CloneSet, cloneSet('other'));
    await clock.advance(5_000);
    const at = { namespace: 'shop', name: 'web' };
    expect(trueCondition(await user.get(resources.CloneSet, at), 'plan.kruise.io/Held')?.reason).toBe(
      'NamespaceTerminating',
    );
    await clock.advance(SOON);
    const podsOf = async (app: string): Promise<number> =>
      (await user.list(resources.Pod, { namespace: 'shop', labelSelector: `app=${app}` })).items.length;
    expect([await podsOf('other'), await podsOf('web')]).toEqual([2, 2]);
    expect(trueCondition(await user.get(resources.CloneSet, at), 'plan.kruise.io/Held')).toBe(undefined);
  },
);

test.each(SCOPES)('so do the containers that wait for their turn there: %s', async (scope) => {
  const it = await started(scope);
  const { clock, user } = it;
  await recreated(it);
  await user.create(apps('Deployment'), {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: ordered('main', 'agent'),
    },
  });
  await clock.advance(SOON + MINUTE / 2);
  const { items } = await user.list(resources.Pod, { namespace: 'shop' });
  expect(items.map(({ metadata }) => metadata.annotations)).toMatchObject([
    { 'apps.kruise.io/container-launch-priority-completed': 'true' },
  ]);
});

test('an answer of the server holds the other targets of the namespace, too, before its events', async () => {
  const { clock, user } = await started('all namespaces');
  await user.create(resources.CloneSet, cloneSet('web'));
  await user.create(resources.CloneSet, cloneSet('other', 0));
  await clock.advance(MINUTE);
  await user.create(resources.Pod, stays);
  await user.delete(resources.Namespace, { name: 'shop' }, {});
  await clock.advance(MINUTE / 6);
  const { items } = await user.list(resources.CloneSet, { namespace: 'shop' });
  expect(items.map((each) => trueCondition(each, 'plan.kruise.io/Held')?.reason)).toEqual([
    'NamespaceTerminating',
    'NamespaceTerminating',
  ]);
});
