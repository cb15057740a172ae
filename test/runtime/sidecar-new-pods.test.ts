import { afterEach, describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { publishedName } from '../semantics/sidecarset/model.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';
import { listOf, objectOf, textOf } from '../../semantics/values/read.ts';
import { condition } from '../../semantics/pod/readiness.ts';
import { type SidecarWorld, sidecarWorld } from './sidecar-world.ts';

let scene: SidecarWorld | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

/** A set whose container has this command, which no running pod can get. */
const withCommand = (word: string): JsonObject => ({
  containers: [{ name: 'log', image: 'log:1', command: [word] }],
});

const ALL = [{ id: 'all', update: { to: '100%' } }];
const HALF = [
  { id: 'half', update: { to: '50%', atLeast: 2 } },
  { id: 'agree', approve: {} },
  { id: 'all', update: { to: '100%' } },
];

async function ready(): Promise<SidecarWorld> {
  scene = await sidecarWorld();
  await scene.set('log:1', undefined, withCommand('a'));
  await scene.deployment('web', 4);
  return scene;
}

/** How many pods have each command in the sidecar; with a word, of those with this label `track`. */
async function commands(cluster: SidecarWorld, track?: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { metadata, spec } of await cluster.pods()) {
    if (track !== undefined && metadata.labels?.['track'] !== track) continue;
    const found = spec.containers.find(({ name }) => name === 'log')?.['command'];
    const word = Array.isArray(found) ? String(found[0]) : 'none';
    counts[word] = (counts[word] ?? 0) + 1;
  }
  return counts;
}

describe('a change that no running pod can get (kinds.md, rule 5.5)', () => {
  test('ends at once where all new pods get it, and reports the others as behind', async () => {
    const cluster = await ready();
    await cluster.set('log:1', ALL, withCommand('b'));
    await cluster.until('Succeeded');
    expect(await commands(cluster)).toEqual({ a: 4 });
    expect(await cluster.plan()).toMatchObject({ behind: 4, updated: '0/0' });
    const [pod] = await cluster.pods();
    expect(pod && condition(pod, 'SidecarSetUpgradable')).toMatchObject({ status: 'False' });
    await cluster.scale('web', 6);
    expect(await commands(cluster)).toEqual({ a: 4, b: 2 });
    expect(await cluster.plan()).toMatchObject({ phase: 'Succeeded' });
    expect(cluster.errors).toEqual([]);
  });

  test('a step gives it to a share of new pods, and waits for so many of them', async () => {
    const cluster = await ready();
    await cluster.set('log:1', HALF, withCommand('b'));
    await cluster.clock.advance(60 * 60_000);
    expect(await cluster.plan()).toMatchObject({ phase: 'Running', waitingOn: 'Pods' });
    await cluster.scale('web', 24);
    await cluster.until('AwaitingApproval');
    const { a = 0, b = 0 } = await commands(cluster);
    expect(a + b).toBe(24);
    expect([b >= 4, b <= 16]).toEqual([true, true]);
  });

  test('git revert takes no pod back, and new ones get the stable content', async () => {
    const cluster = await ready();
    await cluster.set('log:1', HALF, withCommand('b'));
    await cluster.scale('web', 24);
    await cluster.until('AwaitingApproval');
    const before = await commands(cluster);
    await cluster.set('log:1', undefined, withCommand('a'));
    await cluster.until('Reverted');
    expect(await commands(cluster)).toEqual(before);
    await cluster.scale('web', 26);
    expect(await commands(cluster)).toEqual({ ...before, a: (before['a'] ?? 0) + 2 });
  });

  test('a new pod that is never available halts it, and later ones get the stable content', async () => {
    const cluster = await ready();
    await cluster.set('log:1', HALF, {
      containers: [{ name: 'log', image: 'missing:1', command: ['b'] }],
    });
    cluster.world.images.set('missing:1', { pullError: true });
    await cluster.scale('web', 12);
    await cluster.until('Halted', 3_600_000);
    expect(await cluster.plan()).toMatchObject({
      message: expect.stringContaining('was not available 10m after its creation') as string,
    });
    const { b = 0 } = await commands(cluster);
    await cluster.scale('web', 16);
    expect((await commands(cluster))['b']).toBe(b);
  });

  test('pods on it are updated in place by the next change of an image', async () => {
    const cluster = await ready();
    await cluster.set('log:1', ALL, withCommand('b'));
    await cluster.until('Succeeded');
    await cluster.scale('web', 6);
    await cluster.set('log:2', ALL, {
      containers: [{ name: 'log', image: 'log:2', command: ['b'] }],
    });
    await cluster.until('Succeeded');
    expect(await cluster.images()).toEqual({ 'log:1': 4, 'log:2': 2 });
    expect(await cluster.plan()).toMatchObject({ behind: 4, updated: '2/2' });
    const plans = await cluster.user.list(resources.ClusterRolloutPlan, {});
    expect(plans.items).toHaveLength(1);
  });
});

