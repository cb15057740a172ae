import { command, NEW, NEWER, OLD, OLDER, planObject, pods, spec, UNEXPECTED } from './rollout.ts';
import { A, atRest, C, type Cell, columns, createCells, quiet, resting } from './situations.ts';

const { cells, cell, blocks, stays } = createCells();
const planA = planObject(spec());

for (const column of columns) {
  cell('targetDeleted', column, resting(column, {}, { deleting: true }), { ...quiet(column), gone: true });

  const unsupported = resting(column, {}, { unsupported: ['spec.lifecycle'] });
  blocks('targetUnsupported', column, unsupported, 'UnsupportedSemantics');
  const invalid = resting(
    column,
    {},
    { invalid: ['spec.selector is wrong'], unsupported: ['spec.lifecycle'] },
  );
  const wrong = { ...quiet(column), blocked: 'InvalidTarget' };
  cell('targetUnsupported', column, invalid, wrong, 'it is what admission would refuse');

  const active = {
    ...command('BreakGlass', { expires: '2026-01-01T13:00:00Z' }),
    result: 'Accepted' as const,
  };
  blocks('breakGlass', column, resting(column, { commands: [active] }), 'BreakGlass');

  const broken = { ...planA, refused: { reason: 'Unverified', message: 'edited' } as const };
  const unverified = resting(column, { plans: [broken] });
  if (column === 'Pending') blocks('planUnverified', column, unverified, 'Unverified');
  else if (column === 'active')
    blocks('planUnverified', column, unverified, 'Unverified', { [broken.name]: 'Unverified' });
  else stays('planUnverified', column, unverified, { pending: { [broken.name]: 'Unverified' } });

  const stranger = planObject(spec({ digest: C, to: { hash: NEWER, bound: {} } }));
  const twice = resting(column, { plans: [planA, stranger] });
  if (column === 'Pending' || column === 'active' || column === 'Halted')
    blocks(
      'duplicatePlans',
      column,
      twice,
      'DuplicateTarget',
      column === 'Pending' ? {} : { [planA.name]: 'DuplicateTarget', [stranger.name]: 'DuplicateTarget' },
    );
  else if (column === 'Reverting')
    stays('duplicatePlans', column, twice, { pending: { [stranger.name]: 'DuplicateTarget' } });
  else
    cell('duplicatePlans', column, twice, {
      ...quiet(column),
      pending: { [stranger.name]: 'DuplicateTarget' },
    });
}

for (const column of columns.filter((c) => c !== 'Pending')) {
  const elsewhere = column === 'Reverting' || column === 'Reverted' ? { goal: OLDER } : {};
  const where = column === 'Reverted' ? { pods: pods(OLDER, 5), stable: OLDER } : {};
  cell('manifestWentBack', column, resting(column, {}, { liveHash: OLD, ...where }, elsewhere), {
    plan: A,
    phase: 'Reverting',
    step: quiet(column).step ?? 0,
    reason: 'WentBack',
    goal: OLD,
    writes: [`progress ${A} Reverting ${quiet(column).step ?? 0}`],
    transitions: ['GoingBack'],
  });

  const returned = resting(column, {}, {}, { cause: 'git' });
  if (column === 'Reverting' || column === 'Reverted')
    cell('manifestReturned', column, returned, {
      plan: A,
      phase: 'Running',
      step: 0,
      writes: [`progress ${A} Running 0`],
      transitions: ['Restarted'],
    });
  else stays('manifestReturned', column, returned);
}

for (const column of columns) {
  const missing = resting(column, { plans: [] });
  if (column === 'active') blocks('planMissing', column, missing, 'PlanMissing');
  else if (column !== 'Pending') stays('planMissing', column, missing);

  const elsewhere = resting(column, {}, { liveHash: UNEXPECTED });
  if (column === 'Pending' || column === 'active')
    blocks('manifestElsewhere', column, elsewhere, 'ManifestChanged');
  else stays('manifestElsewhere', column, elsewhere);

  const unexpectedPod = resting(
    column,
    {},
    { pods: [...(atRest[column].view.pods ?? pods(OLD, 4)), ...pods(UNEXPECTED, 1)] },
  );
  const beyond = resting(column, {}, { modeTo: () => 'Recreate', pods: [...pods(NEW, 2), ...pods(OLD, 3)] });
  for (const [fact, of, reason] of [
    ['unlistedPod', unexpectedPod, 'UnplannedRevision'],
    ['beyondMode', beyond, 'ModeMismatch'],
  ] as const) {
    if (column === 'Pending') blocks(fact, column, of, reason);
    else if (column === 'active')
      cell(fact, column, of, {
        plan: A,
        phase: 'Halted',
        step: 0,
        reason,
        writes: [`progress ${A} Halted 0`],
        transitions: ['Halted'],
      });
    else stays(fact, column, of);
  }
}

export const targetCells: readonly Cell[] = cells;
