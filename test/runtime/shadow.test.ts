import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRuntime, type Runtime } from '../../runtime/runtime.ts';
import type { Finding } from '../../runtime/shadow/compare.ts';
import { createShadow, type Shadow } from '../../runtime/shadow/shadow.ts';
import { createVirtualClock, createWorld, type VirtualClock, type World } from 'kruise-sandbox';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import {
  imageID,
  openKruiseObjects,
  LAST_WRITE,
  NAMESPACE,
  revisionNames,
  stateOf,
  type Story,
} from '../fixtures/openkruise/objects.ts';
import { stateWith } from '../fixtures/openkruise/world.ts';

interface Compared {
  world: World;
  clock: VirtualClock;
  /** The client of OpenKruise's manager. */
  manager: Cluster;
  shadow: Shadow;
  findings: Finding[];
  refused: string[];
  /** Starts another instance of these rules instead of OpenKruise's manager. */
  startRuntime(): Runtime;
  change(spec: JsonObject): Promise<void>;
  count(verdict: Finding['verdict']): number;
}

let stop = (): void => {};
afterEach(() => stop());

const three: Story['pods'] = [{ id: 'bbbbb' }, { id: 'ccccc' }, { id: 'ddddd' }];
const images = [{ main: 'web:1' }, { main: 'web:2' }];
const at = (id: string) => ({ namespace: NAMESPACE, name: `web-${id}` });

async function compared(story: Story): Promise<Compared> {
  const clock = createVirtualClock(LAST_WRITE);
  const restored = await stateWith(openKruiseObjects(story), clock);
  const world = createWorld({ clock, restored, seed: 2, namespaces: [] });
  const findings: Finding[] = [];
  const refused: string[] = [];
  const shadow = createShadow({
    cluster: world.cluster('shadow'),
    clock,
    policy: 'Auto',
    targets: kinds.map((kind) => ({ kind, resource: kind.resource })),
    onFinding: (_, finding) => findings.push(finding),
    onRefused: (key, fields) => refused.push(`${String(key)}: ${fields.join(', ')}`),
    onWatchLost: (_, error) => {
      throw error;
    },
    onForbidden: (plural) => refused.push(`${plural} forbidden`),
  });
  shadow.start();
  await clock.advance(5_000);
  const manager = world.cluster('kruise-manager');
  const runtimes: Runtime[] = [];
  stop = () => {
    shadow.stop();
    for (const runtime of runtimes) void runtime.stop();
    world.stop();
    const writes = world.log.filter(
      ({ user, verb }) => user === 'shadow' && !['list', 'watch'].includes(verb),
    );
    expect(writes).toEqual([]);
  };
  return {
    world,
    clock,
    manager,
    shadow,
    findings,
    refused,
    startRuntime() {
      const runtime = createRuntime({ cluster: manager, clock, policy: 'Auto' });
      runtimes.push(runtime);
      runtime.start();
      return runtime;
    },
    async change(spec) {
      await manager.patch(
        resources.CloneSet,
        { namespace: NAMESPACE, name: 'web' },
        { type: 'merge', body: { spec } },
      );
    },
    count: (verdict) => findings.filter((finding) => finding.verdict === verdict).length,
  };
}

