import { expect, test } from 'vitest';
import { statusesOf, type StatusObjects } from '../../../cli/status/read.ts';
import { statusTable } from '../../../cli/status/table.ts';
import { statusTree, stepsOf } from '../../../cli/status/tree.ts';
import { plain } from '../../../compiler/text/paint.ts';
import type { RolloutPlanStatus } from '../../../schemas/generated/types/rolloutplan.ts';
import { asking, DIGEST, held, is, NOW, plan, running, statusObjects, target } from './objects.ts';

const done = plan('web', { phase: 'Succeeded', steps: '6/6', conditions: [is('Ready', 'Completed')] });
const back = plan('web', { phase: 'Reverted', conditions: [is('Ready', 'WentBack')] });
const aborted = plan('web', { phase: 'Aborted', conditions: [is('Stalled', 'Aborted')] });
const halted = plan('web', { phase: 'Halted', conditions: [is('Stalled', 'Halted')] });
/** A plan with steps to come that waits for somebody else, or for a time. */
const resting = (reason: string) => plan('web', { phase: 'Running', conditions: [is('Ready', reason)] });
const stillOld = { ...halted, metadata: { ...halted.metadata, generation: 2 } };
test.each<[string, Partial<StatusObjects>, string, string?]>([
  ['succeeded', { targets: [target('web')], plans: [done] }, 'done'],
  ['reverted by git', { targets: [target('web')], plans: [back] }, 'done'],
  ['halted', { targets: [target('web')], plans: [halted] }, 'failed'],
  ['a verdict about an older generation', { targets: [target('web')], plans: [stillOld] }, 'underway'],
  ['running', { targets: [target('web')], plans: [running] }, 'underway'],
  ['awaiting approval', { targets: [target('web')], plans: [asking] }, 'underway'],
  ['awaiting a time', { targets: [target('web')], plans: [resting('AwaitingSchedule')] }, 'underway'],
  ['awaiting a pod', { targets: [target('web')], plans: [resting('AwaitingPods')] }, 'underway'],
  [
    'awaiting a wider bound',
    { targets: [target('web', held('Bound', ''))], plans: [resting('Bound')] },
    'underway',
  ],
  ['not observed', { targets: [target('web')], plans: [plan('web', undefined)] }, 'underway'],
  [
    'succeeded, and a new change has no plan',
    { targets: [target('web', held('NoPlan', ''))], plans: [done] },
    'held',
  ],
  [
    'aborted, and a new change has no plan',
    { targets: [target('web', held('NoPlan', ''))], plans: [aborted] },
    'held',
  ],
  ['aborted', { targets: [target('web', held('Aborted', ''))], plans: [aborted] }, 'failed'],
  [
    'succeeded, and a new plan waits for a slot',
    { targets: [target('web', held('Queued', ''))], plans: [done] },
    'underway',
  ],
  [
    'no plan, and a change',
    { targets: [target('web', { updatedReplicas: 0, ...held('NoPlan', '') })] },
    'held',
  ],
  [
    'a hold that a new manifest may have ended',
    { targets: [target('web', { observedGeneration: 1, ...held('NoPlan', '') })], plans: [done] },
    'underway',
  ],
  [
    'a change without a plan, and another plan is meant',
    { targets: [target('web', held('NoPlan', ''))], plans: [done] },
    'underway',
    'h1:b',
  ],
  ['succeeded up to the partition', { targets: [target('web', held('Bound', ''))], plans: [done] }, 'done'],
  ['an older target', { targets: [target('web', { observedGeneration: 1 })], plans: [done] }, 'underway'],
  ['the plan that is meant', { targets: [target('web')], plans: [done] }, 'done', DIGEST],
  ['another than is meant', { targets: [target('web')], plans: [halted] }, 'underway', 'h1:b'],
  ['no plan, complete', { targets: [target('web')] }, 'done'],
  ['no plan, underway', { targets: [target('web', { updatedAvailableReplicas: 3 })] }, 'underway'],
  ['no plan, a pod is missing', { targets: [target('web', { availableReplicas: 3 })] }, 'underway'],
  ['no target', { plans: [done] }, 'underway'],
])('verdict: %s', (_what, parts, expected, digest?: string) => {
  expect(statusesOf(statusObjects(parts), digest).map(({ verdict }) => verdict)).toEqual([expected]);
});

