import { afterEach, expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { at, budget, endSite, MINUTE, site, web } from './budget-site.ts';
import { templateOf } from './stage.ts';

afterEach(endSite);

type Owner = 'CloneSet' | 'DaemonSet';
const targeting = (kind: Owner, spec: JsonObject = {}): KubeObject =>
  budget({ targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind, name: 'web' }, ...spec });
const daemonSet: KubeObject = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'DaemonSet',
  metadata: at('web'),
  spec: { selector: { matchLabels: { app: 'web' } }, template: templateOf('web', 'web:1') },
};
const owners: Record<Owner, KubeObject> = { CloneSet: web(3), DaemonSet: daemonSet };

test.each<[Owner, JsonObject]>([
  ['CloneSet', {}],
  ['CloneSet', { protectTotalReplicas: 3 }],
  ['CloneSet', { protectOperations: ['DELETE'], protectTotalReplicas: 3 }],
  ['DaemonSet', { protectTotalReplicas: 3 }],
])('a budget of a %s that is deleted counts until its last pod is gone: %j', async (kind, spec) => {
  const { user, counts, pods, clock, errors } = await site([owners[kind], targeting(kind, spec)]);
  const all = (await pods()).length;
  expect(await counts()).toMatch(new RegExp(`/${all}/`));
  await user.delete(resources[kind], at('web'));
  await clock.advance(2 * MINUTE);
  expect([await pods(), await counts(), errors]).toEqual([[], '0/0/0/0', []]);
});

test.each<JsonObject>([
  {},
  { protectTotalReplicas: 3 },
  { protectOperations: ['DELETE'], protectTotalReplicas: 3 },
])(
  'a budget protects pods of a kind that is managed from now on, before all of that kind are listed: %j',
  async (spec) => {
    const only = (kind: string) => kinds.filter(({ id }) => id.kind === kind);
    const [cloneSets] = only('CloneSet');
    const objects = [web(3), targeting('CloneSet', spec)];
    const { user, clock, world, counts, pods } = await site(objects, undefined, { kinds: only('CloneSet') });
    let fails = true;
    const server = world.cluster('admin');
    const cluster: Cluster = {
      ...server,
      async list(resource, ...rest) {
        if (resource.kind === 'CloneSet' && fails) throw new Error('the server is slow');
        return server.list(resource, ...rest);
      },
    };
    const runtime = createRuntime({ cluster, clock, policy: 'Auto', kinds: only('PodUnavailableBudget') });
    runtime.start();
    await clock.advance(MINUTE);
    if (cloneSets !== undefined) runtime.manage(cloneSets);
    const name = (await pods())[0]?.metadata.name ?? '';
    const body = { metadata: { labels: { 'unavailable-pod.kruise.io/x': 'yes' } } };
    await user.patch(resources.Pod, at(name), { type: 'merge', body });
    await clock.advance(10_000);
    expect(await counts(), 'nobody takes three pods for none').not.toBe('0/0/0/0');
    fails = false;
    await clock.advance(MINUTE);
    expect(await counts()).toBe('0/2/2/3');
    await runtime.stop();
  },
  30_000,
);