/** Updates a pod in place with the same sequence of writes as OpenKruise's manager. */
async function updateInPlace({ manager, clock }: Compared, id: string): Promise<void> {
  const now = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
  const conditions = [
    { type: 'InPlaceUpdateReady', status: 'False', reason: 'StartInPlaceUpdate', lastTransitionTime: now },
    { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', lastTransitionTime: now },
  ];
  await manager.patch(
    resources.Pod,
    at(id),
    { type: 'strategic', body: { status: { conditions } } },
    { subresource: 'status' },
  );
  const [, name] = revisionNames;
  const body = {
    metadata: {
      labels: {
        'controller-revision-hash': name,
        'pod-template-hash': name.slice('web-'.length),
        'lifecycle.apps.kruise.io/state': 'Updating',
      },
      annotations: stateOf({ lastContainerStatuses: { main: { imageID: imageID('web:1') } } }),
    },
    spec: { containers: [{ name: 'main', image: 'web:2' }] },
  };
  await manager.patch(resources.Pod, at(id), { type: 'strategic', body });
}

/** Finishes the update after the container has started again. */
async function finish({ manager, clock }: Compared, id: string): Promise<void> {
  await clock.advance(10_000);
  const conditions = [{ type: 'InPlaceUpdateReady', status: 'True', reason: null }];
  const body = { status: { conditions } } as JsonObject;
  await manager.patch(resources.Pod, at(id), { type: 'strategic', body }, { subresource: 'status' });
  await manager.patch(resources.Pod, at(id), {
    type: 'merge',
    body: { metadata: { labels: { 'lifecycle.apps.kruise.io/state': 'Normal' } } },
  });
  await clock.advance(2_000);
}

const inRollout = (rolling: JsonObject = {}): Story => ({
  images,
  rolling,
  pods: three.map((pod) => ({ ...pod, on: 0 })),
});

describe('a controller with the same rules', () => {
  const changes: [string, JsonObject, Story, number][] = [
    ['nothing happens', {}, { pods: three }, 0],
    ['scaling out and in', { replicas: 5 }, { pods: three }, 2],
    ['scaling in', { replicas: 1 }, { pods: three }, 2],
    [
      'an update in place',
      { template: { spec: { containers: [{ name: 'main', image: 'web:2' }] } } },
      { pods: three },
      3,
    ],
    [
      'pods recreated: marked, deleted, created',
      { template: { spec: { containers: [{ name: 'main', image: 'web:2' }] } } },
      { pods: three, rolling: { podUpdatePolicy: 'ReCreate' } },
      9,
    ],
    [
      'with surge',
      { template: { spec: { containers: [{ name: 'main', image: 'web:2' }] } } },
      { pods: three, rolling: { maxSurge: 1, maxUnavailable: 0 } },
      3,
    ],
  ];
  test.each(changes)('%s: no difference', async (_, spec, story, moves) => {
    const stage = await compared(story);
    stage.startRuntime();
    await stage.clock.advance(60_000);
    await stage.change(spec);
    await stage.clock.advance(600_000);
    const { items } = await stage.manager.list(resources.Pod);
    expect(items.length).toBe((spec['replicas'] as number | undefined) ?? 3);
    expect(stage.findings.filter(({ verdict }) => verdict !== 'same')).toEqual([]);
    expect(stage.count('same')).toBeGreaterThanOrEqual(moves);
    expect(stage.shadow.counts()).toEqual({ targets: 1, refused: 0, forbidden: 0 });
  });
});

describe('differences are reported once', () => {
  test('one pod after the other, in the order of these rules: the same three times', async () => {
    const stage = await compared(inRollout());
    for (const { id } of three) {
      await updateInPlace(stage, id);
      await finish(stage, id);
    }
    expect(stage.findings).toMatchObject([{ verdict: 'same' }, { verdict: 'same' }, { verdict: 'same' }]);
  });

  test('another pod first', async () => {
    const stage = await compared(inRollout());
    await updateInPlace(stage, 'ddddd');
    await finish(stage, 'ddddd');
    expect(stage.findings).toEqual([
      {
        verdict: 'other-pod',
        text: 'OpenKruise chose another pod: update web-ddddd in place; expected: update web-bbbbb in place',
      },
    ]);
  });

  test('more at once than maxUnavailable allows', async () => {
    const stage = await compared(inRollout());
    await updateInPlace(stage, 'bbbbb');
    await updateInPlace(stage, 'ccccc');
    await finish(stage, 'bbbbb');
    await finish(stage, 'ccccc');
    expect(stage.findings.map(({ verdict }) => verdict)).toEqual(['same', 'difference']);
    expect(stage.findings[1]?.text).toMatch(
      /^OpenKruise did more than expected: update web-ccccc in place; no such change/,
    );
  });

  test('recreated instead of updated in place', async () => {
    const stage = await compared(inRollout());
    const body = { metadata: { labels: { 'apps.kruise.io/specified-delete': 'true' } } };
    await stage.manager.patch(resources.Pod, at('bbbbb'), { type: 'merge', body });
    await stage.clock.advance(15_000);
    expect(stage.findings).toMatchObject([
      { verdict: 'difference', text: expect.stringMatching(/something else: mark web-bbbbb/) as string },
    ]);
  });

  test('a user deletes a pod: unaccounted', async () => {
    const stage = await compared({ pods: three });
    stage.startRuntime();
    await stage.clock.advance(10_000);
    await stage.world.cluster('mona').delete(resources.Pod, at('bbbbb'));
    await stage.clock.advance(120_000);
    expect(stage.findings.map(({ verdict }) => verdict).sort()).toEqual(['same', 'unaccounted']);
  });

  test('a controller that does nothing: the due action, and the generation that it has not observed', async () => {
    const stage = await compared(inRollout());
    await stage.clock.advance(600_000);
    expect(stage.findings).toMatchObject([
      {
        verdict: 'difference',
        text: expect.stringMatching(/^OpenKruise has not done: drain web-bbbbb/) as string,
      },
    ]);
    await stage.change({ replicas: 4 });
    await stage.clock.advance(600_000);
    expect(stage.findings.slice(1)).toEqual([
      { verdict: 'difference', text: 'OpenKruise has not observed generation 2' },
    ]);
  });

  test('a status at rest with other counts', async () => {
    const stage = await compared({ pods: three, status: { readyReplicas: 2 } });
    await stage.clock.advance(60_000);
    expect(stage.findings).toEqual([
      { verdict: 'difference', text: 'status.readyReplicas is 2; expected: 3' },
    ]);
  });

  test('a target that would not be taken over, and is not compared', async () => {
    const stage = await compared({
      ...inRollout(),
      spec: { lifecycle: { preDelete: { finalizersHandler: ['drain'] } } },
    });
    await updateInPlace(stage, 'ddddd');
    await finish(stage, 'ddddd');
    expect(stage.findings).toEqual([]);
    expect(stage.refused).toEqual([
      'CloneSet/shop/web: spec.lifecycle.preDelete.finalizersHandler.0 must have a prefix, as in example.com/drain',
    ]);
    expect(stage.shadow.counts()).toEqual({ targets: 1, refused: 1, forbidden: 0 });
  });

  // Each event about a pod copied all pods of its owner.
  test('the cost of an event that is no change does not depend on the number of pods', async () => {
    const ids = Array.from({ length: 300 }, (_, n) => `p${String(n).padStart(4, '0')}`);
    const stage = await compared({ pods: ids.map((id) => ({ id })) });
    const sets = vi.spyOn(Map.prototype, 'set');
    const body = { metadata: { annotations: { note: 'x' } } };
    await stage.manager.patch(resources.Pod, at('p0007'), { type: 'merge', body });
    await stage.clock.advance(100);
    const count = sets.mock.calls.length;
    sets.mockRestore();
    expect(count).toBeLessThan(200);
  });
});
