import { describe, expect, test } from 'vitest';
import { type Group, groupsOf } from '../../compiler/review/groups.ts';
import { groupedPlan } from '../../compiler/review/human.ts';
import { groupedMarkdown } from '../../compiler/review/markdown.ts';
import { effectOfGroup } from '../../compiler/review/wording.ts';
import { plain } from '../../compiler/text/paint.ts';
import { compiledFleet } from './world/fleet.ts';
import { cloneSet, type CloneSetParts } from './world/manifests.ts';

function groupOf(base: CloneSetParts, head: CloneSetParts): Group {
  const [group] = groupsOf(
    compiledFleet({ 'base/web.yaml': cloneSet(base), 'head/web.yaml': cloneSet(head) }),
  );
  if (group === undefined) throw new Error('nothing changes');
  return group;
}

const partition = (value: number | string): string => `    partition: ${value}`;

describe('a group counts the pods that change', () => {
  test.each<[string, CloneSetParts, CloneSetParts, number | undefined]>([
    ['all', {}, { image: 'nginx:2' }, 10],
    ['beyond the partition', { spec: partition(4) }, { spec: partition(4), image: 'nginx:2' }, 6],
    [
      'none where all are retained',
      { spec: partition('100%') },
      { spec: partition('100%'), image: 'nginx:2' },
      undefined,
    ],
    ['none of no replicas', { replicas: 0 }, { replicas: 0, image: 'nginx:2' }, undefined],
    ['of a lower partition those that it lets go', { spec: partition(5) }, { spec: partition(2) }, 3],
    ['none of a higher partition', { spec: partition(2) }, { spec: partition(5) }, undefined],
    ['none of settings', {}, { spec: '  minReadySeconds: 5' }, undefined],
  ])('%s', (_what, base, head, expected) => {
    const group = groupOf(base, head);
    expect(group.units?.count).toBe(expected);
    const counts = effectOfGroup(group).match(/\b\d+ pods?\b/g) ?? [];
    expect(counts).toEqual(expected === undefined ? [] : [`${expected} pods`]);
  });
});

describe('one is written as one', () => {
  const variables = (count: number): string =>
    `        env: [${Array.from({ length: count }, (_, index) => `{name: V${index}, value: x}`).join(', ')}]`;

  test.each([
    [4, 'and 1 more field\n'],
    [5, 'and 2 more fields\n'],
  ])('of %d fields', (count, expected) => {
    const group = groupOf({}, { container: variables(count) });
    expect(group.fields).toHaveLength(count);
    expect(groupedPlan([group], plain)).toContain(expected);
    expect(groupedMarkdown('Plan', [group])).toContain(expected);
  });

  test('of groups that are not shown', () => {
    const group = groupOf({}, { image: 'nginx:2' });
    const groups = (count: number): Group[] =>
      Array.from({ length: count }, (_, index) => ({
        ...group,
        members: [{ id: `web-${index}`, namespace: 'shop', name: `web-${index}` }],
      }));
    for (const page of [
      (count: number) => groupedPlan(groups(count), plain),
      (count: number) => groupedMarkdown('Plan', groups(count)),
    ]) {
      const restOf = (count: number): string | undefined => /… and (.*), none/.exec(page(count))?.[1];
      let [fitting, beyond] = [1, 1_000];
      while (beyond - fitting > 1) {
        const middle = Math.floor((fitting + beyond) / 2);
        if (restOf(middle) === undefined) fitting = middle;
        else beyond = middle;
      }
      expect([restOf(beyond), restOf(beyond + 1)]).toEqual([
        '1 more target in 1 group',
        '2 more targets in 2 groups',
      ]);
    }
  });
});
