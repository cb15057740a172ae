import { describe, expect, test } from 'vitest';
import { createCaches } from '../../runtime/observe/caches.ts';
import { createSelections } from '../../runtime/observe/selections.ts';
import { targetKey } from '../../runtime/observe/target-key.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { controllerReference } from '../../semantics/owner.ts';
import { PULL_LABEL } from '../../semantics/pull/pod.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { cloneSet } from './stage.ts';

const keyOf = (name: string, namespace = 'shop') =>
  targetKey({ group: 'example.com', kind: 'Set' }, namespace, name);
const created = (name: string, labels: Record<string, string>, namespace = 'shop'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace, name, labels },
  spec: { containers: [{ name: 'main', image: 'web:1' }] },
});
let versions = 0;
/** A further version of a pod, as the server shows it. */
const pod = (...[name, ...more]: Parameters<typeof created>): KubeObject => {
  const made = created(name, ...more);
  const resourceVersion = String((versions += 1));
  return { ...made, metadata: { ...made.metadata, uid: `uid-${name}`, resourceVersion } };
};
const select = (labels: Record<string, string>, namespaces?: string[]) => ({
  selector: { matchLabels: labels },
  namespaces,
});
const names = (pods: readonly KubeObject[]): string[] => pods.map(({ metadata }) => metadata.name);

test('a pod may be selected by several targets, in the namespaces that they name', () => {
  const selections = createSelections();
  expect(selections.target(keyOf('web'), select({ app: 'web' }))).toBe(true);
  selections.target(keyOf('all', ''), select({}));
  selections.target(keyOf('far'), select({ app: 'web' }, ['other']));
  expect(selections.pod(pod('b', { app: 'web' }), false)).toEqual([keyOf('web'), keyOf('all', '')]);
  selections.pod(pod('a', { app: 'web' }), false);
  selections.pod(pod('c', { app: 'web' }, 'other'), false);
  expect(names(selections.podsOf(keyOf('web')))).toEqual(['a', 'b']);
  expect(names(selections.podsOf(keyOf('far')))).toEqual(['c']);
  expect(names(selections.podsOf(keyOf('all', '')))).toEqual(['c', 'a', 'b']);
});

test('membership follows labels and selectors, and former targets are returned', () => {
  const selections = createSelections();
  selections.target(keyOf('web'), select({ app: 'web' }));
  selections.pod(pod('a', { app: 'web' }), false);
  expect(selections.pod(pod('a', { app: 'api' }), false)).toEqual([keyOf('web')]);
  expect(selections.podsOf(keyOf('web'))).toEqual([]);
  selections.pod(pod('a', { app: 'web', tier: 'x' }), false);
  expect(selections.target(keyOf('web'), select({ app: 'web' }))).toBe(false);
  expect(selections.target(keyOf('web'), select({ tier: 'x' }))).toBe(true);
  expect(names(selections.podsOf(keyOf('web')))).toEqual(['a']);
  expect(selections.pod(pod('a', { app: 'web', tier: 'x' }), true)).toEqual([keyOf('web')]);
  expect(selections.podsOf(keyOf('web'))).toEqual([]);
  selections.target(keyOf('web'), undefined);
  expect(selections.selects(pod('a', { tier: 'x' }))).toBe(false);
});

test.each<[string, Parameters<ReturnType<typeof createSelections>['target']>[1]]>([
  ['everything', select({})],
  ['a label', select({ app: 'web' })],
  [
    'what has no label',
    { selector: { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] }, namespaces: undefined },
  ],
  ['a workload', { ...select({}), workload: { group: 'apps', kind: 'Deployment', name: 'web' } }],
])('a pod that only pulls images counts for no selector: %s', (_what, selection) => {
  const plain = pod('a', { app: 'web', 'pod-template-hash': 'x' });
  plain.metadata.ownerReferences = [
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-x', uid: 'x', controller: true },
  ];
  const pull = { ...plain, metadata: { ...plain.metadata, name: 'b' } };
  pull.metadata.labels = { ...plain.metadata.labels, [PULL_LABEL]: 'k' };
  for (const isFirst of [true, false]) {
    const selections = createSelections();
    if (isFirst) selections.target(keyOf('web'), selection);
    for (const each of [plain, pull]) selections.pod(each, false);
    if (!isFirst) selections.target(keyOf('web'), selection, [plain, pull]);
    expect(names(selections.podsOf(keyOf('web')))).toEqual(['a']);
    expect([selections.selects(plain), selections.selects(pull)]).toEqual([true, false]);
  }
});

test('once a pod has the label of those that pull images, nothing selects it any more', () => {
  const selections = createSelections();
  selections.target(keyOf('web'), select({ app: 'web' }));
  selections.pod(pod('a', { app: 'web' }), false);
  expect(selections.pod(pod('a', { app: 'web', [PULL_LABEL]: 'k' }), false)).toEqual([keyOf('web')]);
  expect(selections.podsOf(keyOf('web'))).toEqual([]);
});

test('labels are compared once a change, and only with selectors that may match', () => {
  const selections = createSelections();
  for (let n = 0; n < 100; n += 1) selections.target(keyOf(`set-${n}`), select({ app: `app-${n}` }), []);
  const before = selections.comparisons;
  const one = pod('a', { app: 'app-7' });
  expect(selections.selects(one)).toBe(true);
  expect(selections.pod(one, false)).toEqual([keyOf('set-7')]);
  const changed = { ...pod('a', { app: 'app-7' }), status: { phase: 'Running' } };
  expect(selections.selects(changed)).toBe(true);
  expect(selections.pod(changed, false)).toEqual([keyOf('set-7')]);
  expect(selections.comparisons - before).toBe(1);
});

