import type { Forecast } from '../forecast/forecast.ts';
import {
  areSelected,
  updatesNone,
  isAutoscaled,
  ownedPods,
  rolloutSize,
  updatesOf,
} from '../../semantics/kinds/git-units.ts';
import type { GitSchedule, RunWords } from '../../semantics/kinds/run-in-git.ts';
import type { PlannedKind } from '../../semantics/kinds/kind.ts';
import { areSelectedOtherwise, boundName, isUncounted, retainedAfter, selectorText } from '../plan/bound.ts';
import type { Action, Change } from '../plan/change.ts';
import { changedSettings } from '../plan/settings.ts';
import type { SettingChange } from '../plan/settings.ts';
import { shownName } from '../plan/target.ts';
import { movedIn } from '../forecast/claim-moves.ts';
import { partitionText } from '../../semantics/values/partition.ts';
import { countText } from '../../semantics/values/text.ts';
import { shorten } from '../text/escape.ts';
import { grownClaims } from '../validate/claim-rules.ts';
import { claims } from './claims.ts';
import { podsOfNodes, podsOnNodes } from './node-text.ts';
import { replicasIn, replicasMoved } from './subset-text.ts';

/** The marks of Terraform: what happens to the object or its pods. */
export type Mark = '+' | '~' | '-/+' | '-' | '=' | '!' | '?';

export function markOf(change: Change): Mark {
  switch (change.action) {
    case 'Create':
      return change.handover === undefined ? '+' : '~';
    case 'Run':
      return '+';
    case 'Delete':
      return change.handover === undefined ? '-' : '~';
    case 'Unchanged':
      return '=';
    case 'Update':
    case 'Again':
    case 'Unplanned':
      if (isRun(change)) return '+';
      if (change.head?.normal.units.of === 'ticks') return '~';
      return change.classification?.mode === 'Recreate' ? '-/+' : '~';
    case 'Bound':
    case 'Claims':
    case 'Continue':
    case 'Scale':
    case 'Settings':
      return '~';
  }
}

function modeText(mode: Forecast['mode']): string {
  switch (mode) {
    case 'InPlace':
      return 'updated in place';
    case 'Recreate':
      return 'recreated';
    case 'MetadataOnly':
      return 'relabeled without a restart';
    case 'NewPodsOnly':
      return 'left as they are';
  }
}

/** `1 pod`, `5 pods`: a number of the units that plans of the kind count. */
export function units(count: number, { facts: { nouns } }: PlannedKind): string {
  return `${count} ${count === 1 ? nouns.unit : nouns.units}`;
}

/** A short phrase on what the change does, without the name of the target. */
export function actionText(change: Change): string {
  const own = (change.head ?? change.base)?.normal.units;
  switch (own?.of) {
    case undefined:
    case 'replicas':
    case 'nodes':
    case 'selected':
    case 'subsets':
      return rolloutActionText(change);
    case 'run':
      return runActionText(change, own.run.words);
    case 'ticks':
      return tickActionText(change, own.schedule);
  }
}

function isRun({ type }: Change): boolean {
  return type.shape === 'Run';
}

function runActionText(change: Change, words: RunWords): string {
  const { unit } = change.type.facts.nouns;
  switch (change.action) {
    case 'Delete':
      return 'removed; a run under way ends with it';
    case 'Unchanged':
      return 'unchanged';
    case 'Again':
      return `the same run on each ${unit} where it has not finished; attempt ${change.plan?.spec.attempt ?? 1}`;
    case 'Continue':
      return CONTINUED;
    case 'Unplanned':
      return `${words.title}; it had no plan`;
    case 'Settings':
      return `settings only (${settingNames(change)}); the run stays the same${runningLimitsText(change)}`;
    case 'Run':
      if (change.goesBack) return `back to an earlier run, which begins on no ${unit} where it has finished`;
      return `${words.title}${change.base === undefined ? '' : `; ${words.changed}`}`;
    case 'Create':
    case 'Update':
    case 'Bound':
    case 'Claims':
    case 'Scale':
      return words.title;
  }
}

