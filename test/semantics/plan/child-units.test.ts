import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { ChildRow } from '../../../semantics/plan/units.ts';
import { child, type ChildParts, given, viewOf } from './children.ts';
import { type Drive, drive, sendCommand, state } from './drive.ts';
import { MINUTE, NEW, OLD, planObject, rest, spec } from './rollout.ts';

const fifth: Step = { id: 'fifth', update: { to: '20%' } };
const half: Step = { id: 'half', update: { to: '50%' } };
const soak: Step = { id: 'soak', soak: { for: '10m' } };

const zones = (a: ChildParts = {}, b: ChildParts = {}, c: ChildParts = {}): ChildRow[] => [
  child('a', 5, a),
  child('b', 3, b),
  child('c', 2, c),
];

/** A rollout over three zones, which has begun. */
function begun(steps: Step[], children = zones()): Drive {
  const self = drive({ view: viewOf(children), plans: [planObject(spec({ steps }))] });
  self.reconcile();
  return self;
}

/** What the children report now. */
function report(self: Drive, children: readonly ChildRow[], parts: Parameters<typeof viewOf>[1] = {}): void {
  const { stable, complete, liveHash } = self.view;
  self.view = viewOf(children, { stable, complete, liveHash, ...parts });
}

describe('a step over children', () => {
  test('is of the pods of all of them, and done when these report so many as available', () => {
    const self = begun([fifth, half, rest]);
    expect(self.reconcile().envelope).toMatchObject({ allowed: 2, moving: true });
    report(self, zones({ updated: 2, broken: 1 }));
    expect(self.reconcile().waitingOn).toBe('pods: 1 of 2 are updated and available (a)');
    report(self, zones({ updated: 2 }));
    self.reconcile();
    expect(state(self)).toBe('Running half');
    report(self, zones({ updated: 5 }));
    expect(self.reconcile().envelope.allowed).toBe(10);
    report(self, zones({ updated: 5 }, { updated: 3 }, { updated: 2 }));
    self.reconcile();
    expect(state(self)).toBe('Succeeded Completed');
    expect(self.view.stable).toBe(NEW);
  });

  test('is not done before every child has reported its present spec', () => {
    const self = begun([fifth, rest]);
    report(self, zones({ updated: 2 }, { isObserved: false }));
    expect(self.reconcile().waitingOn).toBe('pods: 2 of 2 are updated and available (b)');
    report(self, zones({ updated: 2 }));
    self.reconcile();
    expect(state(self)).toBe('Running rest');
  });

  test('does not wait for pods that were broken before it, as many as there were', () => {
    const self = begun([half, rest], zones({ broken: 1 }));
    report(self, zones({ updated: 5, broken: 1 }));
    self.reconcile();
    expect(state(self)).toBe('Running rest');
    const more = begun([half, rest], zones({ broken: 1 }));
    report(more, zones({ updated: 5, broken: 2 }));
    more.reconcile();
    expect(state(more)).toBe('Running half');
  });

  test('leaves out what no child can do as a part, and passes where that is all', () => {
    const whole = zones({ steps: 'whole' }, { steps: 'whole' }, { size: 0 });
    const self = begun([fifth, half, rest], whole);
    // Of 8 pods it would be 2: no zone is as small. Of the half, 4, one zone of 3 fits.
    expect(state(self)).toBe('Running half');
    expect(self.reconcile().envelope.allowed).toBe(3);
  });

  test('fails with the first child that reports a failure, if pods of it on the new revision are broken', () => {
    const failing = { pods: 1, message: 'its pods crash' };
    const self = begun([fifth, rest]);
    report(self, zones({ updated: 1 }, { failing }));
    self.reconcile();
    expect(state(self)).toBe('Running fifth');
    report(self, zones({ updated: 2, broken: 1, failing }));
    self.reconcile();
    expect(state(self)).toBe('Halted fifth Breach');
    expect(self.memory[0]?.progress.message).toBe('a pod of a is not available in fifth (its pods crash)');
    expect(sendCommand(self, 'Resume')).toBe('Accepted');
    self.reconcile();
    expect(state(self)).toBe('Running fifth');
  });

  describe('that continues while a pod of a child fails', () => {
    const crash = (pods: number): ChildParts => ({ failing: { pods, message: `${pods} crash` } });
    const resumed = (parts: ChildParts = {}): Drive => {
      const self = begun([half, rest], zones(parts));
      report(self, zones({ updated: 3, broken: 1, ...parts, ...crash(1) }));
      self.reconcile();
      expect(state(self)).toBe('Halted half Breach');
      expect(sendCommand(self, 'Resume')).toBe('Accepted');
      self.reconcile();
      expect(state(self)).toBe('Running half');
      return self;
    };

    test.each<[string, ChildParts]>([
      ['other pods of it are being replaced', { updated: 3, broken: 3 }],
      ['a pod of it that is not updated is lost', { updated: 2, broken: 3 }],
      ['all but that one come back', { updated: 4, broken: 1 }],
    ])('goes on where %s', (_what, parts) => {
      const self = resumed();
      report(self, zones({ ...parts, ...crash(1) }));
      self.reconcile();
      expect(state(self)).toBe('Running half');
    });

    test('goes on where one is back that was lost at that moment', () => {
      const self = begun([half, rest]);
      report(self, zones({ updated: 1, broken: 2, ...crash(1) }));
      self.reconcile();
      expect(sendCommand(self, 'Resume')).toBe('Accepted');
      report(self, zones({ updated: 1, broken: 1, ...crash(1) }));
      self.reconcile();
      expect(state(self)).toBe('Running half');
    });

    test.each<[string, ChildParts, ChildParts]>([
      ['a further one fails', { updated: 3, broken: 2, ...crash(2) }, {}],
      [
        'one of another child fails',
        { updated: 3, broken: 1, ...crash(1) },
        { updated: 1, broken: 1, ...crash(1) },
      ],
    ])('fails where %s', (_what, a, b) => {
      const self = resumed();
      report(self, zones(a, b));
      self.reconcile();
      expect(state(self)).toBe('Halted half Breach');
    });

    test('fails where one fails that has been available since', () => {
      const self = resumed();
      report(self, zones({ updated: 3 }));
      self.reconcile();
      report(self, zones({ updated: 3, broken: 1, ...crash(1) }));
      self.reconcile();
      expect(state(self)).toBe('Halted half Breach');
    });

    test('takes as many as were broken before the plan for those', () => {
      const self = begun([half, rest], zones({ broken: 1 }));
      report(self, zones({ updated: 3, broken: 1, ...crash(1) }));
      self.reconcile();
      report(self, zones({ updated: 2, broken: 3, ...crash(1) }));
      self.reconcile();
      expect(state(self)).toBe('Running half');
      report(self, zones({ updated: 3, broken: 2, ...crash(2) }));
      self.reconcile();
      expect(state(self)).toBe('Halted half Breach');
    });
  });

  test('fails when no pod becomes available any more', () => {
    const self = begun([fifth, rest]);
    report(self, zones({ updated: 2, broken: 1 }));
    self.wait(11 * MINUTE);
    expect(state(self)).toBe('Halted fifth Timeout');
    expect(self.memory[0]?.progress.message).toBe(
      'no pod became available for 10m in fifth: a pod of a was not available',
    );
  });

  test('follows the pods that are there: scaled in it is narrower, and 100% is all of them', () => {
    const self = begun([half, rest]);
    report(self, [child('a', 2), child('b', 2)]);
    expect(self.reconcile().envelope.allowed).toBe(2);
    report(self, zones({ updated: 2 }));
    self.reconcile();
    expect(state(self)).toBe('Running rest');
    report(self, [child('a', 9, { updated: 2 }), child('b', 3), child('c', 2)]);
    expect(self.reconcile().envelope.allowed).toBe(14);
  });
});