describe('the pods of a workload', () => {
  const of = (name: string) => ({
    selector: {},
    namespaces: undefined,
    workload: { group: 'apps', kind: 'Deployment', name },
  });
  const owned = (name: string, owner: string, namespace = 'shop'): KubeObject => {
    const made = pod(name, { 'pod-template-hash': 'x1' }, namespace);
    const reference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${owner}-x1`, uid: owner };
    return { ...made, metadata: { ...made.metadata, ownerReferences: [{ ...reference, controller: true }] } };
  };

  test('are selected in its namespace, and no other target of the namespace is asked about them', () => {
    const selections = createSelections();
    for (let n = 0; n < 100; n += 1) selections.target(keyOf(`set-${n}`), of(`app-${n}`), []);
    const before = selections.comparisons;
    const one = owned('a', 'app-7');
    expect(selections.selects(one)).toBe(true);
    expect(selections.pod(one, false)).toEqual([keyOf('set-7')]);
    expect(selections.comparisons - before).toBe(1);
    expect(selections.selects(owned('b', 'app-7', 'other'))).toBe(false);
    expect(selections.selects(pod('c', {}))).toBe(false);
    expect(names(selections.podsOf(keyOf('set-7')))).toEqual(['a']);
  });

  test('follow it: an adopted pod is selected, though its labels are as before', () => {
    const selections = createSelections();
    selections.target(keyOf('set'), of('web'), []);
    selections.target(keyOf('hash'), select({ 'pod-template-hash': 'x1' }), []);
    const orphan = pod('a', { 'pod-template-hash': 'x1' });
    expect(selections.pod(orphan, false)).toEqual([keyOf('hash')]);
    expect(selections.pod(owned('a', 'web'), false)).toEqual([keyOf('hash'), keyOf('set')]);
    expect(selections.pod(orphan, false)).toEqual([keyOf('hash'), keyOf('set')]);
    expect(selections.podsOf(keyOf('set'))).toEqual([]);
    selections.target(keyOf('set'), undefined);
    expect(selections.pod(owned('a', 'web'), false)).toEqual([keyOf('hash')]);
  });
});

test('pods that are cached for another reason are selected at once', () => {
  const selections = createSelections();
  expect(selections.target(keyOf('web'), select({ app: 'web' }), [pod('a', { app: 'web' })])).toBe(true);
  expect(names(selections.podsOf(keyOf('web')))).toEqual(['a']);
});

/** The first registered kind, as if its targets selected pods instead of owning them. */
const [registered] = kinds;
const selecting: Kind = {
  ...(registered as Kind),
  uses: [{ of: 'SelectedPods' }],
  needs: (target) => [
    {
      of: 'SelectedPods',
      ...select(
        (target['spec'] as { selector: { matchLabels: Record<string, string> } }).selector.matchLabels,
      ),
    },
  ],
};

/** Owns its pods, and is the only one of these kinds that does. */
const owning: Kind = registered as Kind;
const both: Kind = { ...selecting, id: owning.id };

test('the selected pods are known after a list, whatever controls them', async () => {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['shop'] });
  const user = world.cluster('user');
  const asked: string[] = [];
  const caches = createCaches(world.cluster('kruise'), clock, (key) => void asked.push(String(key)), {
    kinds: [both],
  });
  const owner = await user.create(resources.CloneSet, cloneSet('web', 'web:1'));
  const owned = created('owned', { app: 'web' });
  await user.create(resources.Pod, {
    ...owned,
    metadata: { ...owned.metadata, ownerReferences: [controllerReference(owner)] },
  });
  await user.create(resources.Pod, created('free', { app: 'web' }));
  caches.start();
  const key = targetKey(both.id, 'shop', 'web');
  const observed: (string[] | undefined)[] = [];
  for (let round = 0; round < 20; round += 1) {
    await clock.advance(50);
    if (!caches.synced || caches.target(key) === undefined) continue;
    const pods = caches.selectedBy(key);
    observed.push(pods && names(pods));
  }
  expect(new Set(observed.filter((each) => each !== undefined).map((each) => each.join(' ')))).toEqual(
    new Set(['free owned']),
  );
  expect(observed.at(-1)).toEqual(['free', 'owned']);
  caches.stop();
  world.stop();
});

test('pods are kept once a target selects them, and each change asks for a reconcile', async () => {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['shop'] });
  const user = world.cluster('user');
  const asked: (number | undefined)[] = [];
  const ask = (_: unknown, delayMs?: number): void => void asked.push(delayMs);
  const caches = createCaches(world.cluster('kruise'), clock, ask, { kinds: [selecting] });
  caches.start();
  for (const name of ['a', 'b']) await user.create(resources.Pod, created(name, { app: 'web' }));
  await user.create(resources.Pod, created('c', { app: 'api' }));
  await clock.advance(1_000);
  expect(caches.sizes().find(({ resource }) => resource === 'pods')?.objects).toBe(0);
  const target = cloneSet('web', 'web:1');
  await user.create(resources.CloneSet, target);
  await clock.advance(5_000);
  const key = targetKey(selecting.id, 'shop', 'web');
  expect(names(caches.selectedBy(key) ?? [])).toEqual(['a', 'b']);
  asked.length = 0;
  const body = { metadata: { annotations: { note: 'x' } } };
  await user.patch(resources.Pod, { namespace: 'shop', name: 'a' }, { type: 'merge', body });
  await clock.advance(100);
  expect(asked).toHaveLength(1);
  await user.delete(resources.CloneSet, { namespace: 'shop', name: 'web' });
  await clock.advance(1_000);
  expect(caches.selectedBy(key)).toEqual([]);
  caches.stop();
  world.stop();
});
