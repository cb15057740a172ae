import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { emptyContext } from '../../../semantics/plan/rollout-context.ts';
import { type Drive, drive, state } from './drive.ts';
import { fleet, type FleetNode, ofNodes, taken } from './nodes.ts';
import { MINUTE, NOW, planObject, rest, spec } from './rollout.ts';

/** The gates that watch pods, each for ten minutes. */
const gates: readonly [what: string, gate: Step][] = [
  ['a soak', { id: 'gate', soak: { for: '10m' } }],
  ['the check `pods`', { id: 'gate', check: { use: 'pods', for: '10m' } }],
  ['a named check', { id: 'gate', check: { use: 'error-rate', for: '10m' } }],
];

const onNew = taken(fleet(10), 10);

/** The same with the node at a place changed. */
const change = (nodes: readonly FleetNode[], at: number, parts: Partial<FleetNode>): FleetNode[] =>
  nodes.map((node, n) => (n === at ? { ...node, ...parts } : node));

const lost = { isReady: false, available: false };
const starting = { available: false, restarts: 1 };

/** Eleven nodes, of which the last one has joined. */
const joined = (parts: Partial<FleetNode> = {}, joinedAt = NOW + MINUTE): FleetNode[] =>
  change(taken(fleet(11), 11), 10, { joinedAt, createdAt: joinedAt, ...parts });

/** The nodes as they are one after the other, each for a while, and for the rest of the gate. */
type Course = readonly FleetNode[][];

/** A rollout in its gate, after the step of all. */
function inGate(gate: Step, before: readonly FleetNode[] = onNew): Drive {
  const check = { digest: 'h1:aaaa', step: 'gate', at: NOW, is: 'pass' as const, message: 'it passes' };
  const self = drive({
    view: ofNodes(fleet(10)),
    plans: [planObject(spec({ steps: [rest, gate] }))],
    context: { ...emptyContext, check },
  });
  self.reconcile();
  self.view = ofNodes(before);
  self.reconcile();
  return self;
}

/** What becomes of a gate in which this happens. */
function through(self: Drive, course: Course): string {
  for (const nodes of course) {
    self.view = ofNodes(nodes);
    self.wait(30_000);
    self.reconcile();
  }
  self.wait(12 * MINUTE);
  return state(self);
}

describe.each(gates)('%s', (_gate, gate) => {
  test.each<[what: string, course: Course]>([
    ['a node is lost', [change(onNew, 3, lost)]],
    [
      'a node reboots',
      [change(onNew, 3, lost), change(onNew, 3, starting), change(onNew, 3, { restarts: 1 })],
    ],
    ['and its pod is not available again yet', [change(onNew, 3, lost), change(onNew, 3, starting)]],
    ['a node joins', [joined({ available: false }), joined()]],
    ['and its pod restarts while it starts', [joined(starting), joined({ restarts: 1 })]],
    ['and its pod finds no room', [joined({ available: false, unschedulable: 'no room' })]],
  ])('passes while %s', (_what, course) => {
    expect(through(inGate(gate), course)).toBe('Succeeded Completed');
  });

  test('passes though a node is back that was down before the plan, and its pod starts', () => {
    const self = drive({
      view: ofNodes(change(taken(fleet(10), 4), 3, { ...lost, restarts: 0 })),
      plans: [planObject(spec({ steps: [rest, gate] }))],
      context: inGate(gate).context,
    });
    self.reconcile();
    const down = change(onNew, 3, lost);
    self.view = ofNodes(down);
    self.reconcile();
    expect(through(self, [down, change(onNew, 3, starting), change(onNew, 3, { restarts: 1 })])).toBe(
      'Succeeded Completed',
    );
  });

  test('passes though a node has joined in the step before, whose pod is not available', () => {
    const before = joined({ available: false }, NOW);
    expect(through(inGate(gate, before), [before])).toBe('Succeeded Completed');
  });

  test.each<[what: string, course: Course]>([
    ['a pod is not available any more', [change(onNew, 5, { available: false })]],
    ['a pod restarts', [change(onNew, 5, { restarts: 1 })]],
    [
      'one restarts again after the reboot of its node',
      [change(onNew, 3, lost), change(onNew, 3, { restarts: 1 }), change(onNew, 3, { restarts: 2 })],
    ],
    ['one of a node that has joined restarts', [joined({ restarts: 1, restartedWhenAvailable: true })]],
  ])('fails where %s', (_what, course) => {
    expect(through(inGate(gate), course)).toMatch(/^Halted gate (Breach|CheckFailed)$/);
  });

  test('waits without a clock while the only node with the change is away', () => {
    const self = drive({
      view: ofNodes(fleet(10)),
      plans: [planObject(spec({ steps: [{ id: 'one', update: { to: 1 } }, gate, rest] }))],
      context: inGate(gate).context,
    });
    self.reconcile();
    const one = taken(fleet(10), 1);
    self.view = ofNodes(one);
    self.reconcile();
    self.view = ofNodes(change(one, 0, lost));
    const { waitingOn } = self.wait(60 * MINUTE);
    expect([waitingOn, self.memory[0]?.progress.step]).toEqual(['1 of 1 to become available again', 1]);
    self.view = ofNodes(change(one, 0, starting));
    expect(self.wait(60 * MINUTE).waitingOn).toBe('1 of 1 to become available again');
    self.view = ofNodes(change(one, 0, { restarts: 1 }));
    self.wait(12 * MINUTE);
    expect(state(self)).toBe('Running rest');
  });
});

test.each(gates)(
  '%s counts restarts of a new pod from none, where the old one has restarted as its node did',
  (_gate, gate) => {
    const self = drive({
      view: ofNodes(fleet(10)),
      plans: [planObject(spec({ steps: [rest, gate] }))],
      context: inGate(gate).context,
    });
    const old = change(fleet(10), 3, { restarts: 2 });
    for (const nodes of [fleet(10), change(fleet(10), 3, lost), old, onNew]) {
      self.view = ofNodes(nodes);
      self.reconcile();
    }
    expect(state(self)).toMatch(/^(Soaking|Checking) gate$/);
    expect(through(self, [change(onNew, 3, { restarts: 1 })])).toMatch(/^Halted gate (Breach|CheckFailed)$/);
  },
);

test('the check `pods` has a condition of the pods that are judged alone', () => {
  const gate: Step = { id: 'gate', check: { use: 'pods', args: { condition: 'Warm' }, for: '10m' } };
  const warm = onNew.map((node) => ({ ...node, conditions: { Warm: 'True' } }));
  expect(through(inGate(gate, warm), [change(warm, 3, { ...lost, conditions: {} })])).toBe(
    'Succeeded Completed',
  );
  expect(through(inGate(gate, warm), [change(warm, 3, { conditions: {} })])).toBe('Halted gate CheckFailed');
});
