import { expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { activePlan } from '../../../semantics/plan/memory.ts';
import { drive, type Drive, sendCommand, state } from './drive.ts';
import { accepted, canary, NEW, NEWER, OLD, ok, planObject, pods, rest, spec, view } from './rollout.ts';

const A = 'h1:aaaa';
const B = 'h1:bbbb';
const soak: Step = { id: 'soak', soak: { for: '10m' } };
const two = { view: view({ pods: [...pods(NEW, 2), ...pods(OLD, 3)] }) };

/** The answer to an approval, in the same reconcile. */
function approve(self: Drive, digest: string, step: string): [result: unknown, answer: unknown] {
  const before = self.answers.length;
  return [sendCommand(self, 'Approve', { digest, step, by: 'mona' }), self.answers[before]];
}

/** A plan to NEWER that supersedes none: it waits while the active one proceeds. */
const next = planObject(
  spec({
    digest: B,
    to: { hash: NEWER, bound: {} },
    from: [{ hash: OLD, mode: 'InPlace' }],
    steps: [canary, ok, rest],
  }),
);

test('of an invalid plan it is refused at once, with the problem', () => {
  const refused = { reason: 'Unverified', message: 'its digest is h1:ffff by its content' } as const;
  const self = drive({ ...two, plans: [{ ...planObject(spec({ steps: [canary, ok, rest] })), refused }] });
  expect(approve(self, A, 'ok')).toEqual([
    'Refused',
    'Approve of ok by mona: plan plan-aaaa is not valid: its digest is h1:ffff by its content. Fix that first, and send the command again',
  ]);
});

test('so it is while another plan is active', () => {
  const refused = { reason: 'Unverified', message: 'edited' } as const;
  const self = drive({ ...two, plans: [{ ...next, refused }], memory: [accepted(spec(), { step: 0 })] });
  expect(approve(self, B, 'ok')).toEqual([
    'Refused',
    `Approve of ok by mona: plan ${next.name} is not valid: edited. Fix that first, and send the command again`,
  ]);
});

test.each<[string, Parameters<typeof accepted>[1]]>([
  ['runs', { step: 0 }],
  ['has halted', { phase: 'Halted', step: 0, cause: 'failure', reason: 'Timeout' }],
  ['goes back', { phase: 'Reverting', cause: 'failure', goal: OLD, reason: 'Timeout' }],
])(
  'of a plan that waits while the active one %s it is recorded at once, until that plan is accepted',
  (_is, progress) => {
    const own = spec({ steps: [canary, ok, rest] });
    const self = drive({ ...two, plans: [next], memory: [accepted(own, progress)] });
    const before = activePlan(self.memory)?.progress.approved;
    expect(approve(self, B, 'ok')).toEqual([
      'Accepted',
      'mona approved ok; it takes effect when the plan is accepted and canary is done',
    ]);
    expect(activePlan(self.memory)?.spec.digest).toBe(A);
    expect(activePlan(self.memory)?.progress.approved).toEqual(before);
    const kept = self.memory.find(({ spec: { digest } }) => digest === B);
    expect(kept?.progress).toMatchObject({ phase: 'Pending', approved: ['ok'] });
    expect(approve(self, B, 'canary')[0]).toBe('Refused');
  },
);

test('a recorded approval takes effect once its plan is active', () => {
  const self = drive({ ...two, plans: [next], memory: [accepted(spec(), { step: 0 })] });
  approve(self, B, 'ok');
  const { supersedes: _none, ...content } = next.spec;
  self.plans = [{ ...next, spec: { ...content, supersedes: [A] } }];
  self.view = view({ liveHash: NEWER, pods: pods(OLD, 5) });
  self.reconcile();
  expect(activePlan(self.memory)).toMatchObject({ spec: { digest: B }, progress: { approved: ['ok'] } });
});

test('each of two different plans has its own approvals', () => {
  const one = planObject(spec({ steps: [ok, rest] }));
  const self = drive({ ...two, plans: [one, { ...next, name: 'other' }] });
  expect(approve(self, B, 'ok')).toEqual([
    'Accepted',
    'mona approved ok; it takes effect when the plan is accepted and canary is done',
  ]);
});

test.each<[string, number, Step[], string]>([
  ['at its gate', 1, [canary, ok, rest], 'mona approved ok'],
  ['one step early', 0, [canary, ok, rest], 'mona approved ok; it takes effect when canary is done'],
  [
    'two steps early',
    0,
    [canary, soak, ok, rest],
    'mona approved ok; it takes effect when canary and soak are done',
  ],
  [
    'many steps early',
    0,
    [canary, soak, ...[2, 3, 4].map((n): Step => ({ id: `soak-${n}`, soak: { for: '1m' } })), ok, rest],
    'mona approved ok; it takes effect when canary to soak-4 (5 steps) are done',
  ],
])('%s the answer names the steps it waits for', (_when, step, steps, answer) => {
  const plan = spec({ steps });
  const progress = step === 0 ? {} : ({ phase: 'AwaitingApproval' } as const);
  const self = drive({
    view: view({ pods: step === 0 ? pods(OLD, 5) : [...pods(NEW, 3), ...pods(OLD, 2)] }),
    plans: [planObject(plan)],
    memory: [accepted(plan, { step, ...progress })],
  });
  expect(approve(self, A, 'ok')).toEqual(['Accepted', answer]);
  expect(state(self)).toMatch(step === 0 ? /canary/ : /rest/);
});
