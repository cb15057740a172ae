import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { sharesOf } from '../../../semantics/plan/shares-of.ts';
import { mostBySubset } from '../../../semantics/plan/step-subsets.ts';
import type { ChildRow } from '../../../semantics/plan/units.ts';
import * as fc from '../../property.ts';
import { child, type ChildParts, given, viewOf } from './children.ts';
import { type Drive, drive, sendCommand, state } from './drive.ts';
import { NEW, OLD, planObject, rest, spec } from './rollout.ts';

const update = (id: string, subsets: string[], to: number | string = '100%'): Step => ({
  id,
  update: { to, subsets },
});
const onlyB = update('only-b', ['b']);
const onlyA = update('only-a', ['a']);
const plain = (to: number | string): Step => ({ id: 'all', update: { to } });

const zones = (a: ChildParts = {}, b: ChildParts = {}, c: ChildParts = {}): ChildRow[] => [
  child('a', 5, a),
  child('b', 3, b),
  child('c', 2, c),
];

describe('the most pods of each child after steps by subset', () => {
  const mostAfter = (steps: Step[], children = zones()): unknown => {
    const most = mostBySubset(steps, 10, children);
    return most && Object.fromEntries(most);
  };
  test.each<[string, Step[], unknown]>([
    ['nothing where no step names one', [plain('20%')], undefined],
    ['of the subset alone', [onlyB], { a: 0, b: 3, c: 0 }],
    ['of its own pods, as a percentage', [update('x', ['a'], '50%')], { a: 2, b: 0, c: 0 }],
    ['of several together, in their order', [update('x', ['c', 'b'], 4)], { a: 0, b: 3, c: 1 }],
    ['beside those of earlier steps', [onlyB, onlyA], { a: 5, b: 3, c: 0 }],
    ['beside those of a step of all', [plain('20%'), onlyB], { a: 2, b: 3, c: 0 }],
    [
      'as the step before left it, where it is for less',
      [onlyB, update('x', ['b'], 1)],
      { a: 0, b: 3, c: 0 },
    ],
    [
      'what an earlier step took of them counts',
      [plain('20%'), update('x', ['a', 'c'], 3)],
      { a: 3, b: 0, c: 0 },
    ],
    ['none where the subset is gone', [update('x', ['z'])], { a: 0, b: 0, c: 0 }],
    ['with what a step of all adds', [onlyB, plain('50%')], { a: 2, b: 3, c: 0 }],
  ])('%s', (_what, steps, expected) => {
    expect(mostAfter(steps)).toEqual(expected);
  });

  test('leaves out what the bound of the plan keeps, and gives that to the next one', () => {
    const kept = new Map([
      ['a', 1],
      ['b', 3],
      ['c', 0],
    ]);
    const mostOf = (steps: Step[]): unknown => {
      const most = mostBySubset(steps, 10, zones(), kept);
      return most && Object.fromEntries(most);
    };
    expect(mostOf([onlyA])).toEqual({ a: 1, b: 0, c: 0 });
    expect(mostOf([update('x', ['a', 'b'], 3)])).toEqual({ a: 1, b: 2, c: 0 });
    expect(mostOf([onlyB, plain('50%')])).toEqual({ a: 1, b: 3, c: 0 });
  });

  test('one that changes as a whole has all of its pods, or none', () => {
    const whole = zones({ steps: 'whole' });
    expect(mostAfter([update('x', ['a'], '50%')], whole)).toEqual({ a: 0, b: 0, c: 0 });
    expect(mostAfter([update('x', ['a', 'b'], '80%')], whole)).toEqual({ a: 0, b: 3, c: 0 });
    expect(mostAfter([onlyA], whole)).toEqual({ a: 5, b: 0, c: 0 });
  });

  const someUpdates = fc.array(
    fc.record({
      to: fc.oneof(fc.nat(8), fc.constantFrom('10%', '50%', '100%')),
      subsets: fc.subarray(['a', 'b', 'c'], { minLength: 1 }),
    }),
    { minLength: 1, maxLength: 4 },
  );
  test('grows from step to step, and is of the subsets that were named', () => {
    fc.assert(
      fc.property(someUpdates, fc.tuple(fc.nat(6), fc.nat(6), fc.nat(6)), (updates, [a, b, c]) => {
        const children = [child('a', a), child('b', b), child('c', c)];
        const all = updates.map((each, index): Step => ({ id: String(index), update: each }));
        let before: ReadonlyMap<string, number> = new Map();
        for (let count = 1; count <= all.length; count += 1) {
          const most = mostBySubset(all.slice(0, count), a + b + c, children) ?? new Map<string, number>();
          const named = new Set(updates.slice(0, count).flatMap(({ subsets }) => subsets));
          for (const { name, size } of children) {
            const now = most.get(name) ?? 0;
            expect(now).toBeGreaterThanOrEqual(before.get(name) ?? 0);
            expect(now).toBeLessThanOrEqual(named.has(name) ? size : 0);
          }
          before = most;
        }
      }),
    );
  });
});

