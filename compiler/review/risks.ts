import type { Forecast } from '../forecast/forecast.ts';
import type { Prediction } from '../forecast/prediction.ts';
import { podTemplateOf } from '../../semantics/kinds/git-side.ts';
import { ownedPods } from '../../semantics/kinds/git-units.ts';
import { policyOf } from '../../semantics/policy.ts';
import { hostAccess } from '../../semantics/run/host-access.ts';
import { letsNoneGo } from '../plan/bound.ts';
import type { Change } from '../plan/change.ts';
import { restartsNothing } from '../plan/restarts.ts';
import type { Target } from '../plan/target.ts';
import { RISKS, type Effect, type Risk } from './order.ts';

/** What is dangerous about a change, the most dangerous first. */
export function risksOf(change: Change, prediction: Prediction | undefined, isWarned: boolean): Risk[] {
  const updates = prediction?.of === 'updates' ? prediction.forecast : undefined;
  const moves = updates !== undefined && movesPods(change, updates);
  const facts: Record<Risk, boolean> = {
    LosesData: losesData(change, updates),
    Deletes: (change.action === 'Delete' && change.handover === undefined) || namedPods(change).length > 0,
    MayLoseData: mayLoseData(change),
    NeedsNoPlan: needsNoPlan(change),
    Recreates: moves && updates.mode === 'Recreate',
    NoAvailability: isScaledToZero(change) || (moves && isOut(change, updates)),
    HostAccess: reachesNodes(change, prediction),
    NotReversible: change.plan?.spec.irreversible !== undefined,
    MayRecreate: updates?.moreDisruptive.some(({ mode }) => mode === 'Recreate') === true,
    NoGate: change.plan !== undefined && (updates === undefined || moves) && !hasGate(change.plan.spec),
    NotReproducible: prediction?.forecast.reproducible === false,
    Warned: isWarned,
  };
  return RISKS.filter((risk) => facts[risk]);
}

/** What a change does to pods. */
export function effectOf(change: Change, prediction: Prediction | undefined): Effect {
  if (change.handover !== undefined) return 'to hand over';
  switch (change.action) {
    case 'Create':
      return 'new';
    case 'Delete':
      return 'removed';
    case 'Scale':
      return 'to scale';
    case 'Settings':
      return 'with other settings';
    case 'Claims':
      return 'to grow claims';
    case 'Update':
    case 'Bound':
    case 'Run':
    case 'Again':
    case 'Continue':
    case 'Unplanned':
      return plannedEffect(change, prediction);
    case 'Unchanged':
      return 'without a changed pod';
  }
}

function plannedEffect(change: Change, prediction: Prediction | undefined): Effect {
  switch (prediction?.of) {
    case undefined:
      return 'without a changed pod';
    case 'run':
      return 'to run';
    case 'ticks':
      return 'at their next times';
    case 'newPods':
      return 'for new pods only';
    case 'updates':
      if (!movesPods(change, prediction.forecast)) return 'without a changed pod';
      return changesPods(change, prediction.forecast)
        ? effectOfMode(prediction.forecast)
        : 'for new pods only';
  }
}

function effectOfMode({ mode }: Forecast): Effect {
  switch (mode) {
    case 'Recreate':
      return 'recreated';
    case 'InPlace':
      return 'in place';
    case 'MetadataOnly':
      return 'relabeled';
    case 'NewPodsOnly':
      return 'for new pods only';
  }
}

/** Whether pods that run are changed. */
export function changesPods(change: Change, forecast: Forecast): boolean {
  const { mode, noUpdates } = forecast;
  return movesPods(change, forecast) && mode !== 'NewPodsOnly' && noUpdates?.changes !== 'New';
}

/** Whether the bound lets any unit go, of those that there are. */
function movesPods(change: Change, { replicas, retained }: Forecast): boolean {
  return replicas.expected > retained && !letsNoneGo(change);
}

/** Whether no pod is available at times because of the rollout. Users who delete pods decide that themselves. */
function isOut(change: Change, { mode, lowestAvailable, noUpdates }: Forecast): boolean {
  const restarts = mode === 'Recreate' || (mode === 'InPlace' && !restartsNothing(change));
  return restarts && noUpdates === undefined && lowestAvailable === 0;
}

function isScaledToZero({ base, head }: Change): boolean {
  return head?.applied === 0 && (base?.applied ?? 0) > 0;
}

function losesData(change: Change, updates: Forecast | undefined): boolean {
  const { base, head, action, handover } = change;
  const claims = updates?.claims;
  if ((claims?.deleted ?? 0) > 0 || (claims?.moves?.deleted.count ?? 0) > 0) return true;
  const own = base && ownedPods(base.normal.units);
  if (own === undefined || own.volumeClaimTemplates.length === 0) return false;
  const before = base?.applied ?? 0;
  if (action === 'Delete') return handover === undefined && own.claimsDeleted.withTarget && before > 0;
  const isScaledIn = (head?.applied ?? before) < before;
  const next = head && ownedPods(head.normal.units);
  return (
    (isScaledIn && next?.claimsDeleted.onScaleIn === true) ||
    (namedPods(change).length > 0 && !own.claimsOutlivePods)
  );
}

/** Whether claims of the target that are retained so far are deleted with its pods, or with the target, from now on. */
function mayLoseData({ base, head }: Change): boolean {
  const [before, after] = [base, head].map((state) => state && ownedPods(state.normal.units));
  if (before === undefined || after === undefined || after.volumeClaimTemplates.length === 0) return false;
  const [was, is] = [before.claimsDeleted, after.claimsDeleted];
  return (is.onScaleIn && !was.onScaleIn) || (is.withTarget && !was.withTarget);
}

/** Whether its own policy required plans, and does not any more. */
function needsNoPlan({ base, head }: Change): boolean {
  const [before, after] = [base, head].map((state) => state && policyOf(state.manifest.object, [], 'Auto'));
  return before === 'Required' && after === 'Auto';
}

/** The pods that the change newly names to be deleted. */
export function namedPods({ base, head }: Change): string[] {
  const [before, after] = [base, head].map((state) => state && ownedPods(state.normal.units)?.podsToDelete);
  const known = new Set(before);
  return (base === undefined ? [] : (after ?? [])).filter((pod) => !known.has(pod));
}

/** Whether what runs anew may reach its node, or what goes on running may do so in a way that base did not have. */
function reachesNodes({ base, head }: Change, prediction: Prediction | undefined): boolean {
  switch (prediction?.of) {
    case 'run':
    case 'ticks':
      return prediction.forecast.hostAccess.length > 0;
    case 'updates':
    case 'newPods':
    case undefined: {
      const known = new Set(hostAccessOf(base));
      return hostAccessOf(head).some((way) => !known.has(way));
    }
  }
}

function hostAccessOf(state: Target | undefined): string[] {
  return hostAccess((state && podTemplateOf(state.normal)) ?? {});
}

function hasGate({ steps, waves = [] }: NonNullable<Change['plan']>['spec']): boolean {
  return (
    steps.some(({ approve, soak, check }) => (approve ?? soak ?? check) !== undefined) ||
    waves.some(({ soak, check }) => (soak ?? check) !== undefined)
  );
}
