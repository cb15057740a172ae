import { createVirtualClock, createWorld, type VirtualClock, type World } from 'kruise-sandbox';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { createRuntime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { listOf, objectOf, textOf } from '../../semantics/values/read.ts';
import { timeOf } from '../../semantics/values/timestamp.ts';
import { kruise } from '../compiler/world/manifests.ts';
import { injectingWorld } from '../fixtures/injecting-world.ts';

/*
 * Plays what becomes native sidecars twice: as it is written, under the webhook or the runtime, and what `kruise build` makes of it under
 * the controllers of Kubernetes.
 */

const SECOND = 1_000;
const NATIVE = 'build: [{match: {}, as: NativeSidecars}]\n';

async function built(objects: readonly KubeObject[], args: readonly string[] = []): Promise<KubeObject[]> {
  const text = objects.map((object) => stringify(object)).join('---\n');
  const files = { 'apps/a.yaml': text, 'apps/kruise.yaml': NATIVE };
  const { host, code } = await kruise(files, { args: ['build', 'apps', ...args] });
  expect([code, host.err], host.err).toEqual([0, expect.not.stringContaining('warning')]);
  return parseAllDocuments(host.out).map((each) => each.toJS() as KubeObject);
}

interface Pods {
  /** The containers of each pod, with their images. */
  containers: string[][];
  phases: unknown[];
  /** The containers in the order in which they started. */
  starts: string[][];
}

async function play(
  world: World,
  clock: VirtualClock,
  objects: readonly KubeObject[],
  seconds: number,
): Promise<Pods> {
  world.images.set('mesh:1', { readyMs: 5 * SECOND, keepsRunning: true });
  world.images.set('db:1', { readyMs: 8 * SECOND, keepsRunning: true });
  world.images.set('work:1', { exitAfterMs: 20 * SECOND });
  await clock.advance(30 * SECOND);
  const user = world.cluster('user');
  for (const object of objects) {
    const [group = '', version = ''] = object.apiVersion.split('/');
    const plural = `${object.kind.toLowerCase()}s`;
    const namespaced = object.kind !== 'SidecarSet';
    await user.create({ group, version, kind: object.kind, plural, namespaced }, object);
    await clock.advance(SECOND);
  }
  await clock.advance(seconds * SECOND);
  const { items } = await user.list(resources.Pod, { namespace: 'shop' });
  const found = items.map(shape);
  return {
    containers: found.map(({ containers }) => containers),
    phases: found.map(({ phase }) => phase),
    starts: found.map(({ starts }) => starts),
  };
}

function shape(pod: KubeObject) {
  const [spec, status] = [objectOf(pod['spec']), objectOf(pod['status'])];
  const lists = ['initContainers', 'containers'].flatMap((key) => listOf(spec[key]));
  const states = ['initContainerStatuses', 'containerStatuses'].flatMap((key) => listOf(status[key]));
  const startOf = ({ state }: JsonObject): number => {
    const { running, terminated } = objectOf(state);
    return timeOf(textOf(objectOf(running)['startedAt'] ?? objectOf(terminated)['startedAt']));
  };
  return {
    containers: lists.map(({ name, image }) => `${textOf(name)} ${textOf(image)}`).sort(),
    phase: status['phase'],
    starts: states.sort((a, b) => startOf(a) - startOf(b)).map(({ name }) => textOf(name)),
  };
}

const set: KubeObject = {
  apiVersion: 'apps.kruise.io/v1alpha1',
  kind: 'SidecarSet',
  metadata: { name: 'mesh' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    containers: [{ name: 'mesh', image: 'mesh:1', startupProbe: { httpGet: { port: 80 } } }],
    updateStrategy: { type: 'NotUpdate' },
  },
};
const template = (image: string, spec: JsonObject = {}): JsonObject => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image }], ...spec },
});
const deployment: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: template('web:1') },
};
const job: KubeObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { template: template('work:1', { restartPolicy: 'Never' }) },
};

