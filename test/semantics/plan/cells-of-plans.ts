import type { AdvanceInput } from '../../../semantics/plan/advance-input.ts';
import type { Column } from '../../../semantics/plan/table.ts';
import {
  NEW,
  NEWER,
  ok,
  OLD,
  OLDER,
  type Outline,
  planObject,
  pods,
  rest,
  spec,
  UNEXPECTED,
} from './rollout.ts';
import { A, B, begins, C, type Cell, columns, createCells, putAside, quiet, resting } from './situations.ts';

const { cells, cell, blocks, stays } = createCells();
/** A new plan object that becomes active without being judged for acceptance first, and whose mode does not suffice. */
function haltedAtOnce(digest: string, from: Column): Outline {
  return {
    ...begins(digest, from),
    phase: 'Halted',
    reason: 'ModeMismatch',
    writes: [`accept ${digest} Halted 0`, ...putAside(from)],
    transitions: ['PlanAccepted', 'Halted'],
  };
}

{
  const window = { maxUnavailable: 2 };
  const steps = [
    { id: 'canary', update: { to: 3, window } },
    ok,
    { id: 'rest', update: { to: '100%', window } },
  ];
  const wider = planObject(spec({ digest: B, supersedes: [A], steps }));
  for (const column of columns.filter((c) => c !== 'Pending')) {
    const of = resting(column, { plans: [wider] });
    const { phase, step } = { step: 0, ...quiet(column) };
    if (column === 'Reverting')
      stays('newPlanContinues', column, of, { pending: { [wider.name]: 'NotSuperseding' } });
    else
      cell('newPlanContinues', column, of, {
        ...quiet(column),
        plan: B,
        writes: [`accept ${B} ${phase} ${step}`, ...putAside(column)],
        ...(column !== 'Succeeded' && { transitions: ['PlanAccepted'] }),
      });
  }
  cell(
    'newPlanContinues',
    'active',
    resting('active', { plans: [wider] }, {}, { phase: 'AwaitingApproval', step: 1, approved: ['ok'] }),
    {
      plan: B,
      phase: 'AwaitingApproval',
      step: 1,
      writes: [`accept ${B} AwaitingApproval 1`, `progress ${A} Superseded 1 approved ok`],
      transitions: ['PlanAccepted'],
    },
    'at a gate: it is asked again',
  );
}

const ended: readonly Column[] = ['Succeeded', 'Reverted', 'Aborted'];

{
  // A higher attempt: the verdict on the active plan would apply otherwise.
  const again = planObject(spec({ digest: B, supersedes: [A], attempt: 2 }));
  const same = (column: Column): AdvanceInput => resting(column, { plans: [again] });
  const name = again.name;
  cell('newPlanSameTo', 'active', same('active'), {
    ...begins(B, 'active'),
  });
  cell(
    'newPlanSameTo',
    'active',
    resting('active', { plans: [again] }, {}, { phase: 'AwaitingApproval', step: 1, approved: ['ok'] }),
    {
      plan: B,
      phase: 'AwaitingApproval',
      step: 1,
      writes: [`accept ${B} AwaitingApproval 1`, `progress ${A} Superseded 1 approved ok`],
      transitions: ['PlanAccepted'],
    },
    'at a gate: an approval does not carry over',
  );
  stays('newPlanSameTo', 'Reverting', same('Reverting'), { pending: { [name]: 'NotSuperseding' } });
  const bounded = pods(NEW, 3);
  cell(
    'newPlanSameTo',
    'Succeeded',
    resting(
      'Succeeded',
      { plans: [planObject(spec({ digest: B, steps: [rest] }))] },
      { pods: [...bounded, ...pods(OLD, 2)], retained: { hash: OLD, n: 2 } },
    ),
    begins(B, 'Succeeded'),
    'a looser bound: continues at the first step that is not done',
  );
  cell(
    'newPlanSameTo',
    'Succeeded',
    resting(
      'Succeeded',
      { plans: [planObject(spec({ digest: B, steps: [{ id: 'first', update: { to: 3 } }, rest] }))] },
      { pods: [...bounded, ...pods(OLD, 2)], retained: { hash: OLD, n: 2 } },
    ),
    { plan: B, phase: 'Running', step: 1, writes: [`accept ${B} Running 1`], transitions: ['PlanAccepted'] },
    'a step that is done already is not done again',
  );
  cell('newPlanSameTo', 'Halted', same('Halted'), {
    plan: B,
    phase: 'Running',
    step: 2,
    writes: [`accept ${B} Running 2`],
    transitions: ['PlanAccepted'],
  });
  cell('newPlanSameTo', 'Reverted', same('Reverted'), begins(B, 'Reverted'));
  cell('newPlanSameTo', 'Aborted', same('Aborted'), begins(B, 'Aborted'));
  for (const column of ['Reverted', 'Aborted'] as const) {
    cell(
      'newPlanSameTo',
      column,
      resting(column, { plans: [again] }, { modeTo: () => 'Recreate' }),
      { ...quiet(column), pending: { [again.name]: 'ModeMismatch' } },
      'not acceptable yet',
    );
  }
}