/** Of a target whose units are the times of a schedule. */
function tickActionText(change: Change, { isNativeEnough }: GitSchedule): string {
  switch (change.action) {
    case 'Create':
      return `new; it runs from its next time on, and needs no plan${isNativeEnough ? '. A CronJob of Kubernetes would do' : ''}`;
    case 'Delete':
      return 'removed; its children go with it';
    case 'Unchanged':
      return 'unchanged';
    case 'Scale':
    case 'Settings':
      return `settings only (${settingNames(change)}), which apply at once`;
    case 'Run':
      return 'new; no time runs before its plan';
    case 'Again':
      return `another template at its next times; ${attemptText(change)}`;
    case 'Unplanned':
      return 'another template at its next times; the change had no plan';
    case 'Update':
    case 'Bound':
    case 'Continue':
    case 'Claims':
      return 'another template at its next times';
  }
}

function rolloutActionText(change: Change): string {
  const own = (change.head ?? change.base)?.normal.units;
  const replicas = (own && rolloutSize(own)) ?? 0;
  const selects = own !== undefined && areSelected(own);
  const all = units(replicas, change.type);
  const { wanted, pods } = podsOnNodes(change) ?? { wanted: all, pods: all };
  switch (change.action) {
    case 'Create':
      if (change.handover !== undefined)
        return `from ${nativeText(change)}, adopts ${pods} without a restart`;
      if (selects)
        return `new; pods that are created from now on get it, and running ones do not${reachText(change)}`;
      return `new, ${wanted}; the first rollout needs no plan`;
    case 'Delete':
      if (change.handover !== undefined) return `to ${nativeText(change)}, which adopts ${pods}`;
      if (selects) return 'removed; the pods keep what they have';
      return `removed with ${pods}${claimText(change, replicas)}`;
    case 'Unchanged':
      return 'unchanged';
    case 'Scale':
      return `${replicasText(change)}; scaling needs no plan${alsoNamed(change)}${runningLimitsText(change)}`;
    case 'Settings':
      return `settings only (${settingNames(change)})${movesPods(change) ? namedText(change) : '; no pod changes'}${runningLimitsText(change)}`;
    case 'Bound':
      return `${boundText(change)}, the rollout continues${andReplicas(change)}`;
    case 'Claims':
      return `${grownText(change)}; no ${change.type.facts.nouns.unit} changes${andReplicas(change)}`;
    case 'Update':
    case 'Run':
      return `${updateText(change, replicas)}${andReplicas(change)}`;
    case 'Again':
      return `${updateText(change, replicas)}${andReplicas(change)}; ${attemptText(change)}`;
    case 'Continue':
      return `${CONTINUED}${andReplicas(change)}`;
    case 'Unplanned':
      return `${updateText(change, replicas)}${andReplicas(change)}; the change had no plan`;
  }
}

const CONTINUED = 'the plan continues with other limits';

/** What a running plan keeps where the manifest allows more (plan section 4). */
export function runningLimitsText({ runningLimits }: Change): string {
  return runningLimits === undefined
    ? ''
    : `; a plan that still runs keeps ${runningLimits}, and kruise plan --continue widens it`;
}

/** `partition 5 to 0`, `selector track=canary to none`, or both */
function boundText({ base, head }: Change): string {
  if (base === undefined || head === undefined) return '';
  const [before, after] = [selectorText(base.normal), selectorText(head.normal)];
  const selector = before === after ? [] : [`selector ${before} to ${after}`];
  const isPartition = partitionIn(base) !== partitionIn(head);
  const partition = isPartition ? [`partition ${partitionIn(base)} to ${partitionIn(head)}`] : [];
  const selection = areSelectedOtherwise(base, head) ? ['which pods are selected'] : [];
  return [...selector, ...partition, ...selection].join(' and ');
}

const MOST_OF_PARTITION = 80;

function partitionIn({ normal }: NonNullable<Change['head']>): string {
  return shorten(partitionText(updatesOf(normal.units)?.partition ?? 0), MOST_OF_PARTITION);
}