test('a pod that is updated after all says so (SS-28)', async () => {
  const cluster = await sidecarWorld({ policy: 'Auto' });
  await cluster.set('log:1', undefined, withCommand('a'));
  await cluster.deployment('web', 4);
  const conditions = async () =>
    (await cluster.pods()).map((pod) => condition(pod, 'SidecarSetUpgradable')?.status);
  await cluster.set('log:1', undefined, withCommand('b'));
  expect(await conditions()).toEqual(Array.from({ length: 4 }, () => 'False'));
  await cluster.set('log:2', undefined, { containers: [{ name: 'log', image: 'log:2', command: ['a'] }] });
  await cluster.clock.advance(600_000);
  expect(await cluster.images()).toEqual({ 'log:2': 4 });
  expect(await conditions()).toEqual(Array.from({ length: 4 }, () => 'True'));
  expect(cluster.errors).toEqual([]);
  await cluster.stop();
});

describe('a set whose strategy is NotUpdate', () => {
  test('each step waits for users, and new pods get the change until as many have it as the step allows', async () => {
    const cluster = (scene = await sidecarWorld());
    await cluster.set('log:1');
    await cluster.deployment('web', 4);
    const steps = [
      { id: 'half', update: { to: '50%' } },
      { id: 'soak', soak: { for: '5m' } },
      { id: 'all', update: { to: '100%' } },
    ];
    await cluster.set('log:2', steps, { updateStrategy: { type: 'NotUpdate' } });
    expect(await cluster.images()).toEqual({ 'log:1': 4 });
    expect(await cluster.plan()).toMatchObject({ phase: 'Running', boundedBy: 'OnDelete' });
    expect(await cluster.status()).toMatchObject({
      conditions: [
        {
          reason: 'OnDelete',
          message:
            'the strategy of log is NotUpdate; it waits for a user to delete 2 pods: kubectl delete pod -n NAMESPACE NAME',
        },
      ],
    });
    await cluster.scale('web', 2);
    await cluster.scale('web', 4);
    expect(await cluster.images()).toEqual({ 'log:1': 2, 'log:2': 2 });
    await cluster.until('Soaking');
    await cluster.scale('web', 5);
    expect(await cluster.images()).toEqual({ 'log:1': 3, 'log:2': 2 });
    await cluster.clock.advance(400_000);
    for (const { metadata, spec } of await cluster.pods())
      if (spec.containers.some(({ image }) => image === 'log:1'))
        await cluster.user.delete(resources.Pod, { namespace: 'shop', name: metadata.name });
    await cluster.until('Succeeded');
    expect(await cluster.images()).toEqual({ 'log:2': 5 });
    expect(cluster.errors).toEqual([]);
  });
});

/** The commands that a new pod with these labels would get, after each write of a revision. */
function givenToNewPods(
  { world }: SidecarWorld,
  set: KubeObject,
  labels: Record<string, string>,
): Set<string> {
  const pod = { metadata: { name: 'new', labels } } as unknown as KubeObject;
  const revisions = new Map<string, KubeObject>();
  const given = new Set<string>();
  world.onCommit(({ object }) => {
    if (object.kind !== 'ControllerRevision') return;
    revisions.set(object.metadata.name, object);
    const name = publishedName(set, [...revisions.values()], pod);
    const spec = objectOf(objectOf(revisions.get(name)?.['data'])['spec']);
    const command = listOf(spec['containers'])[0]?.['command'];
    if (Array.isArray(command)) given.add(textOf(command[0]));
  });
  return given;
}