describe('a gate over children', () => {
  const inSoak = (): Drive => {
    const self = begun([fifth, soak, rest]);
    report(self, zones({ updated: 2 }));
    self.reconcile();
    expect(state(self)).toBe('Soaking soak');
    return self;
  };

  test('stands while updated pods are missing: one that is replaced is no failure', () => {
    const self = inSoak();
    report(self, zones({ updated: 2, broken: 1 }));
    self.wait(30 * MINUTE);
    expect(state(self)).toBe('Soaking soak');
    expect(self.reconcile().waitingOn).toBe('1 of 2 to become available again');
    report(self, zones({ updated: 2 }));
    self.wait(11 * MINUTE);
    expect(state(self)).toBe('Running rest');
  });

  test('stands while a child has not reported its present spec', () => {
    const self = inSoak();
    report(self, zones({ updated: 2 }, {}, { isObserved: false }));
    self.wait(30 * MINUTE);
    expect(state(self)).toBe('Soaking soak');
    expect(self.reconcile().waitingOn).toBe('c to report its present spec');
  });

  test('fails with a failure that a child reports of its updated pods', () => {
    const self = inSoak();
    report(self, zones({ updated: 2, broken: 1, failing: { pods: 1, message: 'its pods crash' } }));
    self.reconcile();
    expect(state(self)).toBe('Halted soak Breach');
  });

  test('keeps the bound of the step before it while the allocator moves pods', () => {
    const self = inSoak();
    report(self, [child('a', 1, { updated: 1 }), child('b', 7), child('c', 2)]);
    expect(self.reconcile().envelope).toMatchObject({ allowed: 2, moving: true });
  });
});

describe('going back over children', () => {
  test('takes all of them, and ends when each has reported that', () => {
    const self = begun([half, rest]);
    report(self, zones({ updated: 4 }), { liveHash: OLD });
    expect(self.reconcile().envelope).toMatchObject({ goal: OLD, allowed: 'unbounded', moving: true });
    expect(self.reconcile().waitingOn).toBe('4 more to be reverted');
    report(self, zones({ isObserved: false }));
    expect(self.reconcile().waitingOn).toBe('a to report its present spec');
    report(self, zones());
    self.reconcile();
    expect(state(self)).toMatch(/^Reverted/);
  });
});

describe('what a child makes next', () => {
  const stuck = zones({ given: given(NEW, 5) });

  test('is of the way back, too', () => {
    const self = begun([half, rest]);
    report(self, stuck, { liveHash: OLD });
    expect(self.reconcile().waitingOn).toBe('a to get its earlier template');
    report(self, zones());
    self.reconcile();
    expect(state(self)).toMatch(/^Reverted/);
  });

  test('is of a plan that is there already', () => {
    const isComplete = (children: readonly ChildRow[]): boolean => {
      const view = viewOf(children, { stable: OLD });
      return view.rules().isComplete(view, { ...spec({ steps: [rest] }), to: { hash: OLD, bound: {} } });
    };
    expect([isComplete(stuck), isComplete(zones())]).toEqual([false, true]);
  });
});

describe('a plan of which nothing is left to do', () => {
  test('ends at once, once every child has reported', () => {
    const there = zones({ updated: 5 }, { updated: 3 }, { updated: 2 });
    const late = there.map((each) => ({ ...each, isObserved: false }));
    const view = viewOf(late, { stable: NEW, complete: new Set([OLD, NEW]) });
    const self = drive({ view, plans: [planObject(spec({ steps: [rest] }))] });
    self.reconcile();
    expect(state(self)).toBe('Running rest');
    report(self, there);
    self.reconcile();
    expect(state(self)).toMatch(/^Succeeded/);
  });
});
