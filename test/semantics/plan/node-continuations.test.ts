import { describe, expect, test } from 'vitest';
import type { RolloutPlanSpec, Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { activePlanOf, type Drive, drive, sendCommand, state } from './drive.ts';
import { fleet, type FleetNode, ofNodes, taken, without } from './nodes.ts';
import { MINUTE, NEW, NEWER, NOW, OLD, ok, planObject, rest, spec } from './rollout.ts';

const one: Step = { id: 'one', update: { to: 1 } };
const canary: Step = {
  id: 'canary',
  update: { to: '100%', nodes: { matchLabels: { track: 'canary' } } },
};
const soak: Step = { id: 'soak', soak: { for: '10m' } };
const tenth: Step = { id: 'tenth', update: { to: '10%', atLeast: 1 } };

/** Ten nodes, of which the last three have `track=canary`. */
const nodes = fleet(10).map((node, n): FleetNode => {
  return { ...node, labels: n < 7 ? {} : { track: 'canary' } };
});

const change = (from: readonly FleetNode[], at: number, parts: Partial<FleetNode>): FleetNode[] =>
  from.map((node, n) => (n === at ? { ...node, ...parts } : node));
const at = (...places: number[]): FleetNode[] =>
  nodes.map((node, n) => (places.includes(n) ? (taken([node], 1)[0] ?? node) : node));

interface Place {
  steps: Step[];
  /** The nodes with the change, one after the other. */
  course: FleetNode[][];
  /** One of these nodes breaks, which fails the step; undefined: nothing can. */
  broken?: [at: number, parts: Partial<FleetNode>];
}

/** Steps in which four nodes may have the change: three canaries, and the one before. */
const places: Readonly<Record<string, Place>> = {
  'the step about labels': {
    steps: [one, canary, rest],
    course: [at(0), at(0, 7)],
    broken: [7, { restarts: 1, restartedWhenAvailable: true }],
  },
  'the gate after it': {
    steps: [one, canary, soak, rest],
    course: [at(0), at(0, 7, 8, 9)],
    broken: [7, { available: false }],
  },
  'the gate after a later step': {
    steps: [one, canary, tenth, ok, rest],
    course: [at(0), at(0, 7, 8, 9)],
  },
};

const partition = { hash: NEW, bound: { partition: 1 } };
const next = (of: RolloutPlanSpec, parts: Partial<RolloutPlanSpec>): RolloutPlanSpec => ({
  ...of,
  digest: 'h1:bbbb',
  supersedes: ['h1:aaaa'],
  ...parts,
});

/** Halts the plan by a broken node, which is mended then. */
function fail(self: Drive, { broken }: Place, now: readonly FleetNode[]): void {
  if (broken === undefined) throw new Error('nothing fails there');
  self.view = { ...ofNodes(change(now, ...broken)), partition: self.view.partition };
  self.reconcile();
  expect(state(self)).toContain('Halted');
  self.view = { ...ofNodes(now), partition: self.view.partition };
}

/** How a step goes on under another plan, or begins again. */
const ways: Readonly<Record<string, (self: Drive, of: RolloutPlanSpec) => void>> = {
  'a plan with other limits'(self, of) {
    const steps = of.steps.map((step) =>
      step.update === undefined
        ? step
        : { ...step, update: { ...step.update, window: { maxUnavailable: 3 } } },
    );
    self.plans = [planObject(next(of, { steps }))];
  },
  'a plan with a loosened bound'(self, of) {
    self.view = { ...self.view, partition: 0 };
    self.plans = [planObject(next(of, { to: { hash: NEW, bound: {} } }))];
  },
};
const afterFailure: typeof ways = {
  'another attempt'(self, of) {
    self.plans = [planObject(next(of, { attempt: 2 }))];
  },
  Resume(self) {
    expect(sendCommand(self, 'Resume')).toBe('Accepted');
  },
};

/** A rollout at a place, where one with the change has just lost its pod, and one without it is back from a reboot. */
function atPlace(place: Place): { self: Drive; of: RolloutPlanSpec; now: FleetNode[] } {
  const of = spec({ to: partition, steps: place.steps });
  const self = drive({ view: { ...ofNodes(nodes), partition: 1 }, plans: [planObject(of)] });
  self.reconcile();
  const last = place.course.at(-1) ?? [];
  const now = change(change(last, 5, { available: false }), 0, { isEmpty: true });
  for (const each of [...place.course, change(last, 5, { available: false, isReady: false }), now]) {
    self.view = { ...ofNodes(each), partition: 1 };
    self.reconcile();
  }
  return { self, of, now };
}

/** How many nodes may have the change, and which are away. */
function numbers(self: Drive): unknown {
  const { envelope } = self.reconcile();
  return { allowed: envelope.allowed, away: activePlanOf(self)?.progress.away };
}

const expected = { allowed: 4, away: ['n-05'] };

describe.each(Object.entries(places))('%s', (_place, place) => {
  test.each(Object.entries(ways))('keeps its numbers under %s', (_way, go) => {
    const { self, of } = atPlace(place);
    const before = state(self);
    expect(numbers(self)).toEqual(expected);
    go(self, of);
    expect(numbers(self)).toEqual(expected);
    expect([state(self), activePlanOf(self)?.spec.digest]).toEqual([before, 'h1:bbbb']);
  });
});

const failing = Object.entries(places).filter(([, { broken }]) => broken !== undefined);

describe.each(failing)('%s, failed', (_place, place) => {
  test.each(Object.entries(afterFailure))('keeps its numbers under %s', (_way, go) => {
    const { self, of, now } = atPlace(place);
    const before = state(self);
    fail(self, place, now);
    go(self, of);
    expect(numbers(self)).toEqual(expected);
    expect(state(self)).toBe(before);
  });
});

describe.each<[what: string, step: Step, allowed: number]>([
  ['half of all nodes', { id: 'half', update: { to: '50%' } }, 5],
  [
    'half of those with labels',
    { id: 'half', update: { to: '50%', nodes: { matchLabels: { track: 'blue' } } } },
    2,
  ],
])('a step of %s, and as many that join', (_what, step, allowed) => {
  const blue: FleetNode['labels'] = { track: 'blue' };
  const labeled = (count: number): FleetNode[] =>
    fleet(count).map((node, n) => (n % 10 < 4 ? { ...node, labels: blue } : node));
  const before = taken(labeled(10), 1);
  const joined = taken(labeled(20), 1).map((node, n) =>
    n < 10 ? node : { ...node, joinedAt: NOW + MINUTE },
  );
  const place: Place = {
    steps: [step, rest],
    course: [before, joined],
    broken: [0, { restarts: 1, restartedWhenAvailable: true }],
  };

  function inStep(): { self: Drive; of: RolloutPlanSpec } {
    const of = spec({ to: partition, steps: place.steps });
    const self = drive({ view: { ...ofNodes(labeled(10)), partition: 1 }, plans: [planObject(of)] });
    self.reconcile();
    for (const each of place.course) {
      self.view = { ...ofNodes(each), partition: 1 };
      self.reconcile();
    }
    return { self, of };
  }
  const size = (self: Drive): unknown => {
    const { envelope } = self.reconcile();
    return [state(self), envelope.allowed, envelope.joinedUntil];
  };

  test.each(Object.entries(ways))('is as large as it was under %s', (_way, go) => {
    const { self, of } = inStep();
    go(self, of);
    expect(size(self)).toEqual(['Running half', allowed, 0]);
    expect(activePlanOf(self)?.spec.digest).toBe('h1:bbbb');
  });

  test.each(Object.entries(afterFailure))('is as large as it was under %s', (_way, go) => {
    const { self, of } = inStep();
    fail(self, place, joined);
    go(self, of);
    expect(size(self)).toEqual(['Running half', allowed, 0]);
  });
});

test('a plan that takes over knows which nodes are away', () => {
  const { self, of } = atPlace({ steps: [one, rest], course: [at(0)] });
  self.view = { ...self.view, liveHash: NEWER };
  const from = [NEW, OLD].map((hash) => ({ hash, mode: 'InPlace' as const }));
  self.plans = [planObject(next(of, { to: { hash: NEWER, bound: { partition: 1 } }, from }))];
  self.reconcile();
  expect(activePlanOf(self)?.progress).toMatchObject({ phase: 'Running', step: 0, away: ['n-05'] });
});

describe('what is down when a halted plan goes on', () => {
  const half: Step = { id: 'half', update: { to: '50%' } };
  const twenty = spec({ steps: [half, soak, rest] });

  /** Ten of 20 nodes have the change, one of these breaks in the soak, and others are lost. */
  function halted(lost: readonly number[]): Drive {
    const self = drive({ view: ofNodes(fleet(20)), plans: [planObject(twenty)] });
    self.reconcile();
    self.view = ofNodes(taken(fleet(20), 10));
    self.reconcile();
    self.view = ofNodes(without(without(taken(fleet(20), 10), [3]), lost, { isReady: false }));
    self.reconcile();
    expect(state(self)).toBe('Halted soak Breach');
    return self;
  }

  test.each(Object.entries(afterFailure))('is accepted where it is an outage: %s', (_what, go) => {
    const down = ([15, 16, 17] as const).map((lost) => `n-${lost}`);
    const [few, many] = [halted([15]), halted([15, 16, 17])];
    for (const self of [few, many]) {
      go(self, twenty);
      self.reconcile();
      expect(state(self)).toBe('Soaking soak');
    }
    expect(activePlanOf(few)?.progress.down).toBe(undefined);
    expect(activePlanOf(many)?.progress.down).toEqual(down);
  });
});
