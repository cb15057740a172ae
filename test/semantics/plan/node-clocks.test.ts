import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import * as fc from '../../property.ts';
import { type Drive, drive, state } from './drive.ts';
import { fleet, type FleetNode, ofNodes, taken } from './nodes.ts';
import { MINUTE, NEW, NOW, OLD, planObject, rest, spec } from './rollout.ts';

const canary = { matchLabels: { track: 'canary' } };
const step = (to: number | string, nodes?: typeof canary): Step => ({
  id: 'step',
  update: { to, ...(nodes !== undefined && { nodes }) },
});

/** So many nodes, of which the first ones have `track=canary`. */
const labeled = (count: number, canaries: number): FleetNode[] =>
  fleet(count).map((node, n): FleetNode => ({ ...node, labels: n < canaries ? { track: 'canary' } : {} }));

const change = (nodes: readonly FleetNode[], at: number, parts: Partial<FleetNode>): FleetNode[] =>
  nodes.map((node, n) => (n === at ? { ...node, ...parts } : node));

function rollout(nodes: readonly FleetNode[], first: Step): Drive {
  const self = drive({ view: ofNodes(nodes), plans: [planObject(spec({ steps: [first, rest] }))] });
  self.reconcile();
  return self;
}

const lost = { isReady: false, available: false };
const JUST = NOW + MINUTE;

/** A step whose only node is the first one. */
const steps: readonly [what: string, nodes: FleetNode[], of: Step][] = [
  ['one of many', fleet(12), step(1)],
  ['one node in all', fleet(1), step('100%')],
  ['the only node with its labels', labeled(12, 1), step('100%', canary)],
  ['one of those with its labels', labeled(12, 3), step(1, canary)],
];

describe.each(steps)('a step of %s, which is down', (_what, nodes, of) => {
  test('waits for it without a clock, and is done with it', () => {
    const self = rollout(nodes, of);
    const updated = change(taken(nodes, 1), 0, { createdAt: JUST });
    self.view = ofNodes(change(updated, 0, lost));
    expect(self.wait(60 * MINUTE).waitingOn).toContain(
      '1 pod to become available, on nodes that are not ready or have joined since',
    );
    expect(self.reconcile()).toMatchObject({ doneAt: undefined, failsAt: undefined });
    expect(state(self)).toBe('Running step');
    self.view = ofNodes(updated);
    self.reconcile();
    expect(state(self)).toMatch(/^(Running rest|Succeeded Completed)$/);
  });

  test('has its time again once the node is back', () => {
    const self = rollout(nodes, of);
    const updated = change(taken(nodes, 1), 0, { createdAt: JUST, available: false });
    self.view = ofNodes(change(updated, 0, lost));
    self.wait(60 * MINUTE);
    self.view = ofNodes(updated);
    self.wait(9 * MINUTE);
    expect(state(self)).toBe('Running step');
    self.wait(2 * MINUTE);
    expect(state(self)).toBe('Halted step Timeout');
  });

  // The change may be what takes it down.
  test.each<[Step['onFailure'], string]>([
    ['Halt', 'Halted step Timeout'],
    ['Revert', 'Reverted step Timeout'],
  ])('fails by its own timeout, with onFailure %s', (onFailure, ended) => {
    const self = rollout(nodes, { ...of, timeout: '15m', onFailure });
    self.view = ofNodes(change(change(taken(nodes, 1), 0, { createdAt: JUST }), 0, lost));
    self.wait(14 * MINUTE);
    expect(state(self)).toBe('Running step');
    expect(self.reconcile().failsAt).toBe(self.now + MINUTE);
    self.wait(2 * MINUTE);
    expect(state(self)).toBe(ended);
  });
});

test('a step fails by its time only where a node that is there keeps it', () => {
  const worlds = fc.record({
    parts: fc.array(
      fc.record({
        isCanary: fc.boolean(),
        hash: fc.constantFrom(NEW, OLD),
        available: fc.boolean(),
        isReady: fc.boolean(),
        isEmpty: fc.boolean(),
        canTake: fc.boolean(),
      }),
      { minLength: 1, maxLength: 12 },
    ),
    to: fc.constantFrom<number | string>(1, 3, '50%', '100%'),
    isLabeled: fc.boolean(),
  });
  fc.assert(
    fc.property(worlds, ({ parts, to, isLabeled }) => {
      const before = parts.map(({ isCanary, canTake }, n): FleetNode => {
        const [node] = fleet(n + 1).slice(-1);
        return { ...(node as FleetNode), canTake, labels: isCanary ? { track: 'canary' } : {} };
      });
      const self = rollout(before, step(to, isLabeled ? canary : undefined));
      const nodes = before.map((node, n): FleetNode => {
        const { isCanary = false, ...part } = parts[n] ?? {};
        const isOther = isLabeled && !isCanary;
        return { ...node, createdAt: JUST, ...part, ...(isOther && { hash: OLD }) };
      });
      self.view = ofNodes(nodes);
      const allowed = Number(self.reconcile().envelope.allowed);
      self.wait(11 * MINUTE);
      const isOf = ({ labels }: FleetNode): boolean => !isLabeled || labels['track'] === 'canary';
      const isAt = ({ hash, isEmpty }: FleetNode): boolean => hash === NEW && isEmpty !== true;
      const there = nodes.filter((node) => isOf(node) && node.isReady);
      const isOnItsWay = there.some((node) => isAt(node) && !node.available);
      const canTakeMore = there.some((node) => !isAt(node) && node.canTake);
      const isShort = nodes.filter(isAt).length < allowed;
      if (!isOnItsWay && !(canTakeMore && isShort)) expect(state(self)).not.toBe('Halted step Timeout');
    }),
    { numRuns: 100 },
  );
});
