import { afterEach, expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
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

const refusal = (code: number): ApiError => new ApiError({ code, reason: 'Refused', message: 'refused' });

/** The counts of a budget of three pods of a kind that is managed from now on, while its lists fail, and once they do not. */
async function managedLate(spec: JsonObject, failure: Error): Promise<{ failing: string; listed: string }> {
  const only = (kind: string) => kinds.filter(({ id }) => id.kind === kind);
  const [cloneSets] = only('CloneSet');
  const objects = [web(3), targeting('CloneSet', spec)];
  const { user, clock, world, counts, pods } = await site(objects, undefined, { kinds: only('CloneSet') });
  let fails = false;
  const server = world.cluster('admin');
  const cluster: Cluster = {
    ...server,
    async list(resource, ...rest) {
      if (resource.kind === 'CloneSet' && fails) throw failure;
      return server.list(resource, ...rest);
    },
  };
  const runtime = createRuntime({ cluster, clock, policy: 'Auto', kinds: only('PodUnavailableBudget') });
  runtime.start();
  await clock.advance(MINUTE);
  expect(await counts()).toBe('1/3/2/3');
  fails = true;
  if (cloneSets !== undefined) runtime.manage(cloneSets);
  await clock.advance(MINUTE);
  const name = (await pods())[0]?.metadata.name ?? '';
  const body = { metadata: { labels: { 'unavailable-pod.kruise.io/x': 'yes' } } };
  await user.patch(resources.Pod, at(name), { type: 'merge', body });
  await clock.advance(MINUTE);
  const failing = await counts();
  fails = false;
  await clock.advance(5 * MINUTE);
  const listed = await counts();
  await runtime.stop();
  return { failing, listed };
}

const specs: readonly JsonObject[] = [
  {},
  { protectTotalReplicas: 3 },
  { protectOperations: ['DELETE'], protectTotalReplicas: 3 },
];

test.each<[JsonObject, string, Error]>(
  specs.flatMap((spec): [JsonObject, string, Error][] => [
    [spec, 'the server is slow', new Error('the server is slow')],
    [spec, 'the right is not there yet', refusal(403)],
  ]),
)(
  'a budget protects pods of a kind that is managed from now on, before all of that kind are listed: %j, %s',
  async (spec, _why, failure) => {
    const { failing, listed } = await managedLate(spec, failure);
    expect(failing, 'nobody takes three pods for none').not.toBe('0/0/0/0');
    expect(listed).toBe('0/2/2/3');
  },
  30_000,
);

test('a budget does not wait for objects of a kind that the server does not serve', async () => {
  const { failing } = await managedLate({}, refusal(404));
  expect(failing).toBe('0/0/0/0');
}, 30_000);
