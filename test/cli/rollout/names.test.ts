import { afterEach, expect, test } from 'vitest';
import { createVirtualClock, createWorld, type World } from 'kruise-sandbox';
import { main } from '../../../cli/dispatch.ts';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { statefulSetResource } from '../../../semantics/statefulset/resource.ts';
import { sidecarSets } from '../../../semantics/sidecarset/resource.ts';
import { cloneSet, planOf, templateOf } from '../../runtime/stage.ts';
import { setWith } from '../../runtime/sidecar-world.ts';
import { memoryHost } from '../world/memory-host.ts';

let world: World | undefined;
afterEach(() => world?.stop());

const statefulSet = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'StatefulSet',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { selector: { matchLabels: { app: 'web' } }, template: templateOf('web', 'web:1') },
};

/** What a command says in a cluster with these objects. */
async function said(args: readonly string[], fill: (cluster: Cluster) => Promise<unknown>): Promise<string> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1, 12));
  world = createWorld({ clock, namespaces: ['default', 'shop', 'kruise-system'] });
  const cluster = world.cluster('user');
  await fill(cluster);
  const host = Object.assign(memoryHost({}, { cluster }), { clock });
  const running = main(host, [...args]);
  await clock.advance(5_000);
  await running;
  world.stop();
  return `${host.out}${host.err}`;
}

const PAUSE = ['pause', 'web', '-n', 'shop', '--no-wait'];
const STATUS = ['status', 'web', '-n', 'shop'];

test('a name that two kinds have is refused by commands as by status, though one of them has no plan', async () => {
  const fill = async (cluster: Cluster): Promise<void> => {
    await cluster.create(resources.CloneSet, cloneSet('web', 'web:1'));
    await cluster.create(resources.RolloutPlan, planOf('web', 'web:1', 'web:2'));
    await cluster.create(statefulSetResource, statefulSet);
  };
  const problem =
    'there are several targets named web: the kinds are CloneSet and StatefulSet; name one, such as CloneSet/web\n';
  expect(await said(STATUS, fill)).toContain(`kruise status: ${problem}`);
  expect(await said(PAUSE, fill)).toContain(`kruise pause: ${problem}`);
});

test('a name that one kind has means its target, whatever the kind', async () => {
  const out = await said(
    ['break-glass', 'log', '-n', 'shop', '--expires', '1h', '--yes', '--no-wait'],
    (cluster) => cluster.create(sidecarSets, setWith('log:1')),
  );
  expect(out).toContain('SidecarSet/log in the cluster: ');
  expect(out).toContain(' created\n');
});

test('a name that no kind has', async () => {
  const nothing = (): Promise<void> => Promise.resolve();
  for (const args of [STATUS, PAUSE])
    expect(await said(args, nothing)).toContain('there is no web in namespace shop');
});