/** `; the manifests have 14 pods that it selects, in 3 workloads`; '' where they have none. */
function reachText({ reach }: Change): string {
  if (reach === undefined || reach.workloads.length === 0) return '';
  const pods = countText(reach.pods, 'pod');
  return `; the manifests have ${pods} that it selects, in ${countText(reach.workloads.length, 'workload')}`;
}

/** What a change of claim templates does to existing claims. */
export function grownText({ base, head }: Change): string {
  const grown = base === undefined || head === undefined ? '' : grownClaims(base, head);
  if (grown !== '') return `existing volume claims grow: ${shorten(grown, 200)}`;
  return base?.claims === undefined
    ? 'existing volume claims grow to the size of their templates'
    : 'no volume claim grows: claims never shrink';
}

/** The workload of Kubernetes on the other side. */
export function nativeText({ type: { git } }: Change): string {
  return `the ${git.native?.kind ?? ''} of the group ${git.native?.group ?? ''}`;
}

export function attemptText({ plan }: Change): string {
  return `attempt ${plan?.spec.attempt ?? 1} of the same change`;
}

export const FOR_NEW_PODS = 'for new pods only; running ones stay as they are';

function updateText(change: Change, replicas: number): string {
  const { unit } = change.type.facts.nouns;
  if (change.classification?.mode === 'NewPodsOnly') return FOR_NEW_PODS;
  if (replicas === 0) return `no ${unit} changes; there are no replicas`;
  if (change.head !== undefined && retainedAfter(change, replicas) >= replicas) {
    return `no ${unit} changes; the ${boundName(change.head.normal)} retains ${allUnits(replicas, change.type)} on the old revision`;
  }
  const effect = effectText(change, change.classification?.mode ?? 'Recreate');
  const noUpdates =
    change.head !== undefined && updatesNone(change.head.normal.units)
      ? change.type.facts.noUpdates
      : undefined;
  if (noUpdates?.changes === 'New') return FOR_NEW_PODS;
  const byHand = noUpdates === undefined ? '' : `, when a user deletes ${replicas === 1 ? 'it' : 'them'}`;
  const text = `${movingText(change, replicas)} ${effect}${byHand}${createdText(change)}`;
  return change.head?.normal.paused === true ? `paused; ${text} once it is resumed` : text;
}

/** What happens to pods; for a change with an unknown template the most disruptive case. */
export function effectText({ action }: Change, mode: Forecast['mode']): string {
  if (action !== 'Unplanned') return modeText(mode);
  return mode === 'Recreate' ? `${modeText(mode)} at worst` : `${modeText(mode)} where that is possible`;
}

export function allUnits(count: number, kind: PlannedKind): string {
  return count === 1 ? `the only ${kind.facts.nouns.unit}` : `all ${units(count, kind)}`;
}

export function replicasText({ base, head }: Change): string {
  const before = replicasIn(base);
  if (head !== undefined && isAutoscaled(head.normal.units))
    return `replicas removed from the manifest: ${before} to ${head.applied} until an autoscaler sets another number`;
  return replicasMoved({ base, head });
}

export function andReplicas({ base, head }: Change): string {
  if (base === undefined || head === undefined || base.applied === head.applied) return '';
  if (isAutoscaled(head.normal.units))
    return `, and replicas ${replicasIn(base)} to ${head.applied} until an autoscaler sets another number, which needs no plan`;
  return `, and ${replicasMoved({ base, head })}, which needs no plan`;
}

export function settingsOf({ base, head }: Change): readonly SettingChange[] {
  return base === undefined || head === undefined ? [] : changedSettings(base, head);
}

function settingNames(change: Change): string {
  return settingsOf(change)
    .map(({ name }) => name)
    .join(', ');
}

function alsoNamed(change: Change): string {
  const names = settingNames(change);
  return names === '' ? '' : `; also changed: ${names}`;
}

/** Pods that `podsToDelete` newly names, and the claims that are deleted with them. */
function namedText({ base, head, type }: Change): string {
  const [own, next] = [base, head].map((state) => state && ownedPods(state.normal.units));
  const before = new Set(own?.podsToDelete);
  const named = new Set(next?.podsToDelete.filter((pod) => !before.has(pod)));
  const count = (own?.volumeClaimTemplates.length ?? 0) * named.size;
  if (named.size === 0) return '';
  return `; ${units(named.size, type)} to delete by name${count === 0 ? '' : `, and ${claims(count)} with the data`}`;
}

