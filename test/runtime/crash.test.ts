import { describe, expect, test } from 'vitest';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { cloneSet, createStage, patchSpec, phaseOf, type Stage, startRuntime, templateOf } from './stage.ts';

/** What happened to pods between two moments, whoever did it. */
interface Toll {
  created: number;
  deleted: number;
  updatedInPlace: number;
}

/** A runtime whose process ends right after its n-th write: nothing it says later reaches anybody. */
function mortal(cluster: Cluster, lives: { left: number }, onDeath: () => void): Cluster {
  const never = new Promise<never>(() => undefined);
  const guard = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    if (lives.left <= 0) return never;
    lives.left -= 1;
    const result = write();
    if (lives.left > 0) return result;
    onDeath();
    await result.catch(() => undefined);
    return never;
  };
  return {
    ...cluster,
    create: async (...args) => guard(async () => cluster.create(...args)),
    replace: async (...args) => guard(async () => cluster.replace(...args)),
    patch: async (...args) => guard(async () => cluster.patch(...args)),
    delete: async (...args) => guard(async () => cluster.delete(...args)),
  };
}

interface Story {
  title: string;
  target: () => KubeObject;
  /** What people do; the world has a minute after each deed. */
  deeds: ((stage: Stage) => Promise<void>)[];
  end: { images: Record<string, number> };
}

const stories: Story[] = [
  {
    title: 'an image in place',
    target: () => cloneSet('web', 'web:1'),
    deeds: [async (stage) => stage.change('web:2')],
    end: { images: { 'web:2': 3 } },
  },
  {
    title: 'every pod anew, with surge',
    target: () => cloneSet('web', 'web:1', {}, { podUpdatePolicy: 'ReCreate', maxSurge: 1 }),
    deeds: [async (stage) => stage.change('web:2')],
    end: { images: { 'web:2': 3 } },
  },
  {
    title: 'a plan that takes over another in the middle',
    target: () => cloneSet('web', 'web:1'),
    deeds: [
      async (stage) =>
        stage.change('web:2', {
          steps: [
            { id: 'one', update: { to: 1 } },
            { id: 'ok', approve: {} },
          ],
        }),
      async (stage) => {
        const { digest } = (await stage.plan())['spec'] as { digest: string };
        const from = ['web:2', 'web:1'].map((image) => ({
          hash: templateHash(templateOf('web', image)),
          mode: 'InPlace' as const,
        }));
        await stage.user.delete(resources.RolloutPlan, { namespace: 'shop', name: 'cloneset-web' });
        await stage.change('web:3', { from, supersedes: [digest] });
      },
    ],
    end: { images: { 'web:3': 3 } },
  },
  {
    title: 'a roll-out that git takes back',
    target: () => cloneSet('web', 'web:1'),
    deeds: [
      async (stage) =>
        stage.change('web:2', {
          steps: [
            { id: 'one', update: { to: 1 } },
            { id: 'ok', approve: {} },
          ],
        }),
      async (stage) => patchSpec(stage, 'web', { template: templateOf('web', 'web:1') }),
    ],
    end: { images: { 'web:1': 3 } },
  },
];

/** Plays the story with a runtime that dies after `deathAfter` writes of the roll-out and is started again. */
async function play(story: Story, deathAfter: number) {
  const stage = await createStage(story.target());
  stage.runtime.stop();
  const toll: Toll = { created: 0, deleted: 0, updatedInPlace: 0 };
  const images = new Map(
    (await stage.pods()).map((pod) => [pod.metadata.uid, pod.spec.containers[0]?.image]),
  );
  stage.world.onCommit(({ type, object }) => {
    if (object.kind !== 'Pod') return;
    const pod = object as Pod;
    const image = pod.spec.containers[0]?.image;
    if (type === 'ADDED') toll.created += 1;
    else if (type === 'DELETED') toll.deleted += 1;
    else if (images.get(pod.metadata.uid) !== image) toll.updatedInPlace += 1;
    images.set(pod.metadata.uid, image);
  });
  const lives = { left: deathAfter };
  const errors: unknown[] = [];
  const { world, clock } = stage;
  let second: Runtime | undefined;
  const first = startRuntime(world, clock, errors, {
    wrap: (cluster) => mortal(cluster, lives, () => first.stop()),
  });
  await clock.settle();
  for (const deed of story.deeds) {
    await deed(stage);
    await clock.advance(60_000);
    if (lives.left === 0 && second === undefined) second = startRuntime(world, clock, errors);
    await clock.advance(60_000);
  }
  const died = lives.left === 0;
  if (!died) first.stop();
  second ??= startRuntime(world, clock, errors);
  await clock.advance(60_000);
  second.stop();
  const end = await endOf(stage);
  await stage.stop();
  return { died, toll, end, errors };
}

async function endOf(stage: Stage) {
  const pods = await stage.pods();
  const status = (await stage.target())['status'] as Record<string, unknown>;
  return {
    phase: await phaseOf(stage),
    images: await stage.images(),
    ready: pods.filter((pod) =>
      pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True'),
    ).length,
    labels: new Set(pods.map((pod) => pod.metadata.labels?.['controller-revision-hash'])).size,
    current: status['currentRevision'] === status['updateRevision'],
    updated: status['updatedAvailableReplicas'],
  };
}

describe('the runtime ends after any of its writes, and another goes on', () => {
  for (const story of stories) {
    test(story.title, { timeout: 60_000 }, async () => {
      const undisturbed = await play(story, Infinity);
      expect(undisturbed.end).toMatchObject({ ...story.end, ready: 3, labels: 1, current: true, updated: 3 });
      let k = 1;
      for (; k < 500; k++) {
        const { died, toll, end, errors } = await play(story, k);
        if (!died) break;
        expect({ k, toll, end, errors }).toEqual({
          k,
          toll: undisturbed.toll,
          end: undisturbed.end,
          errors: [],
        });
      }
      expect(k).toBeGreaterThan(20);
      expect(k).toBeLessThan(500);
    });
  }
});
