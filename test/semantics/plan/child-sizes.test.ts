import { expect, test } from 'vitest';
import type { Share } from '../../../semantics/plan/share.ts';
import { sharesOf } from '../../../semantics/plan/shares-of.ts';
import type { ChildRow } from '../../../semantics/plan/units.ts';
import * as fc from '../../property.ts';
import { given } from './children.ts';
import { NEW, OLD } from './rollout.ts';

/** A child that does at once what is written on it, and says so; without room it makes no pod on another template. */
interface Workload {
  name: string;
  steps: ChildRow['steps'];
  /** As allocated. */
  size: number;
  written: Pick<Share, 'goal' | 'allowed'> & { size: number };
  now: { updated: number; old: number };
}

function rowOf({ name, steps, size, written, now }: Workload): ChildRow {
  const pods = [
    { hash: OLD, count: now.old, available: now.old },
    { hash: NEW, count: now.updated, available: now.updated },
  ];
  return {
    ...{ name, subset: name, steps, size },
    pods: pods.filter(({ count }) => count > 0),
    given: given(written.goal, written.allowed),
    isObserved: true,
    failing: undefined,
    left: undefined,
  };
}

/** Writes the shares of a step that takes all pods of some children, or of a way back. */
function write(workloads: readonly Workload[], named: ReadonlySet<string> | 'back'): void {
  const within = new Map(
    workloads.map(({ name, size }) => [name, named === 'back' || !named.has(name) ? 0 : size]),
  );
  const allowed = [...within.values()].reduce((sum, size) => sum + size, 0);
  const shares = sharesOf(
    named === 'back'
      ? { goal: OLD, stable: OLD, allowed: 'unbounded', moving: true, mode: 'Recreate' }
      : {
          ...{ goal: NEW, stable: OLD, allowed, moving: true, mode: 'Recreate' },
          within: Object.fromEntries(within),
        },
    {},
    workloads.map(rowOf),
    () => ({}),
  );
  for (const workload of workloads) {
    const part = shares.get(workload.name);
    if (part === undefined) throw new Error(`${workload.name} has no part`);
    workload.written = { goal: part.share.goal, allowed: part.share.allowed, size: part.size };
  }
}

function act({ steps, written: { goal, allowed, size }, now }: Workload, hasRoom: boolean): void {
  const updated = goal === OLD ? 0 : steps === 'whole' ? size : Math.min(allowed, size);
  if (hasRoom) Object.assign(now, { updated, old: size - updated });
}

const anyStart = fc.array(
  fc.record({ size: fc.integer({ min: 0, max: 4 }), steps: fc.constantFrom('whole', 'partly') }),
  { minLength: 2, maxLength: 4 },
);
const anyEvent = fc.record({
  what: fc.constantFrom('resize', 'step'),
  at: fc.nat({ max: 3 }),
  size: fc.integer({ min: 0, max: 4 }),
});

function workloadsOf(start: readonly Pick<Workload, 'size' | 'steps'>[]): Workload[] {
  return start.map(({ size, steps }, index) => ({
    ...{ name: `child-${index}`, steps, size },
    written: { goal: OLD, allowed: size, size },
    now: { updated: 0, old: size },
  }));
}

test('whatever is resized at any step, each child has as many pods as are allocated, and the template of its step', () => {
  fc.assert(
    fc.property(anyStart, fc.array(anyEvent, { maxLength: 12 }), (start, events) => {
      const workloads = workloadsOf(start);
      const named = new Set<string>();
      for (const { what, at, size } of events) {
        const one = workloads[at % workloads.length];
        if (one === undefined) throw new Error('there is no child');
        if (what === 'step') named.add(one.name);
        else one.size = size;
        for (let round = 0; round < 6; round++) {
          write(workloads, named);
          for (const workload of workloads) act(workload, true);
        }
        for (const { name, size: allocated, now, written } of workloads) {
          expect(now).toEqual(
            named.has(name) ? { updated: allocated, old: 0 } : { updated: 0, old: allocated },
          );
          if (!named.has(name)) expect(written.goal).toBe(OLD);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

test('a way back gives every child its earlier template at once, be there room for its pods or not', () => {
  fc.assert(
    fc.property(anyStart, fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), (start, hasRoom) => {
      const workloads = workloadsOf(start);
      for (let round = 0; round < 6; round++) {
        write(workloads, new Set(workloads.map(({ name }) => name)));
        for (const [index, workload] of workloads.entries()) act(workload, hasRoom[index] ?? true);
      }
      write(workloads, 'back');
      expect(workloads.map(({ written }) => written.goal)).toEqual(workloads.map(() => OLD));
    }),
  );
});
