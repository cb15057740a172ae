import type { GitManifest } from '../../semantics/kinds/git-side.ts';
import { areSelected, rolloutSize, updatesNone } from '../../semantics/kinds/git-units.ts';
import { movedIn } from '../forecast/claim-moves.ts';
import { boundOf, isUncounted, retainedAfter, selectorText } from '../plan/bound.ts';
import type { Change } from '../plan/change.ts';
import { statedPartition } from '../../semantics/plan/stated-partition.ts';
import { partitionText } from '../../semantics/values/partition.ts';
import type { SettingChange } from '../plan/settings.ts';
import { settingText } from '../render/change-summary.ts';
import {
  actionText,
  andReplicas,
  attemptText,
  effectText,
  FOR_NEW_PODS,
  runningLimitsText,
  movesPods,
  nativeText,
  replicasText,
  units,
} from '../render/change-text.ts';
import { shorten } from '../text/escape.ts';
import { nameRuns } from '../text/name-runs.ts';

/** What a change does, in words that hold for every target whatever its name and size are. */
export interface Phrase {
  what: string;
  /** What it depends on and what else happens, as clauses. */
  notes: readonly string[];
}

/**
 * The words for a change, without its settings (`settingNotes`). Those of `actionText` have sizes where the size is not what
 * changes.
 */
export function phraseOf(change: Change): Phrase {
  if (change.action === 'Scale')
    return { what: `${replicasText(change)}; scaling needs no plan`, notes: keptNotes(change) };
  const own = (change.head ?? change.base)?.normal.units;
  switch (own?.of) {
    case undefined:
    case 'run':
    case 'ticks':
      if (change.action !== 'Settings') return { what: actionText(change), notes: [] };
      return {
        what:
          own?.of === 'run' ? 'settings only; the run stays the same' : 'settings only, which apply at once',
        notes: keptNotes(change),
      };
    case 'replicas':
    case 'nodes':
    case 'selected':
    case 'subsets':
      return rolloutPhrase(change, areSelected(own));
  }
}

/** @param selects whether the pods are of other owners */
function rolloutPhrase(change: Change, selects: boolean): Phrase {
  switch (change.action) {
    case 'Create':
      if (change.handover !== undefined)
        return { what: `from ${nativeText(change)}`, notes: ['its pods are adopted without a restart'] };
      return {
        what: 'new',
        notes: [
          selects
            ? 'pods that are created from now on get it, and running ones do not'
            : 'the first rollout needs no plan',
        ],
      };
    case 'Delete':
      if (change.handover !== undefined)
        return { what: `to ${nativeText(change)}`, notes: ['that adopts the pods'] };
      return { what: 'removed', notes: selects ? ['the pods keep what they have'] : [] };
    case 'Update':
    case 'Run':
      return updatePhrase(change, []);
    case 'Again':
      return updatePhrase(change, [attemptText(change)]);
    case 'Unplanned':
      return updatePhrase(change, ['the change had no plan']);
    case 'Settings':
      return {
        what: movesPods(change) ? 'settings only' : 'settings only; no pod changes',
        notes: keptNotes(change),
      };
    case 'Unchanged':
    case 'Scale':
    case 'Bound':
    case 'Claims':
    case 'Continue':
      return { what: actionText(change), notes: [] };
  }
}

/** The most names of pods, or runs of names with consecutive numbers. */
const MOST_PODS = 5;

/** @param pods that are deleted by name */
export function deletionNotes({ type }: Change, pods: readonly string[]): string[] {
  return pods.length === 0
    ? []
    : [`${units(pods.length, type)} to delete by name: ${nameRuns(pods, MOST_PODS)}`];
}

/** What changes beside the template, the number of replicas and the bound, with values where they are scalars. */
export function settingNotes({ action }: Change, settings: readonly SettingChange[]): string[] {
  if (settings.length === 0) return [];
  return [`${action === 'Settings' ? 'changed' : 'also changed'}: ${settings.map(settingText).join(', ')}`];
}

/** What a plan that still runs keeps where the settings allow more. */
function keptNotes(change: Change): string[] {
  const text = runningLimitsText(change).replace(/^; /, '');
  return text === '' ? [] : [text];
}

function updatePhrase(change: Change, about: readonly string[]): Phrase {
  const replicas = andReplicas(change).replace(/^, and /, '');
  const { what, notes } = movement(change);
  return {
    what,
    notes: [
      ...notes,
      ...(change.head?.normal.paused === true ? ['only once the target is resumed, which is paused'] : []),
      ...(change.goesBack ? ['back to where the plan at base starts'] : []),
      ...about,
      ...(replicas === '' ? [] : [replicas]),
    ],
  };
}

/** What happens to pods, and to which of them. */
function movement(change: Change): Phrase {
  const { head, classification, type } = change;
  if (head === undefined || classification?.mode === 'NewPodsOnly') return { what: FOR_NEW_PODS, notes: [] };
  const { normal } = head;
  const noUpdates = updatesNone(normal.units) ? type.facts.noUpdates : undefined;
  const replicas = rolloutSize(normal.units) ?? 0;
  const retained = retainedAfter(change, replicas);
  const none = `no ${type.facts.nouns.unit} changes`;
  if (replicas === 0) return { what: none, notes: ['there are no replicas'] };
  if (retained >= replicas)
    return { what: none, notes: [`${writtenBound(normal)} retains all of them on the old revision`] };
  if (noUpdates?.changes === 'New') return { what: FOR_NEW_PODS, notes: [] };
  const bound =
    retained > 0 || isUncounted(normal) ? [`${writtenBound(normal)} retains others on the old revision`] : [];
  return {
    what: effectText(change, classification?.mode ?? 'Recreate'),
    notes: [
      ...(noUpdates === undefined ? [] : ['when a user deletes the pods']),
      ...bound,
      ...(movedIn(change) === 0 ? [] : ['some are created at other ordinals']),
    ],
  };
}

/** The bound as the manifest writes it: `partition 50%`, `selector track=canary`, or both. */
function writtenBound(normal: GitManifest): string {
  const { selector, ...bound } = boundOf(normal);
  const partition = statedPartition(bound);
  const isRetaining = selector === undefined || (partition !== 0 && partition !== '0%');
  return [
    ...(isRetaining ? [`partition ${shorten(partitionText(partition), 80)}`] : []),
    ...(selector === undefined ? [] : [`selector ${selectorText(normal)}`]),
  ].join(' with ');
}
