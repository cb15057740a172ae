import { beforeAll, describe, expect, test } from 'vitest';
import { compiledFleet } from './world/fleet.ts';
import { cloneSet } from './world/manifests.ts';
import { type Group, groupsOf } from '../../compiler/review/groups.ts';
import { groupedMarkdown } from '../../compiler/review/markdown.ts';

/** The characters of a comment on GitHub. */
const COMMENT = 65_536;

/** One group of these many, and one of three. */
function twoGroups(count: number): Group[] {
  const one = (image: string) => cloneSet({ name: 'one', image });
  const three = (image: string) => cloneSet({ name: 'three', image, replicas: 1 });
  const [first, second] = groupsOf(
    compiledFleet({
      'base/all.yaml': [one('nginx:1'), three('nginx:1')].join('---\n'),
      'head/all.yaml': [one('nginx:2'), three('nginx:2')].join('---\n'),
    }),
  );
  const times = (group: Group, size: number): Group => ({
    ...group,
    members: Array.from({ length: size }, (_, index) => {
      const name = `${group.members[0]?.name}-with-a-name-of-some-length-${index}x`;
      return { id: name, namespace: 'shop', name };
    }),
  });
  if (first === undefined || second === undefined) throw new Error('two groups are expected');
  // One replica: none is available at times, so that it is the first one.
  return [times(first, 3), times(second, count)];
}

describe('a page of a group that has more names than a comment holds', () => {
  let page = '';
  beforeAll(() => {
    page = groupedMarkdown('Plan', twoGroups(1_600));
  });

  test('has the field, the plan and the warnings of each group', () => {
    expect(page.length).toBeLessThan(COMMENT);
    const [, three = '', many = ''] = page.split(/^- /m);
    for (const item of [three, many]) {
      expect(item).toContain('`template.spec.containers[nginx].image`: nginx:1 → nginx:2');
      expect(item).toMatch(/one batch to 100%; a failed step halts; no kruise\.yaml/);
    }
    expect(many).toContain('a warning for each, such as');
  });

  test('has all names of the small one, and counts those of the large one that do not fit', () => {
    const [, three = '', many = ''] = page.split(/^- /m);
    expect(three.match(/<code>shop\/three-with-a-name-of-some-length-\dx<\/code>/g)).toHaveLength(3);
    expect(three).not.toContain(' more: ');
    const names = many.match(/<code>shop\/one-with-a-name-of-some-length-\d+x<\/code>/g) ?? [];
    const [, more] = / and (\d+) more: <code>-o json<\/code> lists all<\/details>$/m.exec(many) ?? [];
    expect(names.length).toBeGreaterThan(500);
    expect(names.length + Number(more)).toBe(1_600);
  });
});

test('a page whose names fit has all of them', () => {
  const page = groupedMarkdown('Plan', twoGroups(300));
  expect(page.match(/<code>shop\/one-with-a-name-of-some-length-\d+x<\/code>/g)).toHaveLength(300);
  expect(page).not.toContain('-o json');
});
