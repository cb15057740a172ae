import { expect, test } from 'vitest';
import { createSelected } from '../../runtime/observe/selected.ts';
import { type TargetKey, targetKey } from '../../runtime/observe/target-key.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Need } from '../../semantics/kinds/need.ts';
import { cloneSetKey } from './keys.ts';

const spread = (name: string, namespace = 'shop'): TargetKey =>
  targetKey(resources.WorkloadSpread, namespace, name);
const workloadOf = (kind: string, name = 'web') => ({ group: 'apps.kruise.io', kind, name });
const needOf = (kind = 'CloneSet', labels: Record<string, string> = {}, name = 'web'): Need => ({
  of: 'SelectedPods',
  selector: Object.keys(labels).length === 0 ? {} : { matchLabels: labels },
  namespaces: undefined,
  workload: workloadOf(kind, name),
});
const podOf = (
  name: string,
  labels: Record<string, string> = {},
  kind = 'CloneSet',
  of = 'web',
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  spec: { containers: [] },
  metadata: {
    name,
    namespace: 'shop',
    labels,
    uid: `uid-${name}`,
    ownerReferences: [
      { apiVersion: 'apps.kruise.io/v1beta1', kind, name: of, uid: `uid-of-${of}`, controller: true },
    ],
  },
});
const namesOf = (pods: readonly KubeObject[] | undefined): string[] | undefined =>
  pods?.map(({ metadata }) => metadata.name);

/** CloneSets alone are watched, and these pods are the ones of each. */
function world(pods: Record<string, readonly KubeObject[]> = {}) {
  let lists = 0;
  const selected = createSelected(
    () => ({ listAgain: () => (lists += 1), read: () => undefined }),
    () => undefined,
    {
      areKnown: ({ kind }) => kind === 'CloneSet',
      podsOf: ({ name }) => pods[name] ?? [],
    },
  );
  const shown = (key: TargetKey): string[] | undefined => namesOf(selected.podsOf(key, lists));
  return { selected, pods, shown, lists: () => lists };
}

test('the pods of a watched target are those that it has now, and no index of them is kept', () => {
  const { selected, pods, shown, lists } = world({ web: [podOf('a'), podOf('b')] });
  expect(selected.need(spread('s'), [needOf()], [])).toBe(true);
  expect(selected.podsOf(spread('s'), 0), 'a stub may lack its labels until the next list').toBeUndefined();
  expect([lists(), shown(spread('s'))]).toEqual([1, ['a', 'b']]);
  expect(selected.podsOf(spread('s'), 1), 'the same list').toBe(pods['web']);
  expect(selected.selects(podOf('a'))).toBe(false);
  pods['web'] = [podOf('b')];
  expect(shown(spread('s'))).toEqual(['b']);
  expect(selected.need(spread('s'), [needOf()], []), 'nothing has changed').toBe(false);
  expect(lists()).toBe(1);
});

test('a filter leaves out pods, and is applied once to each list', () => {
  const { selected, pods, shown } = world({ web: [podOf('a', { tier: 'x' }), podOf('b')] });
  selected.need(spread('s'), [needOf('CloneSet', { tier: 'x' })], []);
  expect(shown(spread('s'))).toEqual(['a']);
  expect(selected.podsOf(spread('s'), 1)).toBe(selected.podsOf(spread('s'), 1));
  pods['web'] = [podOf('a'), podOf('b', { tier: 'x' })];
  expect(shown(spread('s'))).toEqual(['b']);
  expect(selected.keysOf(podOf('b', { tier: 'x' }))).toEqual([spread('s')]);
  expect(selected.keysOf(podOf('b'))).toEqual([]);
  expect(selected.need(spread('s'), [needOf('CloneSet', { tier: 'y' })], []), 'another filter').toBe(true);
  expect(shown(spread('s'))).toEqual([]);
});

test('a change of a pod is one for all that follow the target which controls it, or did', () => {
  const { selected } = world();
  selected.need(spread('s'), [needOf()], []);
  selected.need(spread('t'), [needOf()], []);
  selected.need(spread('u'), [needOf('CloneSet', {}, 'api')], []);
  const followers = [spread('s'), spread('t')];
  expect(selected.pod(podOf('a'), false, undefined, [cloneSetKey()])).toEqual(followers);
  expect(selected.pod(podOf('a', {}, 'CloneSet', 'other'), false, podOf('a'), [cloneSetKey()])).toEqual(
    followers,
  );
  expect(selected.pod(podOf('a'), true, undefined, [cloneSetKey('other')])).toEqual([]);
  expect(selected.keysOf(podOf('a'))).toEqual(followers);
  expect(selected.isFollowed(podOf('a'))).toBe(true);
  expect(selected.isFollowed(podOf('a', {}, 'CloneSet', 'other'))).toBe(false);
});

test('whoever needs them no longer is not asked, and whoever follows another target sees the pods of that', () => {
  const { selected, shown } = world({ web: [podOf('a')], api: [podOf('x')] });
  selected.need(spread('s'), [needOf()], []);
  selected.need(spread('t'), [needOf()], []);
  selected.need(spread('s'), [needOf('CloneSet', {}, 'api')], []);
  expect([shown(spread('s')), shown(spread('t'))]).toEqual([['x'], ['a']]);
  expect(selected.pod(podOf('a'), false, undefined, [cloneSetKey()])).toEqual([spread('t')]);
  selected.need(spread('t'), [], []);
  expect(selected.has(spread('t'))).toBe(false);
  expect(selected.pod(podOf('a'), false, undefined, [cloneSetKey()])).toEqual([]);
  selected.need(spread('s'), [], []);
  expect([selected.isEmpty, selected.keysOf(podOf('x', {}, 'CloneSet', 'api'))]).toEqual([true, []]);
});

test('pods of a workload that nobody watches are found by its name', () => {
  const own = podOf('a', {}, 'StatefulSet');
  const { selected, shown } = world({ web: [podOf('wrong')] });
  selected.need(spread('s'), [needOf('StatefulSet')], [own]);
  expect(shown(spread('s'))).toEqual(['a']);
  expect(selected.selects(own)).toBe(true);
  // It turns to a target that is watched, and back.
  selected.need(spread('s'), [needOf()], [own]);
  expect([shown(spread('s')), selected.selects(own)]).toEqual([['wrong'], false]);
  selected.need(spread('s'), [needOf('StatefulSet')], [own]);
  expect([shown(spread('s')), selected.keysOf(own)]).toEqual([['a'], [spread('s')]]);
});

test('pods that were selected by the name of their owner are not listed again once it is known', () => {
  const own = podOf('a');
  const pods = [own];
  let [lists, areKnown] = [0, false];
  const selected = createSelected(
    () => ({ listAgain: () => (lists += 1), read: () => undefined }),
    () => undefined,
    { areKnown: () => areKnown, podsOf: () => pods },
  );
  expect(selected.need(spread('s'), [needOf()], [own])).toBe(true);
  expect([selected.selects(own), selected.isFollowing(spread('s'))]).toEqual([true, false]);
  areKnown = true;
  expect(selected.need(spread('s'), [needOf()], [own])).toBe(false);
  expect([selected.selects(own), selected.isFollowing(spread('s')), lists]).toEqual([false, true, 1]);
  expect(selected.podsOf(spread('s'), 1)).toBe(pods);
  // Others than before may have been cached without their labels.
  expect(selected.need(spread('s'), [needOf('CloneSet', { tier: 'x' })], [own])).toBe(true);
  expect(lists).toBe(2);
});
