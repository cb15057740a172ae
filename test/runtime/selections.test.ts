import { expect, test } from 'vitest';
import { createCaches } from '../../runtime/observe/caches.ts';
import { createSelections } from '../../runtime/observe/selections.ts';
import { targetKey } from '../../runtime/observe/target-key.ts';
import { createVirtualClock } from '../../sandbox/clock/virtual.ts';
import { createWorld } from '../../sandbox/world.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { kinds } from '../../semantics/kinds/registry.ts';
import { cloneSet } from './stage.ts';

const keyOf = (name: string, namespace = 'shop') =>
  targetKey({ group: 'example.com', kind: 'Set' }, namespace, name);
const pod = (name: string, labels: Record<string, string>, namespace = 'shop'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace, name, labels },
  spec: { containers: [{ name: 'main', image: 'web:1' }] },
});
const select = (labels: Record<string, string>, namespaces?: string[]) => ({
  selector: { matchLabels: labels },
  namespaces,
});
const names = (pods: readonly KubeObject[]): string[] => pods.map(({ metadata }) => metadata.name);

test('a pod may be selected by several targets, in namespaces of their own choice', () => {
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

test('membership follows labels and selectors, and who had the pod is named', () => {
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

test('pods are kept once a target selects them, and many changes ask for one reconcile a second', async () => {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['shop'] });
  const user = world.cluster('user');
  const asked: (number | undefined)[] = [];
  const ask = (_: unknown, delayMs?: number): void => void asked.push(delayMs);
  const caches = createCaches(world.cluster('kruise'), clock, ask, { kinds: [selecting] });
  caches.start();
  for (const name of ['a', 'b']) await user.create(resources.Pod, pod(name, { app: 'web' }));
  await user.create(resources.Pod, pod('c', { app: 'api' }));
  await clock.advance(1_000);
  expect(caches.holdings().find(({ resource }) => resource === 'pods')?.objects).toBe(0);
  const target = cloneSet('web', 'web:1');
  await user.create(resources.CloneSet, target);
  await clock.advance(5_000);
  const key = targetKey(selecting.id, 'shop', 'web');
  expect(names(caches.selectedBy(key))).toEqual(['a', 'b']);
  asked.length = 0;
  const body = { metadata: { annotations: { note: 'x' } } };
  await user.patch(resources.Pod, { namespace: 'shop', name: 'a' }, { type: 'merge', body });
  await clock.advance(100);
  expect(asked).toEqual([1_000]);
  await user.delete(resources.CloneSet, { namespace: 'shop', name: 'web' });
  await clock.advance(1_000);
  expect(caches.selectedBy(key)).toEqual([]);
  caches.stop();
  world.stop();
});
