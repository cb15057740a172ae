import { retainedByPartition } from '../../semantics/kinds/git-partition.ts';
import {
  updatesNone,
  claimTemplates,
  isAutoscaled,
  ownedPods,
  wantedReplicas,
} from '../../semantics/kinds/git-units.ts';
import type { Args } from '../diagnostics/registry.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { movementOf } from '../forecast/claims.ts';
import { claimsNamed, movedNames } from '../forecast/claim-moves.ts';
import { namesOf } from '../forecast/names.ts';
import { paceOf, widest } from '../forecast/window.ts';
import type { Change } from '../plan/change.ts';
import { changedSettings, type SettingChange } from '../plan/settings.ts';
import { fieldPath, shownName, type Target } from '../plan/target.ts';
import { nameRuns } from '../text/name-runs.ts';
import type { Locate } from './schema-errors.ts';

type Named = Args<'KR2152'>['leaving'];

/** Reports changed fields that the API server does not let change, and units that come or go with their names. */
export function ordinalRules(change: Change, locate: Locate): Diagnostic[] {
  const { base, head } = change;
  if (base === undefined || head === undefined) return [];
  const changed = changedSettings(base, head);
  return [...immutableFields(change, changed, locate), ...movedUnits(change, base, head, locate)];
}

/**
 * Warns of a rollout that one broken unit stops: the partition retains it without its fix, and it uses up the whole budget.
 * Reported together with its plan.
 */
export function brokenUnitStops(change: Change, locate: Locate): Diagnostic[] {
  const { head, plan } = change;
  const named = head === undefined ? undefined : namesOf(head);
  if (head === undefined || plan === undefined || named === undefined) return [];
  const { normal, manifest } = head;
  const replicas = wantedReplicas(normal.units) ?? 0;
  const retained = retainedByPartition(normal.units, replicas);
  const isMoving = movementOf(change, replicas).moving > 0 && !updatesNone(normal.units) && !normal.paused;
  if (!isMoving || retained === 0) return [];
  if (widest(plan.spec.steps, paceOf(head), replicas).maxUnavailable > 1) return [];
  const last = named.order(manifest.object, normal.template).slice(-retained);
  const args = { target: shownName(change), retained: namedOf(last) };
  return [diagnostic('KR2153', args, locate(fieldPath(head, 'partition'), 'value'))];
}

function immutableFields(change: Change, changed: readonly SettingChange[], locate: Locate): Diagnostic[] {
  const { plural, group } = change.type.resource;
  const inNamespace = change.namespace === undefined ? '' : ` -n ${change.namespace}`;
  const object = `${plural}.${group}/${change.name}${inNamespace}`;
  return changed
    .filter(({ isImmutable }) => isImmutable)
    .map(({ name, from = '', to = '' }) => {
      const field = `spec.${name}`;
      return diagnostic('KR2150', { field, from, to, object }, locate(field.split('.'), 'value'));
    });
}

function movedUnits(change: Change, base: Target, head: Target, locate: Locate): Diagnostic[] {
  const moved = movedNames(base, head);
  if (moved === undefined) return [];
  const [leaving, coming] = [namedOf(moved.leaving), namedOf(moved.coming)];
  const target = shownName(change);
  const naming = changedSettings(base, head).find(({ namesUnits }) => namesUnits);
  if (naming !== undefined) {
    // Where no pod goes, the new ones are a scale-out.
    if (leaving.count === 0) return [];
    const isDeleted = ownedPods(head.normal.units)?.claimsDeleted.onScaleIn === true;
    const lost = isDeleted ? claimTemplates(base.normal.units) : [];
    const claims = claimsNamed(lost, moved.leaving);
    return [
      diagnostic(
        'KR2151',
        { target, leaving, coming, claims },
        locate(['spec', ...naming.name.split('.')], 'value'),
      ),
    ];
  }
  const isUpdated =
    movementOf(change, wantedReplicas(head.normal.units) ?? 0).moving > 0 && change.action !== 'Scale';
  const isStated = !isAutoscaled(head.normal.units) || !isAutoscaled(base.normal.units);
  if (leaving.count === 0 || !isUpdated || !isStated) return [];
  return [diagnostic('KR2152', { target, leaving }, locate(fieldPath(head, 'replicas'), 'value'))];
}

function namedOf(names: readonly string[]): Named {
  return { names: nameRuns(names), count: names.length };
}
