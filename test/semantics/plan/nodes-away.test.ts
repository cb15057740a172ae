import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { type Drive, drive, sendCommand, state } from './drive.ts';
import { fleet, type FleetNode, ofNodes, taken, without } from './nodes.ts';
import { MINUTE, NOW, planObject, rest, spec } from './rollout.ts';

// Whether the node itself was on record or not.
test.each([0, 2_099])(
  'of more lost nodes than a record may have none is judged until there are fewer: %i',
  (n) => {
    const onNew = taken(fleet(2_500), 2_500);
    const places = Array.from({ length: 2_100 }, (_, at) => at);
    const soak: Step = { id: 'soak', soak: { for: '10m' } };
    const restartedOnce = onNew.map((node, at) => (at < 2_100 ? { ...node, restarts: 1 } : node));
    const self = drive({
      view: ofNodes(fleet(2_500)),
      plans: [planObject(spec({ steps: [rest, soak] }))],
    });
    const play = (nodes: FleetNode[]): unknown => {
      self.view = ofNodes(nodes);
      self.now += MINUTE / 2;
      self.reconcile();
      return [state(self), self.memory[0]?.progress.away?.length ?? 0];
    };
    self.reconcile();
    expect(play(onNew)).toEqual(['Soaking soak', 0]);
    expect(play(without(onNew, places, { isReady: false }))).toEqual(['Soaking soak', 2_000]);
    // All are back, and have restarted. None is available yet.
    expect(play(without(restartedOnce, places))).toEqual(['Soaking soak', 2_000]);
    expect(play(without(restartedOnce, places.slice(1_500)))).toEqual(['Soaking soak', 600]);
    expect(play(restartedOnce)).toEqual(['Soaking soak', 0]);
    const again = restartedOnce.map((node, at) => (at === n ? { ...node, restarts: 2 } : node));
    expect(play(again)).toEqual(['Halted soak Breach', 0]);
  },
);

// A tenth of them, so that more nodes than a record has are no outage.
describe('of 21,500 nodes, 2,100 are lost', () => {
  const all = fleet(21_500);
  const lost = (nodes: FleetNode[], from: number): FleetNode[] =>
    nodes.map((node, n) =>
      n < from || n >= from + 2_100 ? node : { ...node, isReady: false, available: false },
    );
  const inGate = (to: number, gate: Step): Drive => {
    const steps: Step[] = [{ id: 'some', update: { to } }, gate, rest];
    const self = drive({ view: ofNodes(all), plans: [planObject(spec({ steps }))] });
    self.reconcile();
    self.view = ofNodes(taken(all, to));
    self.reconcile();
    expect(self.memory[0]?.progress.step).toBe(1);
    return self;
  };

  test.each<[string, Step]>([
    ['a soak', { id: 'gate', soak: { for: '1m' } }],
    ['the check `pods`', { id: 'gate', check: { use: 'pods', for: '1m' } }],
  ])(
    'all of them with the change: the clock of %s stands until there are fewer',
    (_what, gate) => {
      const self = inGate(21_500, gate);
      const before = state(self);
      self.view = ofNodes(lost(taken(all, 21_500), 0));
      self.reconcile();
      const waited = self.wait(2 * MINUTE);
      expect([state(self), waited.doneAt, waited.failsAt]).toEqual([before, undefined, undefined]);
      self.view = ofNodes(taken(all, 21_500));
      self.wait(2 * MINUTE);
      expect(state(self)).toBe('Succeeded Completed');
    },
    60_000,
  );

  test('none of them with the change: the pods of those that have it are judged', () => {
    const self = inGate(10, { id: 'gate', soak: { for: '10m' } });
    self.view = ofNodes(lost(taken(all, 10), 100));
    self.reconcile();
    self.view = ofNodes(without(lost(taken(all, 10), 100), [3]));
    self.reconcile();
    expect(state(self)).toBe('Halted gate Breach');
  }, 60_000);
});

