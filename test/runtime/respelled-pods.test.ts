import { createVirtualClock, createWorld, type VirtualClock } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { endOf, recreateRequest } from '../fixtures/recreate-requests.ts';
import { statefulSet } from '../fixtures/stateful-set.ts';
import { cloneSet } from './stage.ts';

/** What was restarted by another spelling of its image is as its owner wants it, stays so, and goes on in a rollout. */
const MINUTE = 60_000;
const namespace = 'shop';
const containers = ['main', 'side'].map((name) => ({
  ...{ name, image: `${name}:1`, imagePullPolicy: 'IfNotPresent' },
}));
const gates = { readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] };
const template = { metadata: { labels: { app: 'web' } }, spec: { ...gates, containers } };

const daemonSet: KubeObject = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'DaemonSet',
  metadata: { name: 'web', namespace },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible' } },
  },
};

async function restarted(user: Cluster, clock: VirtualClock): Promise<Pod[]> {
  const before = (await user.list(resources.Pod, { namespace })).items;
  for (const { metadata } of before)
    await user.create(resources.ContainerRecreateRequest, recreateRequest(metadata.name, metadata.name));
  await clock.advance(10 * MINUTE);
  const requests = (await user.list(resources.ContainerRecreateRequest, { namespace })).items;
  for (const each of requests) expect(endOf(each)).toEqual(['Completed', 'main Succeeded true']);
  const after = (await user.list(resources.Pod, { namespace })).items as Pod[];
  expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  return after;
}

test.each<[string, Resource, KubeObject]>([
  ['CloneSet', resources.CloneSet, cloneSet('web', '', { template })],
  ['StatefulSet', resources.StatefulSet, statefulSet('web', '', { template })],
  ['DaemonSet', resources.DaemonSet, daemonSet],
])('pods of a %s', async (_kind, resource, owner) => {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', namespace], crds: [...crds] });
  const errors: unknown[] = [];
  const runtime = createRuntime({
    ...{ cluster: world.cluster('kruise'), clock, policy: 'Auto' },
    onError: (_key, error) => errors.push(error),
  });
  runtime.start();
  await clock.settle();
  const user = world.cluster('user');
  await user.create(resource, owner);
  await clock.advance(3 * MINUTE);
  const pods = await restarted(user, clock);
  expect(pods.length).toBeGreaterThan(1);
  const images = (all: readonly Pod[]): string[] =>
    all.flatMap(({ spec }) => spec.containers.map(({ image }) => image.replace(/[0-9a-f]{64}/, '…')));
  expect(new Set(images(pods))).toEqual(new Set(['main:1@sha256:…', 'side:1']));

  // Nothing is done to them.
  const own = { namespace, name: 'web' };
  const status = objectOf((await user.get(resource, own))['status']);
  await clock.advance(10 * MINUTE);
  const later = (await user.list(resources.Pod, { namespace })).items as Pod[];
  expect(later.map(({ metadata }) => metadata.resourceVersion)).toEqual(
    pods.map(({ metadata }) => metadata.resourceVersion),
  );
  const known = objectOf((await user.get(resource, own))['status']);
  const count = 'updatedNumberScheduled' in known ? 'updatedNumberScheduled' : 'updatedReplicas';
  expect([known[count], known]).toEqual([pods.length, status]);

  // A rollout of the other container leaves it as it is; one of the container itself replaces its image.
  const change = async (name: string): Promise<Pod[]> => {
    const next = containers.map((each) => (each.name === name ? { ...each, image: `${name}:2` } : each));
    const body: JsonObject = { spec: { template: { spec: { containers: next } } } };
    await user.patch(resource, own, { type: 'merge', body });
    await clock.advance(6 * MINUTE);
    return (await user.list(resources.Pod, { namespace })).items as Pod[];
  };
  const restarts = (all: readonly Pod[]): Set<string> =>
    new Set(
      all.map(({ status: its }) =>
        (its?.containerStatuses ?? []).map(({ restartCount }) => restartCount).join(' '),
      ),
    );
  const aside = await change('side');
  expect(aside.map(({ metadata }) => metadata.uid)).toEqual(pods.map(({ metadata }) => metadata.uid));
  expect(new Set(images(aside))).toEqual(new Set(['main:1@sha256:…', 'side:2']));
  expect(restarts(aside)).toEqual(new Set(['1 1']));
  const changed = await change('main');
  expect(changed.map(({ metadata }) => metadata.uid)).toEqual(pods.map(({ metadata }) => metadata.uid));
  expect(new Set(images(changed))).toEqual(new Set(['main:2', 'side:1']));
  expect(restarts(changed)).toEqual(new Set(['2 2']));
  expect(errors).toEqual([]);
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
});
