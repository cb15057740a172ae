import { expect, test } from 'vitest';
import { createAnotherProcess } from '../../runtime/act/another-process.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';

const BASIS = [resources.Pod, resources.ControllerRevision];
const MINUTE = 60_000;

/** A process `here` whose first list shows revisions up to version 10. */
function setUp() {
  const clock = createVirtualClock(0);
  const asked: string[] = [];
  let complete = 0;
  const caches = {
    versionOf: () => 10,
    listAgain: ({ plural }: Resource) => asked.push(plural),
    listed: (_: Resource, ordinal: number) => ordinal <= complete,
  };
  const another = createAnotherProcess({ caches, clock, identity: 'here' });
  return {
    clock,
    another,
    asked,
    listed: () => void (complete = asked.length),
    /** One reconcile that would write, on these revisions. */
    mayWrite(...revisions: KubeObject[]): boolean {
      another.observe(revisions);
      return another.mayWrite(BASIS);
    },
  };
}

function revision(version: number, writer?: string): KubeObject {
  const annotations: Record<string, string> = writer === undefined ? {} : { 'plan.kruise.io/writer': writer };
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: `r${version}`, resourceVersion: String(version), annotations },
  };
}

test.each<[title: string, revisions: KubeObject[]]>([
  ['has written all of them', [revision(11, 'here'), revision(12, 'here')]],
  ['follows another one', [revision(9, 'there'), revision(10, 'there'), revision(11, 'here')]],
  ['finds one without a writer, as of an earlier release or of OpenKruise', [revision(11)]],
])('a process is alone, and lists nothing, where it %s', (_, revisions) => {
  const { mayWrite, asked, another } = setUp();
  expect([mayWrite(...revisions), another.isUnaware, asked]).toEqual([true, false, []]);
});

test('a process without a name notices nobody', () => {
  const clock = createVirtualClock(0);
  const caches = { versionOf: () => 10, listAgain: () => 1, listed: () => false };
  const another = createAnotherProcess({ caches, clock, identity: undefined });
  another.observe([revision(11, 'there')]);
  expect(another.mayWrite(BASIS)).toBe(true);
});

test('after a record of another process each reconcile that writes has lists of its own', () => {
  const { mayWrite, asked, listed, another } = setUp();
  const theirs = revision(11, 'there');
  expect([mayWrite(theirs), asked]).toEqual([false, ['pods', 'controllerrevisions']]);
  expect([mayWrite(theirs), asked.length]).toEqual([false, 2]);
  listed();
  expect([mayWrite(theirs), asked.length]).toEqual([true, 2]);
  expect([mayWrite(theirs), asked.length]).toEqual([false, 4]);
  // A reconcile that has nothing to write uses the lists up all the same: the next one may come much later.
  listed();
  another.observe([theirs]);
  expect([mayWrite(theirs), asked.length]).toEqual([false, 6]);
});

test('another process is gone ten minutes after its last record', async () => {
  const { clock, mayWrite } = setUp();
  expect(mayWrite(revision(11, 'there'))).toBe(false);
  await clock.advance(9 * MINUTE);
  expect(mayWrite(revision(12, 'there'))).toBe(false);
  await clock.advance(10 * MINUTE - 1);
  expect(mayWrite(revision(12, 'there'))).toBe(false);
  await clock.advance(1);
  expect(mayWrite(revision(12, 'there'))).toBe(true);
});

test('this process records its name once for another', () => {
  const { mayWrite, another } = setUp();
  mayWrite(revision(11, 'there'));
  expect(another.isUnaware).toBe(true);
  another.recorded();
  mayWrite(revision(12, 'there'));
  expect(another.isUnaware).toBe(false);
  // A third one came later than that record.
  mayWrite(revision(13, 'elsewhere'));
  expect(another.isUnaware).toBe(true);
});