{
  const successor = (supersedes: string[], digest: string) =>
    planObject(
      spec({
        digest,
        supersedes,
        to: { hash: NEWER, bound: {} },
        from: [NEW, OLD, OLDER].map((hash) => ({ hash, mode: 'InPlace' as const })),
      }),
    );
  const taker = successor([A], B);
  // It starts from an unknown revision, so it cannot have been made on top of the active plan.
  const stranger = planObject({ ...successor([], C).spec, from: [{ hash: UNEXPECTED, mode: 'InPlace' }] });
  for (const column of columns.filter((c) => c !== 'Pending')) {
    const takes = resting(column, { plans: [taker] }, { liveHash: NEWER });
    cell('newPlanTakesOver', column, takes, begins(B, column));

    // If the active plan has ended, and another revision was completed since, nothing prevents it from starting.
    const none = ended.includes(column) ? { pods: [], stable: UNEXPECTED } : {};
    const neither = resting(column, { plans: [stranger] }, { liveHash: NEWER, ...none });
    if (column === 'active' || column === 'Halted')
      blocks('newPlanNeither', column, neither, 'NotSuperseding', { [stranger.name]: 'NotSuperseding' });
    else if (column === 'Reverting')
      stays('newPlanNeither', column, neither, { pending: { [stranger.name]: 'NotSuperseding' } });
    else cell('newPlanNeither', column, neither, begins(C, column));
  }
  for (const column of ended) {
    // Judged as if none had been accepted: what would halt an active plan prevents its acceptance.
    cell(
      'newPlanTakesOver',
      column,
      resting(column, { plans: [taker] }, { liveHash: NEWER, modeTo: () => 'Recreate' }),
      { ...quiet(column), pending: { [taker.name]: 'ModeMismatch' } },
      'not acceptable yet',
    );
    cell(
      'newPlanNeither',
      column,
      resting(column, { plans: [stranger] }, { liveHash: NEWER }),
      { ...quiet(column), pending: { [stranger.name]: 'UnplannedRevision' } },
      'not acceptable yet',
    );
  }
  for (const column of ['active', 'Reverting', 'Halted'] as const) {
    cell(
      'newPlanTakesOver',
      column,
      resting(column, { plans: [taker] }, { liveHash: NEWER, modeTo: () => 'Recreate' }),
      haltedAtOnce(B, column),
      'active at once, and halted because of the mode that its pods need',
    );
  }
  cell(
    'newPlanTakesOver',
    'active',
    resting(
      'active',
      {
        plans: [
          planObject(spec({ digest: B, supersedes: [A], steps: [{ id: 'x', update: { to: 3 } }, rest] })),
        ],
      },
      {},
      { step: 2 },
    ),
    {
      ...begins(B, 'active'),
      writes: [`accept ${B} Running 0`, `progress ${A} Superseded 2`],
    },
    'the same revision by other steps: starts at step 1',
  );
}

cell(
  'newPlanTakesOver',
  'active',
  resting('active', {
    plans: [planObject(spec({ digest: B, steps: [{ id: 'x', update: { to: 3 } }, rest] }))],
  }),
  begins(B, 'active'),
  'it leads to the same revision, and need not supersede the other',
);
cell(
  'verdictStands',
  'Pending',
  resting('Reverted', { plans: [planObject(spec({ digest: B }))] }),
  { ...quiet('Reverted'), pending: { 'plan-bbbb': 'Verdict' } },
  'a failed change is not retried by another plan object with the same attempt',
);
cell('acceptable', 'Pending', resting('Pending'), begins(A, 'Pending'));
blocks(
  'tooManyBroken',
  'Pending',
  resting('Pending', {}, { replicas: 2_001, pods: pods(OLD, 2_001, { available: false }) }),
  'TooManyBroken',
);
const unlisted = { stable: UNEXPECTED, complete: new Set([UNEXPECTED]) };
const settled = (hash: string): Outline => ({
  phase: 'Pending',
  writes: [`complete ${hash}`],
  transitions: ['StableMoved'],
});
cell('staleStable', 'Pending', resting('Pending', {}, unlisted), settled(OLD));
const mixed = [...pods(OLD, 3, { available: false }), ...pods(OLDER, 2)];
cell(
  'staleStable',
  'Pending',
  resting('Pending', {}, { ...unlisted, pods: mixed }),
  settled(OLDER),
  'the revision with most available pods',
);
blocks('unlistedPod', 'Pending', resting('Pending', {}, { ...unlisted, pods: [] }), 'UnplannedRevision');
cell(
  'acceptable',
  'Pending',
  resting('Pending', {}, { stable: NEW, pods: pods(NEW, 5) }),
  {
    plan: A,
    phase: 'Succeeded',
    step: 3,
    reason: 'AlreadyThere',
    writes: [`accept ${A} Succeeded 3`],
    transitions: ['PlanSucceeded'],
  },
  'nothing to do',
);

export const planCells: readonly Cell[] = cells;