const noPlan = 'the template of CloneSet shop/web changed and no plan covers it; run kruise plan';
test.each([
  ['NoPlan', done],
  ['Queued', done],
  ['NoPlan', aborted],
])('a hold (%s) takes precedence over the outcome of the last rollout', (reason, last) => {
  const all = statusObjects({
    targets: [target('web', { updatedReplicas: 0, ...held(reason, noPlan) })],
    plans: [
      { ...last, status: { ...(last['status'] as object), steps: '6/6', message: 'every step is done' } },
    ],
  });
  const [status] = statusesOf(all);
  if (status === undefined) throw new Error('there is one');
  expect(status).toMatchObject({ phase: 'Held', step: '', waitingOn: reason, message: noPlan });
  const drawing = { paint: plain, now: NOW, columns: undefined };
  const phase = String((last['status'] as RolloutPlanStatus).phase);
  expect(statusTree(status, all, drawing).slice(0, 6)).toEqual([
    'CloneSet/web in shop: Held',
    `  ${noPlan}`,
    '  0/4 updated, 4/4 ready',
    '',
    `Plan cloneset-web, ${DIGEST}, attempt 2: ${phase}`,
    expect.stringMatching(phase === 'Succeeded' ? /^ {2}done {5}batch-1/ : /^ {2}to come {2}batch-1/),
  ]);
  const [, row = ''] = statusTable([status], drawing);
  expect(row.split(/ {2,}/)).toEqual([
    'shop',
    'CloneSet/web',
    'Held',
    '0/4',
    '4/4',
    reason,
    expect.any(String),
    noPlan,
  ]);
});

/** The state of each step of a rollout at its second step. */
function stepStates(status: RolloutPlanStatus): string[] {
  const object = plan('web', { step: 'approve-1', ...status });
  const [found] = statusesOf(statusObjects({ targets: [target('web')], plans: [object] }));
  if (found?.plan === undefined) throw new Error('there is one');
  return stepsOf(found, found.plan).map(({ state }) => state);
}

test.each<[string, string, RolloutPlanStatus]>([
  [
    'is reverted by a user',
    'stopped',
    { phase: 'Reverting', conditions: [is('Reconciling', 'RevertAsked')] },
  ],
  ['was reverted by a user', 'stopped', { phase: 'Reverted', conditions: [is('Stalled', 'RevertAsked')] }],
  ['is reverted by git', 'stopped', { phase: 'Reverting', conditions: [is('Reconciling', 'WentBack')] }],
  ['went back with git', 'stopped', { phase: 'Reverted', conditions: [is('Ready', 'WentBack')] }],
  ['was aborted', 'stopped', { phase: 'Aborted', conditions: [is('Stalled', 'Aborted')] }],
  [
    'is reverted after a failure',
    'failed',
    { phase: 'Reverting', conditions: [is('Reconciling', 'Timeout')] },
  ],
  ['went back as it failed', 'failed', { phase: 'Reverted', conditions: [is('Stalled', 'Breach')] }],
  [
    'waits, and whose plan was edited,',
    'stopped',
    { phase: 'AwaitingApproval', conditions: [is('Stalled', 'Unverified')] },
  ],
  ['has halted', 'failed', { phase: 'Halted', conditions: [is('Stalled', 'Timeout')] }],
])('the step of a rollout that %s is shown as %s', (_what, state, status) => {
  const isOver = ['Reverting', 'Reverted', 'Aborted'].includes(status.phase ?? '');
  expect(stepStates(status)).toEqual(['done', state, ...Array(4).fill(isOver ? 'not done' : 'to come')]);
});

test.each<[phase: RolloutPlanStatus['phase'], approves: string[]]>([
  ['Pending', ['approve-1', 'approve-2']],
  ['AwaitingApproval', ['approve-1', 'approve-2']],
  ['Halted', ['approve-2']],
  ['Reverting', []],
  ['Aborted', []],
  ['Reverted', []],
  ['Succeeded', []],
])('the approvals that a rollout in phase %s takes are %j', (phase, approves) => {
  const reason = phase === 'Halted' || phase === 'Aborted' ? 'Stalled' : 'Ready';
  const object = plan('web', { phase, step: 'approve-1', conditions: [is(reason, phase ?? '')] });
  const [found] = statusesOf(statusObjects({ targets: [target('web')], plans: [object] }));
  if (found?.plan === undefined) throw new Error('there is one');
  const steps = stepsOf(found, found.plan);
  expect(steps.flatMap(({ id, command }) => (command === undefined ? [] : [id]))).toEqual(approves);
});
