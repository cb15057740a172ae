import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { GitManifest } from '../../semantics/kinds/git-side.ts';
import { subsetsOf, updatesNone } from '../../semantics/kinds/git-units.ts';
import type { NoUpdates } from '../../semantics/kinds/no-updates.ts';
import { nodesWith } from '../../semantics/plan/step-nodes.ts';
import { subsetsText } from '../../semantics/plan/step-subsets.ts';
import { isUncounted } from '../plan/bound.ts';
import type { Change } from '../plan/change.ts';
import { shorten } from '../text/escape.ts';
import type { ForecastRow } from './forecast-row.ts';
import { gateText, pullText } from './gate-text.ts';
import { partsInSubsets } from './subsets.ts';
import { limitsAt, limitsInSubset, type Pace } from './window.ts';

/** The most characters of labels in the text of a step. */
const MOST_CHARACTERS = 120;

/**
 * A step as a row of the forecast.
 *
 * @param expected how many units there are
 * @param after how many units are on the new revision after it
 * @param rounds in how many rounds it updates them; undefined: that is not known
 */
export function rowOf(
  { action, type }: Change,
  step: Step,
  pace: Pace & { normal: GitManifest },
  expected: number,
  { rounds, after }: { rounds: number | undefined; after: NonNullable<ForecastRow['pods']> },
): ForecastRow {
  const { id, update, pull } = step;
  if (pull !== undefined) return { id, gate: false, what: pullText(pull), pods: undefined };
  if (update === undefined) return { id, gate: true, what: gateText(step), pods: undefined };
  const { normal } = pace;
  const verb = action === 'Claims' ? 'grow the claims of' : 'update to';
  const { maxUnavailable, maxSurge } = limitsAt(step, pace, expected);
  const moves = !normal.paused && after.expected > 0;
  const to = `${update.to}${unitsInStep(update)}`;
  const { noUpdates } = type.facts;
  const speed =
    updatesNone(normal.units) && noUpdates !== undefined
      ? awaitedText(noUpdates)
      : moves
        ? `${atATime(maxUnavailable, maxSurge)}${roundsText(rounds)}`
        : '';
  if (normal.paused || expected === 0 || isUncounted(normal)) {
    return { id, gate: false, what: `${verb} ${to}`, pods: undefined };
  }
  return { id, gate: false, what: `${verb} ${to}${speed}`, pods: after };
}

/**
 * ` of nodes with track=canary, one topology.kubernetes.io/zone after the other`, ` of zone-a`; '' for a step that is about every unit in any
 * order.
 */
function unitsInStep({ nodes, spread, subsets }: NonNullable<Step['update']>): string {
  const units = nodes === undefined ? subsets && subsetsText(subsets) : nodesWith(nodes);
  const of = units === undefined ? '' : ` of ${shorten(units, MOST_CHARACTERS)}`;
  return spread === undefined ? of : `${of}, one ${spread} after the other`;
}

/** What a step waits for that updates no pod itself. */
function awaitedText({ changes }: NoUpdates): string {
  switch (changes) {
    case 'Deleted':
      return ', when users delete pods';
    case 'New':
      return ', as new pods are created';
  }
}

function atATime(down: number, extra: number): string {
  const parts = [
    ...(down > 0 ? [extra > 0 ? `${down} unavailable` : String(down)] : []),
    ...(extra > 0 ? [`${extra} extra`] : []),
  ];
  return parts.length === 0 ? '' : `, ${parts.join(', ')} at a time`;
}

/** The number of rounds of a step, if there is more than one. */
function roundsText(rounds: number | undefined): string {
  return rounds === undefined || rounds < 2 ? '' : `, in ${rounds} rounds`;
}

/** What a plan does to a subset. */
export interface SubsetRow {
  name: string;
  n: number;
  /** How many of its units are on the new revision after a step that updates some of them. */
  taken: { step: string; count: number }[];
  lowestAvailable: number;
}

/**
 * The rows of subsets. The limits of each workload hold beside those of all of them, and of the steps that update its units.
 *
 * @param most how many units of all subsets are unavailable at the most, whatever a step allows
 */
export function subsetRows(
  steps: readonly Step[],
  { normal, limits }: Pace,
  replicas: number,
  most: number,
): SubsetRow[] {
  const { units } = normal;
  const parts = partsInSubsets(units, steps, replicas);
  return (subsetsOf(units) ?? []).map(({ name, n }) => {
    const after = steps.map(({ id }, index) => ({ step: id, count: parts?.[index]?.get(name) ?? 0 }));
    const taken = after.filter(({ count }, index) => count > (after[index - 1]?.count ?? 0));
    const own = units.of === 'subsets' ? limitsInSubset(units, n).maxUnavailable : n;
    const updating = steps.filter(({ id }) => taken.some(({ step }) => step === id));
    const windows = updating.map((step) => limitsAt(step, { normal, limits }, replicas).maxUnavailable);
    const down = Math.min(Math.max(0, ...windows), own, most);
    return { name, n, taken, lowestAvailable: Math.max(n - down, 0) };
  });
}