describe('such a change behind a selector', () => {
  const within = (word: string, labels: Record<string, string>): JsonObject => ({
    ...withCommand(word),
    updateStrategy: { selector: { matchLabels: labels } },
  });
  const IN_STEPS = [
    { id: 'half', update: { to: '50%', atLeast: 2 } },
    { id: 'soak', soak: { for: '5m' } },
    { id: 'all', update: { to: '100%' } },
  ];

  /** New pods of the canary get the change, and others do not. */
  async function canary(): Promise<SidecarWorld> {
    scene = await sidecarWorld();
    await scene.set('log:1', undefined, withCommand('a'));
    await scene.deployment('web', 2, { track: 'main' });
    await scene.deployment('canary', 2, { track: 'canary' });
    await scene.set('log:1', ALL, within('b', { track: 'canary' }));
    await scene.until('Succeeded');
    await scene.scale('web', 4);
    await scene.scale('canary', 5);
    expect(await commands(scene, 'main')).toEqual({ a: 4 });
    expect(await commands(scene, 'canary')).toEqual({ a: 2, b: 3 });
    return scene;
  }

  test('goes on in steps where the selector is removed', async () => {
    const cluster = await canary();
    await cluster.set('log:1', IN_STEPS, withCommand('b'));
    await cluster.clock.advance(3_600_000);
    expect(await cluster.plan()).toMatchObject({ phase: 'Running', waitingOn: 'Pods' });
    await cluster.scale('web', 24);
    await cluster.scale('canary', 7);
    const { a = 0, b = 0 } = await commands(cluster, 'main');
    expect(a + b).toBe(24);
    expect([b >= 4, b <= 16]).toEqual([true, true]);
    expect(await commands(cluster, 'canary')).toEqual({ a: 2, b: 5 });
    await cluster.until('Succeeded', 1_200_000);
    await cluster.scale('web', 27);
    expect(await commands(cluster, 'main')).toEqual({ a, b: b + 3 });
    expect(cluster.errors).toEqual([]);
  });

  test('goes on at its step where its plan is made again meanwhile', async () => {
    const cluster = await canary();
    const begun = [
      { id: 'few', update: { to: '20%' } },
      { id: 'bake', soak: { for: '1m' } },
      ...IN_STEPS.slice(0, 2),
    ];
    const last = { id: 'all', update: { to: '100%' } };
    await cluster.set('log:1', [...begun, last], withCommand('b'));
    await cluster.scale('web', 40);
    await cluster.clock.advance(120_000);
    const before = await cluster.plan();
    expect(before).toMatchObject({ phase: 'Soaking', step: 'soak' });
    await cluster.replan(within('b', { track: 'canary' }), [
      ...begun,
      { id: 'more', soak: { for: '1m' } },
      last,
    ]);
    expect(await cluster.plan()).toMatchObject({ phase: 'Soaking', step: 'soak' });
  });

  test('waits where git has another selector than the plan', async () => {
    const cluster = await canary();
    await cluster.set('log:1', IN_STEPS, withCommand('b'));
    await cluster.set('log:1', undefined, within('b', { track: 'canary' }));
    await cluster.scale('web', 24);
    await cluster.scale('canary', 7);
    expect(await commands(cluster, 'main')).toEqual({ a: 24 });
    expect(await commands(cluster, 'canary')).toEqual({ a: 2, b: 5 });
    expect(await cluster.plan()).toMatchObject({ phase: 'Running', boundedBy: 'selector' });
  });

  test('waits with another selector until its last step', async () => {
    const cluster = await canary();
    await cluster.deployment('beta', 2, { track: 'beta' });
    await cluster.set('log:1', IN_STEPS, within('b', { track: 'beta' }));
    await cluster.scale('web', 8);
    await cluster.scale('beta', 4);
    expect(await commands(cluster, 'main')).toEqual({ a: 8 });
    expect(await commands(cluster, 'beta')).toEqual({ a: 4 });
    await cluster.until('Succeeded', 1_200_000);
    await cluster.scale('web', 10);
    await cluster.scale('beta', 6);
    expect(await commands(cluster, 'main')).toEqual({ a: 10 });
    expect(await commands(cluster, 'beta')).toEqual({ a: 4, b: 2 });
  });

  test('is on record before the plan ends, so that no other new pod gets it meanwhile', async () => {
    scene = await sidecarWorld();
    await scene.set('log:1', undefined, withCommand('a'));
    await scene.deployment('web', 2, { track: 'main' });
    const given = givenToNewPods(scene, await scene.user.get(sidecarSets, { name: 'log' }), {
      track: 'main',
    });
    await scene.set('log:1', ALL, within('b', { track: 'canary' }));
    await scene.until('Succeeded');
    expect([...given]).toEqual(['a']);
  });

  test('stays as it is where the selector is removed without a plan', async () => {
    const cluster = await canary();
    expect(await cluster.status()).not.toHaveProperty('conditions');
    await cluster.set('log:1', undefined, withCommand('b'));
    await cluster.scale('web', 8);
    expect(await commands(cluster, 'main')).toEqual({ a: 8 });
    expect(await cluster.status()).toMatchObject({
      conditions: [
        {
          reason: 'NoPlan',
          message: expect.stringContaining('the selector of the last plan does not select') as string,
        },
      ],
    });
  });
});
