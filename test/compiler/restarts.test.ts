import { expect, test } from 'vitest';
import type { Change } from '../../compiler/plan/change.ts';
import { restartsNothing } from '../../compiler/plan/restarts.ts';
import { compiledFleet } from './world/fleet.ts';
import { cloneSet } from './world/manifests.ts';

function changeOf(before: string, after: string): Change {
  const [change] = compiledFleet({ 'base/web.yaml': before, 'head/web.yaml': after }).changes;
  if (change === undefined) throw new Error('a change is expected');
  return change;
}

/** The same target, and how often its template is read. */
function counted(target: NonNullable<Change['head']>): {
  target: NonNullable<Change['head']>;
  reads: () => number;
} {
  let reads = 0;
  const normal = Object.defineProperty({ ...target.normal }, 'template', {
    get() {
      reads += 1;
      return target.normal.template;
    },
  });
  return { target: { ...target, normal }, reads: () => reads };
}

test('the templates of a change are compared once, whoever asks', () => {
  const change = changeOf(cloneSet({ image: 'nginx:1' }), cloneSet({ image: 'nginx:2' }));
  if (change.head === undefined) throw new Error('a target is expected');
  const { target, reads } = counted(change.head);
  // A field that shows another image needs no templates.
  const asked = { ...change, head: target, classification: undefined };
  expect([restartsNothing(asked), restartsNothing(asked), restartsNothing({ ...asked })]).toEqual([
    false,
    false,
    false,
  ]);
  expect(reads()).toBe(1);
});

test('what was found of one base is not the answer for another', () => {
  const before = cloneSet({ image: 'nginx:1' });
  const restarts = changeOf(before, cloneSet({ image: 'nginx:2' }));
  const same = changeOf(before, before);
  const { base, head } = restarts;
  const classification = same.classification;
  expect(restartsNothing({ ...restarts, action: 'Update' })).toBe(false);
  expect(restartsNothing({ ...restarts, action: 'Update', base: head, classification })).toBe(true);
  expect(restartsNothing({ ...same, action: 'Update', base, head })).toBe(false);
});
