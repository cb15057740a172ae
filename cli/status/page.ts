import { livePage, type LiveState, type LiveStep, type LiveTarget } from '../../compiler/render/page/live.ts';
import type { RolloutPlan, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { allowedPods } from '../../semantics/plan/allowed.ts';
import { pageHash } from '../page-hash.ts';
import { shownPhase, type TargetStatus } from './read.ts';
import { kindOfTarget } from './target-kind.ts';
import { stepsOf } from './tree.ts';

/** Seconds after which a page that is served is loaded anew. */
const RELOADS_AFTER = 10;

/** Statuses as one page of HTML. `now`: milliseconds since 1970. */
export function statusPage(
  statuses: readonly TargetStatus[],
  now: number,
  { about = [], isServed = false }: { about?: readonly string[]; isServed?: boolean } = {},
): string {
  return livePage(
    {
      targets: statuses.map(liveTarget),
      about,
      at: new Date(now).toISOString().replace(/\.\d+Z$/, 'Z'),
      reloadsAfter: isServed ? RELOADS_AFTER : undefined,
    },
    pageHash,
  );
}

function liveTarget(status: TargetStatus): LiveTarget {
  const { namespace, kind, name, counts, message, waitingOn, plan } = status;
  const units = unitsOf(status);
  return {
    namespace,
    kind,
    name,
    state: stateOf(status),
    phase: shownPhase(status),
    counts,
    message: message || (waitingOn === '' ? '' : `waits for ${waitingOn}`),
    digest: plan?.spec.digest,
    steps: plan === undefined ? [] : liveSteps(status, plan, units?.wanted ?? 0),
    units,
  };
}

function stateOf({ verdict, phase, plan }: TargetStatus): LiveState {
  if (verdict === 'failed') return 'Failed';
  if (phase === 'AwaitingApproval' || phase === 'Paused') return 'Waits for a person';
  if (verdict === 'held' || phase === 'Held') return 'Held';
  if (verdict === 'underway') return 'In progress';
  return plan === undefined ? 'No plan' : 'Done';
}

function unitsOf({ object }: TargetStatus): LiveTarget['units'] {
  if (object?.['status'] === undefined) return undefined;
  const kind = kindOfTarget(object);
  if (kind.shape === 'Standing') return undefined;
  const counts = kind.facts.status.counts(object);
  if (counts.of !== 'units') return undefined;
  return { wanted: counts.wanted, available: counts.available, nouns: kind.facts.nouns };
}

function liveSteps(status: TargetStatus, plan: RolloutPlan, wanted: number): LiveStep[] {
  return stepsOf(status, plan).map(({ id, state, what, command }, index) => ({
    id,
    state,
    what,
    command,
    updated: updatedBy(plan.spec.steps[index], wanted),
  }));
}

/** What a server does not check of a plan: one that nobody can read keeps no other target from the page. */
function updatedBy(step: Step | undefined, wanted: number): number | undefined {
  const size: { to?: unknown; atLeast?: unknown; subsets?: unknown } | null | undefined = step?.update;
  const { to, atLeast, subsets } = size ?? {};
  // How many pods a subset has is not known here.
  if (subsets !== undefined) return undefined;
  const least = typeof atLeast === 'number' && atLeast > 0 ? { atLeast } : {};
  if (typeof to === 'number') return to >= 0 ? allowedPods({ to, ...least }, wanted) : undefined;
  return typeof to === 'string' && /^\d{1,3}(?:\.\d{1,9})?%$/.test(to)
    ? allowedPods({ to, ...least }, wanted)
    : undefined;
}