function begun(steps: Step[], children = zones()): Drive {
  const self = drive({ view: viewOf(children), plans: [planObject(spec({ steps }))] });
  self.reconcile();
  return self;
}

function report(self: Drive, children: readonly ChildRow[]): void {
  const { stable, complete, liveHash } = self.view;
  self.view = viewOf(children, { stable, complete, liveHash });
}

function allowedNow(self: Drive): Record<string, number> {
  const { units } = self.view;
  const { envelope } = self.reconcile();
  const children = units.of === 'children' ? units.children : [];
  const shares = sharesOf(envelope, {}, children, () => ({}));
  return Object.fromEntries(
    [...shares].map(([name, { share }]) => [name, share.goal === NEW ? share.allowed : 0]),
  );
}

describe('a step by subset', () => {
  test('takes its subset alone, and is done when that is there', () => {
    const self = begun([onlyB, onlyA, rest]);
    expect(allowedNow(self)).toEqual({ a: 0, b: 3, c: 0 });
    expect(self.reconcile().waitingOn).toBe('pods: 0 of 3 are updated and available');
    report(self, zones({}, { updated: 3 }));
    self.reconcile();
    expect(state(self)).toBe('Running only-a');
    expect(allowedNow(self)).toEqual({ a: 5, b: 3, c: 0 });
    report(self, zones({ updated: 5 }, { updated: 3 }));
    self.reconcile();
    expect(state(self)).toBe('Running rest');
    expect(allowedNow(self)).toEqual({ a: 5, b: 3, c: 2 });
    report(self, zones({ updated: 5 }, { updated: 3 }, { updated: 2 }));
    self.reconcile();
    expect(state(self)).toBe('Succeeded Completed');
  });

  test('is not done by pods of other subsets, which keep what they have and get no more', () => {
    const others = zones({ updated: 3, given: given(NEW, 5) });
    const self = begun([onlyB, rest], others);
    report(self, others);
    expect(state(self)).toBe('Running only-b');
    // Until a has observed that it gets no more, its pods may be anywhere up to what it was given.
    expect(allowedNow(self)).toEqual({ a: 3, b: 1, c: 0 });
    report(self, zones({ updated: 3 }));
    expect(allowedNow(self)).toEqual({ a: 3, b: 3, c: 0 });
    // As many as the step wants of b, but of a.
    expect(self.reconcile().waitingOn).toBe('pods: 3 of 6 are updated and available');
    report(self, zones({ updated: 3 }, { updated: 3 }));
    self.reconcile();
    expect(state(self)).toBe('Running rest');
  });

  test('goes on with all pods as a step of all counts them, and takes none back', () => {
    const self = begun([onlyB, plain('20%'), rest]);
    report(self, zones({}, { updated: 3 }));
    self.reconcile();
    self.reconcile();
    expect(state(self)).toBe('Running rest');
    const half = begun([onlyB, plain('50%'), rest]);
    report(half, zones({}, { updated: 3 }));
    half.reconcile();
    expect(allowedNow(half)).toEqual({ a: 2, b: 3, c: 0 });
  });

  test('is over at once where its subset is gone, or has no pods', () => {
    expect(state(begun([update('gone', ['z']), rest]))).toBe('Running rest');
    const self = begun([onlyA, onlyB, rest], [child('a', 5), child('b', 0), child('c', 2)]);
    report(self, [child('a', 5, { updated: 5 }), child('b', 0), child('c', 2)]);
    self.reconcile();
    self.reconcile();
    expect(state(self)).toBe('Running rest');
  });

  test('of 100% follows the pods that its subset gets, and leaves pods that move elsewhere', () => {
    const self = begun([onlyB, rest]);
    report(self, [child('a', 3), child('b', 5), child('c', 2)]);
    expect(allowedNow(self)).toEqual({ a: 0, b: 5, c: 0 });
    report(self, [child('a', 7), child('b', 1), child('c', 2)]);
    expect(allowedNow(self)).toEqual({ a: 0, b: 1, c: 0 });
  });

  test('of less is of the pods at its start, whatever is scaled in between', () => {
    const ok: Step = { id: 'ok', approve: {} };
    const self = begun([update('half', ['b'], '50%'), ok, rest], [child('a', 4), child('b', 4)]);
    report(self, [child('a', 4), child('b', 4, { updated: 2 })]);
    self.reconcile();
    expect(state(self)).toBe('AwaitingApproval ok');
    for (const size of [8, 4, 12, 4]) {
      report(self, [child('a', size), child('b', size, { updated: 2 })]);
      expect(allowedNow(self)).toEqual({ a: 0, b: 2 });
    }
  });

  test('of all after it has a number that no scale widens, and takes none of the zone that is through', () => {
    const ok: Step = { id: 'ok', approve: {} };
    const self = begun(
      [onlyB, { id: 'half', update: { to: '50%' } }, ok, rest],
      [child('a', 8), child('b', 4)],
    );
    report(self, [child('a', 8), child('b', 4, { updated: 4 })]);
    self.reconcile();
    expect(allowedNow(self)).toEqual({ a: 2, b: 4 });
    report(self, [child('a', 16, { updated: 2 }), child('b', 8, { updated: 4 })]);
    expect(allowedNow(self)).toEqual({ a: 2, b: 8 });
    report(self, [child('a', 8, { updated: 2 }), child('b', 4, { updated: 4 })]);
    expect(allowedNow(self)).toEqual({ a: 2, b: 4 });
  });

  test('leaves what an earlier step of all gave, though there are more pods now', () => {
    const self = begun([plain('20%'), onlyB, rest], [child('a', 6), child('b', 4)]);
    report(self, [child('a', 12, { updated: 2 }), child('b', 8)]);
    self.reconcile();
    expect(state(self)).toBe('Running only-b');
    expect(allowedNow(self)).toEqual({ a: 2, b: 8 });
  });

  test('moves no pod of another subset back that an earlier plan has taken on', () => {
    const between = 'h1:between';
    const pods = [{ hash: between, count: 5, available: 5 }];
    const children = [child('a', 5, { pods, given: given(between, 5) }), child('b', 3)];
    const within = { a: 0, b: 3 };
    const envelope = { goal: NEW, stable: OLD, allowed: 3, moving: true, mode: 'Recreate', within } as const;
    const shares = sharesOf(envelope, {}, children, () => ({}));
    expect(shares.get('a')?.share).toMatchObject({ moving: false, window: {} });
    expect(shares.get('b')?.share).toMatchObject({ goal: NEW, allowed: 3, moving: true });
  });

  test('stays as it is while the plan is halted, and goes back as a whole', () => {
    const self = begun([onlyB, rest]);
    report(
      self,
      zones(
        {},
        { updated: 2, broken: 1, given: given(NEW, 3), failing: { pods: 1, message: 'its pods crash' } },
      ),
    );
    self.reconcile();
    expect(state(self)).toBe('Halted only-b Breach');
    expect(allowedNow(self)).toEqual({ a: 0, b: 2, c: 0 });
    expect(sendCommand(self, 'Revert')).toBe('Accepted');
    const { envelope } = self.reconcile();
    expect(envelope).toMatchObject({ goal: OLD, allowed: 'unbounded' });
    expect(envelope.within).toBeUndefined();
  });

  test('is asked for in a gate after it: a pod that it lacks is replaced', () => {
    const soak: Step = { id: 'soak', soak: { for: '10m' } };
    const self = begun([onlyB, soak, rest]);
    report(self, zones({}, { updated: 3 }));
    self.reconcile();
    expect(state(self)).toBe('Soaking soak');
    expect(self.reconcile().envelope.moving).toBe(false);
    report(self, zones({}, { updated: 2, given: given(NEW, 3) }));
    expect(self.reconcile().envelope.moving).toBe(true);
    expect(allowedNow(self)).toEqual({ a: 0, b: 3, c: 0 });
  });
});
