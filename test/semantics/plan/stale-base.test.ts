import { describe, expect, test } from 'vitest';
import { heldReason } from '../../../semantics/plan/held.ts';
import { PLAN_FROM_RUNNING } from '../../../semantics/plan/remediation-command.ts';
import { type Drive, drive, activePlanOf, state } from './drive.ts';
import {
  accepted,
  NEW,
  NEWER,
  OLD,
  OLDER,
  planObject,
  pods,
  rest,
  spec,
  UNEXPECTED,
  view,
} from './rollout.ts';

const started = spec({ from: [{ hash: OLD, mode: 'InPlace' }] });
const to = (hash: string) => ({ to: { hash, bound: {} }, digest: 'h1:bbbb' });
/** OLD → NEW has succeeded. */
const succeeded = (parts: Partial<Drive['view']>, stable: string | undefined = OLD): Drive =>
  drive({
    view: view({ stable: NEW, complete: new Set([OLDER, OLD, NEW]), pods: pods(NEW, 5), ...parts }),
    memory: [
      accepted(started, {
        phase: 'Succeeded',
        step: 3,
        ...(stable === undefined ? {} : { before: { stable } }),
      }),
    ],
  });
const held = (self: Drive): string | undefined =>
  heldReason(self.view, self.reconcile(), self.plans)?.message;

describe('a plan that was made against an outdated base', () => {
  const stale = planObject(spec({ ...to(NEWER), from: [{ hash: OLD, mode: 'InPlace' }] }));
  const again = `Plan from the commit with that template (COMMIT), which you commit first if git never had it: ${PLAN_FROM_RUNNING}`;

  // The target was reverted to OLD without any approval, and then the first step started.
  test.each([
    ['there are pods', {}, `the plan starts from old, but the pods are on new. ${again}`],
    [
      'some pods only',
      { pods: [...pods(NEW, 3), ...pods(OLD, 2)] },
      `the plan starts from old, but the pods are on new. ${again}`,
    ],
    [
      'there is no pod',
      { replicas: 0, pods: [] },
      `the plan starts from old, but the target was last complete on new. ${again}`,
    ],
    [
      'the strategy is OnDelete',
      { onDelete: true },
      `the plan starts from old, but the target was last complete on new. ${again}`,
    ],
  ])('is held, and no pod is updated: %s', (_, parts, message) => {
    const self = succeeded({ liveHash: NEWER, ...parts });
    self.plans = [stale];
    const { envelope, pending } = self.reconcile();
    expect(envelope).toMatchObject({ goal: NEW, stable: NEW, moving: false });
    expect(pending.get(stale.name)?.reason).toBe('UnplannedRevision');
    expect(held(self)).toBe(message);
    expect(state(self)).toBe('Succeeded');
  });

  test('a revision that is not in the cluster has no name: the message has the hashes of the plan', () => {
    const self = succeeded({
      liveHash: NEWER,
      nameOf: (hash) => (hash === OLD ? OLD : `web-${hash.slice(3)}`),
    });
    self.plans = [stale];
    expect(held(self)).toContain(
      `the plan starts from ${OLD}, but the pods are on ${NEW} (web-new). Plan from`,
    );
  });

  test('while the plan before it is in progress, that one stays active', () => {
    const self = drive({
      view: view({ liveHash: NEWER, pods: [...pods(NEW, 2), ...pods(OLD, 3)] }),
      memory: [accepted(started, { before: { stable: OLD } })],
      plans: [{ ...stale, spec: { ...stale.spec, from: [{ hash: OLDER, mode: 'InPlace' }] } }],
    });
    expect(self.reconcile()).toMatchObject({
      blocked: { reason: 'NotSuperseding' },
      envelope: { goal: NEW, moving: false },
    });
  });

  test('in Auto it holds the target, too', () => {
    const self = succeeded({ liveHash: NEWER });
    Object.assign(self, { policy: 'Auto', plans: [stale] });
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, moving: false });
  });
});