describe('nodes that come back one after the other', () => {
  const soak: Step = { id: 'soak', soak: { for: '10m' } };
  const onNew = taken(fleet(400), 400);
  const lost = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);

  /** Forty of 400 nodes are lost in a soak, and each second one of them is Ready again, while its pod starts. */
  function recovering(): { self: Drive; records: number } {
    const self = drive({
      view: ofNodes(fleet(400)),
      plans: [planObject(spec({ steps: [rest, soak, { id: 'ok', approve: {} }] }))],
    });
    self.reconcile();
    self.view = ofNodes(onNew);
    self.reconcile();
    self.view = ofNodes(without(onNew, lost(0, 40), { isReady: false }));
    self.reconcile();
    let records = 0;
    for (let back = 1; back <= 40; back += 1) {
      const [recorded] = self.memory;
      const starting = without(onNew, lost(Math.max(back - 5, 0), back));
      self.view = ofNodes(without(starting, lost(back, 40), { isReady: false }));
      self.now += 1_000;
      self.reconcile();
      if (self.memory[0] !== recorded) records += 1;
    }
    return { self, records };
  }

  test('are recorded every 30 seconds, and judged by what is in memory', () => {
    const { self, records } = recovering();
    expect(records).toBeLessThanOrEqual(2);
    expect(state(self)).toBe('Soaking soak');
    self.view = ofNodes(onNew);
    self.wait(MINUTE);
    expect(self.memory[0]?.progress.away).toBe(undefined);
    // All are back: what breaks now is judged.
    self.view = ofNodes(without(onNew, [3]));
    self.reconcile();
    expect(state(self)).toBe('Halted soak Breach');
  });

  test('are on record after 30 seconds at the latest, for the process that comes next', () => {
    const { self } = recovering();
    self.wait(31_000);
    self.crash();
    self.reconcile();
    expect([state(self), self.memory[0]?.progress.away?.length]).toEqual(['Soaking soak', 5]);
  });

  test('are recorded with any other change', () => {
    const { self } = recovering();
    expect(self.memory[0]?.progress.away?.length).toBeGreaterThan(5);
    sendCommand(self, 'Pause');
    expect(self.memory[0]?.progress.away?.length).toBe(5);
  });
});

test.each([1, 2, 40])(
  'nodes that are lost one after the other are on record within a second, for the process that comes next: %i',
  (count) => {
    const soak: Step = { id: 'soak', soak: { for: '10m' } };
    const onNew = taken(fleet(400), 400);
    const self = drive({ view: ofNodes(fleet(400)), plans: [planObject(spec({ steps: [rest, soak] }))] });
    self.reconcile();
    self.view = ofNodes(onNew);
    self.reconcile();
    const places = Array.from({ length: count + 1 }, (_, n) => n);
    for (const place of places) {
      self.view = ofNodes(without(onNew, places.slice(0, place + 1), { isReady: false }));
      self.now += 500;
      self.reconcile();
      if (place === 0) expect(self.memory[0]?.progress.away?.length).toBe(1);
    }
    self.wait(1_000);
    expect(self.memory[0]?.progress.away?.length).toBe(count + 1);
    self.crash();
    // All are back, and their pods have restarted, before anybody looks.
    self.view = ofNodes(onNew.map((node, n) => (n <= count ? { ...node, restarts: 1 } : node)));
    self.now += 500;
    self.reconcile();
    expect(state(self)).toBe('Soaking soak');
  },
);

test('of 100 nodes that are lost, one with each look at the cluster, all are on record after a second, with few records', () => {
  const soak: Step = { id: 'soak', soak: { for: '10m' } };
  const onNew = taken(fleet(1_000), 1_000);
  const self = drive({ view: ofNodes(fleet(1_000)), plans: [planObject(spec({ steps: [rest, soak] }))] });
  self.reconcile();
  self.view = ofNodes(onNew);
  self.reconcile();
  const places = Array.from({ length: 100 }, (_, n) => n);
  const lost = { count: 0 };
  // Also while a record is written: were each of them recorded before anything else, nothing else would be done.
  Object.defineProperty(self, 'view', {
    get: () => ofNodes(without(onNew, places.slice(0, (lost.count += 1)), { isReady: false })),
  });
  const records = new Set<unknown>();
  const begun = self.now;
  while (lost.count < 100) {
    self.now += 25;
    self.reconcile();
    records.add(self.memory[0]);
  }
  expect(records.size).toBeLessThanOrEqual((self.now - begun) / 1_000 + 2);
  self.wait(1_000);
  expect(self.memory[0]?.progress.away?.length).toBe(100);
  expect(state(self)).toBe('Soaking soak');
});

test('a step that starts keeps those on record first that have the change', () => {
  const some: Step = { id: 'some', update: { to: 1_950 } };
  const soak: Step = { id: 'soak', soak: { for: '10m' } };
  const old = fleet(2_000);
  const onNew = taken(old, 1_950);
  const places = Array.from({ length: 1_950 }, (_, n) => n);
  // Their names come before all others.
  const joined = fleet(100).map((node): FleetNode => {
    return {
      ...node,
      unit: `a-${node.unit}`,
      uid: `${node.uid}-joined`,
      available: false,
      createdAt: NOW,
      joinedAt: NOW,
    };
  });
  const steps: Step[] = [some, { id: 'ok', approve: {} }, soak, rest];
  const self = drive({ view: ofNodes(old), plans: [planObject(spec({ steps }))] });
  self.reconcile();
  self.view = ofNodes(onNew);
  self.reconcile();
  expect(state(self)).toBe('AwaitingApproval ok');
  self.view = ofNodes(without(onNew, places, { isReady: false }));
  self.wait(MINUTE);
  self.view = ofNodes([...without(onNew, places), ...joined]);
  self.wait(MINUTE);
  expect(sendCommand(self, 'Approve', { step: 'ok', digest: 'h1:aaaa' })).toBe('Accepted');
  self.wait(MINUTE);
  expect(state(self)).toBe('Soaking soak');
});
