import { expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import {
  allowedInChildren,
  judgeChildren,
  partsAtStart,
  withinChildren,
} from '../../../semantics/plan/child-step.ts';
import { partsOf } from '../../../semantics/plan/child-parts.ts';
import { allowedPods } from '../../../semantics/plan/allowed.ts';
import { statedPartition } from '../../../semantics/plan/stated-partition.ts';
import type { RolloutView } from '../../../semantics/plan/rollout-view.ts';
import type { ChildRow, ChildUnits } from '../../../semantics/plan/units.ts';
import * as fc from '../../property.ts';
import { child, viewOf } from './children.ts';
import { accepted, NEW, NOW, OLD, rest, spec } from './rollout.ts';

interface Zone {
  size: number;
  kept: number;
  updated: number;
}

const someZones = fc.array(fc.record({ size: fc.nat(6), kept: fc.nat(6), updated: fc.nat(6) }), {
  minLength: 1,
  maxLength: 4,
});
const someSteps = fc.array(
  fc.record({ percent: fc.integer({ min: 1, max: 100 }), subsets: fc.subarray(['0', '1', '2', '3']) }),
  { maxLength: 2 },
);

function stepsOf(some: readonly { percent: number; subsets: string[] }[]): Step[] {
  const steps = some.map(({ percent, subsets }, index): Step => {
    const named = subsets.length === 0 ? {} : { subsets };
    return { id: `step-${index}`, update: { to: `${percent}%`, ...named } };
  });
  return [...steps, rest];
}

/**
 * The pods of each zone on the new revision once a step is done, where each zone follows what it is given and some have more there than
 * its partition lets go.
 */
function afterSteps(zones: readonly Zone[], steps: readonly Step[]) {
  const named = zones.flatMap(({ kept }, index) =>
    kept === 0 ? [] : [{ subset: String(index), count: kept }],
  );
  const bound = named.length === 0 ? { partition: 0 } : { partitions: named };
  const planned = spec({ steps: [...steps], to: { hash: NEW, bound } });
  const viewAt = (updated: readonly number[]): RolloutView<ChildUnits> =>
    viewOf(
      zones.map(({ size }, index) => child(String(index), size, { updated: updated[index] ?? 0 })),
    ) as RolloutView<ChildUnits>;
  let updated = zones.map((zone) => Math.min(zone.updated, zone.size));
  let before: ReturnType<typeof accepted>['progress'] | undefined;
  return steps.map((step, index) => {
    const start = viewAt(updated);
    const parts = partsAtStart(start, { spec: planned, step: index }, start.replicas, before);
    const now = accepted(planned, { phase: 'Running', step: index, frozenN: start.replicas, ...parts });
    before = now.progress;
    for (let round = 0; round < 10; round += 1) {
      const view = viewAt(updated);
      const within = withinChildren(view, now, index, [statedPartition(bound)]);
      const shares = partsOf(allowedInChildren(view, now, index), NEW, view.units.children, within);
      updated = updated.map((count, zone) => Math.max(count, shares.get(String(zone))?.allowed ?? 0));
    }
    return { step, updated, judged: judgeChildren(viewAt(updated), now, step, NOW) };
  });
}

test('each step ends, and gives a zone no more than its partition lets go', () => {
  fc.assert(
    fc.property(someZones, someSteps, (zones, some) => {
      const started = zones.map((zone) => Math.min(zone.updated, zone.size));
      const most = zones.map(({ size, kept }, index) => Math.max(size - kept, started[index] ?? 0, 0));
      const ends = afterSteps(zones, stepsOf(some));
      const replicas = zones.reduce((sum, { size }) => sum + size, 0);
      let allowed = started.reduce((sum, count) => sum + count, 0);
      for (const { step, updated, judged } of ends) {
        for (const [index, count] of updated.entries()) expect(count).toBeLessThanOrEqual(most[index] ?? 0);
        const total = updated.reduce((sum, count) => sum + count, 0);
        if (some.every(({ subsets }) => subsets.length === 0) && step.update !== undefined) {
          // A later step for fewer takes none back.
          allowed = Math.max(allowed, allowedPods(step.update, replicas));
          expect(total).toBeLessThanOrEqual(allowed);
        }
        if (total > 0) expect(judged).toEqual({ is: 'done' });
      }
      expect(ends.at(-1)?.updated).toEqual(most);
    }),
    { numRuns: 300 },
  );
});

test('an old pod beyond what its own subset keeps is waited for, though another subset lacks one that it keeps', () => {
  const bound = {
    partitions: [
      { subset: 'a', count: 1 },
      { subset: 'b', count: 1 },
    ],
  };
  const planned = spec({ steps: [rest], to: { hash: NEW, bound } });
  const judgedWith = (oldInA: number, oldInB: number): string => {
    const zone = (name: string, old: number, updated: number): ChildRow => ({
      ...child(name, 4, { updated }),
      pods: [
        { hash: OLD, count: old, available: old },
        { hash: NEW, count: updated, available: updated },
      ],
    });
    const view = viewOf([zone('a', oldInA, 3), zone('b', oldInB, 3)]) as RolloutView<ChildUnits>;
    return judgeChildren(view, accepted(planned, { phase: 'Running', step: 0, frozenN: 8 }), rest, NOW).is;
  };
  expect(judgedWith(1, 1)).toBe('done');
  expect(judgedWith(1, 0)).toBe('done');
  expect(judgedWith(2, 1)).toBe('underway');
  expect(judgedWith(2, 0)).toBe('underway');
});