describe('to which revisions a change of the manifest may revert', () => {
  const onwards = (from: Parameters<typeof spec>[0], stable?: string): Drive => {
    const self = succeeded({}, stable);
    const [current] = self.memory;
    if (current !== undefined) self.memory = [{ ...current, spec: { ...current.spec, ...from } }];
    return self;
  };

  test.each([
    ['what was stable at acceptance, listed or not', OLDER, {}, OLDER, true],
    ['an entry that the target was complete on', OLD, {}, UNEXPECTED, true],
    ['not: another revision that it was complete on', OLDER, {}, OLD, false],
    [
      'not: an entry with depart',
      OLD,
      { from: [{ hash: OLD, mode: 'Recreate', depart: true }] },
      OLDER,
      false,
    ],
    [
      'but: with depart, and stable at acceptance',
      OLD,
      { from: [{ hash: OLD, mode: 'Recreate', depart: true }] },
      OLD,
      true,
    ],
    ['not: what is irreversible', OLD, { irreversible: 'its data moved on' }, OLD, false],
  ] as const)('%s', (_, liveHash, parts, stable, goes) => {
    const self = onwards(parts as Parameters<typeof spec>[0], stable);
    self.view = { ...self.view, liveHash };
    self.reconcile();
    expect(state(self)).toBe(goes ? 'Reverting WentBack' : 'Succeeded');
  });

  test('not if another revision was completed after the plan had ended', () => {
    const self = onwards({}, OLD);
    self.view = { ...self.view, stable: NEWER, pods: pods(NEWER, 5), liveHash: OLD };
    self.reconcile();
    expect(state(self)).toBe('Succeeded');
  });

  test('the stable revision is recorded at acceptance, and retained when the plan restarts', () => {
    const self = drive({ view: view({ stable: OLDER }), plans: [planObject(spec())] });
    self.view = { ...self.view, pods: pods(OLDER, 5) };
    self.reconcile();
    expect(activePlanOf(self)?.progress.before?.stable).toBe(OLDER);
    self.view = { ...self.view, liveHash: OLD, pods: pods(OLD, 5) };
    self.reconcile();
    expect([state(self), self.view.stable]).toEqual(['Reverted canary WentBack', OLD]);
    self.view = { ...self.view, liveHash: NEW };
    self.reconcile();
    expect(activePlanOf(self)?.progress).toMatchObject({ phase: 'Running', before: { stable: OLDER } });
  });
});

describe('a stable revision that the plan does not list', () => {
  const elsewhere = { stable: UNEXPECTED, complete: new Set([UNEXPECTED]) };

  test('no pod is on it: the revision with most available pods becomes stable, then the plan starts', () => {
    const self = drive({
      view: view({ ...elsewhere, pods: [...pods(OLD, 3), ...pods(OLDER, 2)] }),
      plans: [planObject(spec())],
    });
    self.reconcile();
    expect([state(self), self.view.stable]).toEqual(['Running canary', OLD]);
    expect(self.transitions).toEqual(['StableMoved', 'PlanAccepted']);
    expect(activePlanOf(self)?.progress.before?.stable).toBe(OLD);
  });

  test.each([
    ['no pod is available', { pods: pods(OLD, 5, { available: false }) }, []],
    ['a pod is on it', { pods: [...pods(OLD, 4), ...pods(UNEXPECTED, 1)] }, []],
    [
      'a verdict applies to the other',
      {},
      [
        accepted(spec({ ...to(OLD), steps: [rest] }), {
          phase: 'Halted',
          cause: 'failure',
          goal: UNEXPECTED,
        }),
      ],
    ],
  ])('otherwise it is held: %s', (_, parts, memory) => {
    const self = drive({
      view: view({ ...elsewhere, ...parts }),
      plans: [planObject(spec({ supersedes: [] }))],
      memory,
    });
    const result = self.reconcile();
    const pending = result.blocked ?? [...result.pending.values()][0];
    expect(['UnplannedRevision', 'NotSuperseding']).toContain(pending?.reason);
    expect(self.view.stable).toBe(UNEXPECTED);
  });

  test('a plan that would take over waits as well', () => {
    const knows = spec({ ...to(NEWER), from: [{ hash: NEW, mode: 'InPlace' }] });
    const self = drive({
      view: view({ liveHash: NEWER, pods: pods(NEW, 5) }),
      memory: [accepted(started, { before: { stable: OLD } })],
      plans: [planObject(knows)],
    });
    expect(self.reconcile().blocked?.reason).toBe('NotSuperseding');
  });
});