/** Whether changed settings delete pods, or continue a waiting rollout. */
export function movesPods(change: Change): boolean {
  return settingsOf(change).some(({ movesUnits }) => movesUnits);
}

/** `5 pods`, or `3 of 5 pods` where the bound retains the others, or they are created at other ordinals. */
export function movingText(change: Change, replicas: number): string {
  const moving = movingCount(change, replicas);
  const { normal } = change.head ?? {};
  if (normal !== undefined && isUncounted(normal))
    return `the selected ${change.type.facts.nouns.units} that match ${selectorText(normal)}`;
  if (normal?.units.of === 'nodes')
    return podsOfNodes(change.type.facts.nouns, normal.units, moving, replicas);
  // The number of pods that a set selects is an example.
  if (normal !== undefined && areSelected(normal.units) && moving === replicas)
    return `all selected ${change.type.facts.nouns.units}`;
  const all = units(replicas, change.type);
  return moving === replicas ? all : `${moving} of ${all}`;
}

/** How many units that exist are updated. */
export function movingCount(change: Change, replicas: number): number {
  return replicas - retainedAfter(change, replicas) - movedIn(change);
}

/** `, and 2 are created at other ordinals`; '' where no ordinal moves. */
export function createdText(change: Change): string {
  const count = movedIn(change);
  return count === 0 ? '' : `, and ${count} ${count === 1 ? 'is' : 'are'} created at other ordinals`;
}

const MOST_NAMED = 5;

/** `Deployment a, Deployment b and 3 more` */
export function namesText(targets: Forecast['after']): string {
  const names = targets.map(({ kind, namespace, name }) => `${kind} ${shownName({ namespace, name })}`);
  const more = names.length - MOST_NAMED;
  if (more > 0) return `${names.slice(0, MOST_NAMED).join(', ')} and ${more} more`;
  return [...names.slice(0, -2), names.slice(-2).join(' and ')].join(', ');
}

/** Which rule of kruise.yaml defines the steps. */
export function stepsFromText(change: Change): string {
  switch (change.stepsFrom) {
    case undefined:
      return '';
    case 'none':
      return 'Steps: one, no rule of kruise.yaml matches.';
    case 'no file':
      return 'Steps: one, there is no kruise.yaml.';
    case 'default':
      return 'Steps: the default of kruise.yaml.';
    default:
      return `Steps: rule ${change.stepsFrom} of kruise.yaml.`;
  }
}

function claimText(change: Change, replicas: number): string {
  const own = change.base && ownedPods(change.base.normal.units);
  const count = own?.claimsDeleted.withTarget === true ? own.volumeClaimTemplates.length * replicas : 0;
  return count === 0 ? '' : ` and ${claims(count)}`;
}

const COUNTED: readonly (readonly [Action | 'Handover', string])[] = [
  ['Update', 'to roll out'],
  ['Run', 'to run'],
  ['Bound', 'to continue'],
  ['Claims', 'to grow claims'],
  ['Again', 'to plan again'],
  ['Continue', 'to continue with other limits'],
  ['Unplanned', 'to plan after the fact'],
  ['Handover', 'to hand over'],
  ['Create', 'to create'],
  ['Delete', 'to delete'],
  ['Scale', 'to scale'],
  ['Settings', 'with other settings'],
  ['Unchanged', 'unchanged'],
];

/** The last sentence: `Plan: 2 to roll out, 1 to create, 7 unchanged.` Always in this order, without what is 0. */
export function summary(changes: readonly Pick<Change, 'action' | 'handover'>[]): string {
  const counts = COUNTED.map(
    ([action, words]) =>
      [
        changes.filter(({ handover, action: own }) => (handover ? 'Handover' : own) === action).length,
        words,
      ] as const,
  );
  const shown = counts.filter(([count], index) => index === 0 || count > 0);
  return `Plan: ${shown.map(([count, words]) => `${count} ${words}`).join(', ')}.`;
}
