import { expect, test } from 'vitest';
import { partsOf, reachableIn } from '../../../semantics/plan/child-parts.ts';
import type { ChildRow } from '../../../semantics/plan/units.ts';
import * as fc from '../../property.ts';
import { given } from './children.ts';
import { NEW, OLD } from './rollout.ts';

/** What the object of a child says. */
interface Written {
  goal: string;
  allowed: number;
  size: number;
}

/** A workload that follows what is written to it when it gets to that, and reports what it has from time to time. */
interface Workload {
  name: string;
  steps: ChildRow['steps'];
  /** As allocated. */
  size: number;
  written: Written;
  /** What it may still be following. */
  earlier: Written[];
  now: { updated: number; old: number };
  reported: { updated: number; old: number };
}

function rowOf({ name, steps, size, written, earlier, reported }: Workload): ChildRow {
  const { updated, old } = reported;
  return {
    ...{ name, subset: name },
    steps,
    size,
    pods: [
      { hash: OLD, count: old, available: old },
      { hash: NEW, count: updated, available: updated },
    ],
    given: given(written.goal, written.allowed, Math.max(...allowedFor(written.goal, [written, ...earlier]))),
    isObserved: earlier.length === 0,
    failing: undefined,
    left: undefined,
  };
}

const allowedFor = (to: string, all: readonly Written[]): number[] =>
  all.filter(({ goal }) => goal === to).map(({ allowed }) => allowed);

/** What its object is to say by the parts: a smaller part may be written before a larger one, or after it. */
function write(workloads: readonly Workload[], most: number): void {
  const parts = partsOf(most, NEW, workloads.map(rowOf));
  for (const workload of workloads) {
    const { size, allowed, isTaken } = parts.get(workload.name) ?? { size: 0, allowed: 0, isTaken: false };
    const next: Written = isTaken ? { goal: NEW, allowed, size } : { goal: OLD, allowed: size, size };
    if (JSON.stringify(next) === JSON.stringify(workload.written)) continue;
    workload.earlier.push(workload.written);
    workload.written = next;
  }
}

/** It does all that what it follows lets it do: the newest pods are the first to go. */
function act({ steps, now }: Workload, { goal, allowed, size }: Written): void {
  if (steps === 'whole' && goal === NEW) {
    now.updated = size;
    now.old = 0;
    return;
  }
  const most = goal === NEW ? allowed : 0;
  while (now.updated + now.old > size) {
    if (now.old > 0) now.old -= 1;
    else now.updated -= 1;
  }
  while (now.updated + now.old < size) {
    if (now.updated < most) now.updated += 1;
    else now.old += 1;
  }
  while (now.updated < most && now.old > 0) {
    now.updated += 1;
    now.old -= 1;
  }
}

const anyEvent = fc.record({
  what: fc.constantFrom('resize', 'step', 'write', 'write', 'act', 'report'),
  first: fc.nat({ max: 2 }),
  second: fc.nat({ max: 2 }),
  count: fc.integer({ min: 1, max: 5 }),
});
const anyStart = fc.array(
  fc.record({
    size: fc.integer({ min: 0, max: 6 }),
    isWhole: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  }),
  { minLength: 2, maxLength: 3 },
);

function workloadsOf(start: readonly { size: number; isWhole: boolean }[]): Workload[] {
  return start.map(({ size, isWhole }, index) => ({
    name: `child-${index}`,
    steps: isWhole ? 'whole' : 'partly',
    size,
    written: { goal: OLD, allowed: size, size },
    earlier: [],
    now: { updated: 0, old: size },
    reported: { updated: 0, old: size },
  }));
}

/** It has got to what is written, and says so. */
function report(workload: Workload): void {
  workload.earlier = [];
  workload.reported = { ...workload.now };
}

test('at no time are more pods updated than the step allows, whatever is resized and whoever is late', () => {
  fc.assert(
    fc.property(anyStart, fc.array(anyEvent, { minLength: 20, maxLength: 60 }), (start, events) => {
      const workloads = workloadsOf(start);
      let most = 0;
      for (const { what, first, second, count } of events) {
        const [one, other] = [first, second].map((index) => workloads[index % workloads.length]);
        if (one === undefined || other === undefined) throw new Error('there is no child');
        if (what === 'step') most += count;
        if (what === 'write') write(workloads, most);
        if (what === 'report') report(one);
        if (what === 'act') {
          const all = [one.written, ...one.earlier];
          act(one, all[count % all.length] ?? one.written);
        }
        if (what === 'resize') {
          const moved = Math.min(count, one.size);
          one.size -= moved;
          other.size += moved;
        }
        expect(workloads.reduce((sum, { now }) => sum + now.updated, 0)).toBeLessThanOrEqual(most);
      }
    }),
    { numRuns: 1_500 },
  );
});

test('once all have reported, as many are updated as the parts of the children amount to', () => {
  fc.assert(
    fc.property(anyStart, fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 5 }), (start, steps) => {
      const workloads = workloadsOf(start);
      let most = 0;
      for (const more of steps) {
        most += more;
        for (let round = 0; round < 5; round++) {
          write(workloads, most);
          for (const workload of workloads) {
            act(workload, workload.written);
            report(workload);
          }
        }
        const updated = workloads.reduce((sum, { now }) => sum + now.updated, 0);
        expect(updated).toBe(reachableIn(most, NEW, workloads.map(rowOf)));
      }
    }),
  );
});