describe('native sidecars of a SidecarSet', () => {
  const options = { crds: [...crds], nodes: 2, bootstrapped: true };
  const both = async (owner: KubeObject): Promise<[Pods, Pods, Pods]> => {
    const clocks = [0, 1, 2].map(() => createVirtualClock(Date.UTC(2026, 0, 1)));
    const [a, b, c] = clocks as [VirtualClock, VirtualClock, VirtualClock];
    const native = await built([set, owner], ['--sidecars']);
    const alone = native.filter(({ kind }) => kind !== 'SidecarSet');
    const plain = createWorld({ ...options, clock: b, namespaces: ['default', 'shop'], workloads: true });
    return [
      await play(injectingWorld(a, options, 'Auto'), a, [set, owner], 120),
      await play(plain, b, alone, 120),
      await play(injectingWorld(c, options, 'Auto'), c, native, 120),
    ];
  };

  test('the pods of a Deployment have the same containers, also beside a webhook, and start in an order', async () => {
    const [ours, theirs, beside] = await both(deployment);
    expect(ours.containers).toEqual([
      ['mesh mesh:1', 'web web:1'],
      ['mesh mesh:1', 'web web:1'],
    ]);
    expect(theirs.containers).toEqual(ours.containers);
    expect(beside).toEqual(theirs);
    expect(theirs.phases).toEqual(ours.phases);
    expect(theirs.starts).toEqual([
      ['mesh', 'web'],
      ['mesh', 'web'],
    ]);
  });

  test('a Job ends, which is the listed difference', async () => {
    const [ours, theirs] = await both(job);
    expect(theirs.containers).toEqual(ours.containers);
    expect([ours.phases, theirs.phases]).toEqual([['Running'], ['Succeeded']]);
  });
});

describe('native sidecars in place of a launch order', () => {
  const probe = { readinessProbe: { httpGet: { port: 80 } } };
  const priority = (value: number): JsonObject => ({
    env: [{ name: 'KRUISE_CONTAINER_PRIORITY', value: String(value) }],
  });
  const ways: [way: string, template: JsonObject][] = [
    [
      'by numbers',
      template('web:1', {
        containers: [
          { name: 'web', image: 'web:1', imagePullPolicy: 'IfNotPresent' },
          { name: 'mesh', image: 'mesh:1', ...priority(1) },
          { name: 'db', image: 'db:1', ...probe, ...priority(5) },
        ],
      }),
    ],
    [
      'by positions',
      {
        ...template('web:1', {
          containers: [
            { name: 'db', image: 'db:1', ...probe },
            { name: 'mesh', image: 'mesh:1' },
            { name: 'web', image: 'web:1' },
          ],
        }),
        metadata: {
          labels: { app: 'web' },
          annotations: { 'apps.kruise.io/container-launch-priority': 'Ordered' },
        },
      },
    ],
  ];

  test.each(ways)('%s: the same containers start in the same order', async (_way, pods) => {
    const cloneSet: KubeObject = {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'CloneSet',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: pods },
    };
    const native = await built([cloneSet]);
    const results: Pods[] = [];
    for (const objects of [[cloneSet], native]) {
      const clock = createVirtualClock(Date.UTC(2026, 0, 1));
      const namespaces = ['default', 'kruise-system', 'shop'];
      const world = createWorld({
        clock,
        namespaces,
        nodes: 2,
        crds: [...crds],
        workloads: true,
        bootstrapped: true,
      });
      const cluster = world.cluster('kruise');
      const runtime = createRuntime({ cluster, clock, policy: 'Auto', onError: () => {} });
      if (objects !== native) runtime.start();
      results.push(await play(world, clock, objects, 180));
      await Promise.all([objects === native ? undefined : runtime.stop(), clock.settle()]);
      world.stop();
    }
    const [ours, theirs] = results;
    expect(ours?.starts).toEqual([
      ['db', 'mesh', 'web'],
      ['db', 'mesh', 'web'],
    ]);
    expect(theirs).toEqual(ours);
  });
});
