import { formatDuration } from '../../semantics/values/duration.ts';
import { areSelected, updatesOf } from '../../semantics/kinds/git-units.ts';
import { scaleIntOrPercent } from '../../semantics/values/int-or-percent.ts';
import type { PlannedKind } from '../../semantics/kinds/kind.ts';
import type { Forecast } from '../forecast/forecast.ts';
import type { RunForecast } from '../forecast/run-forecast.ts';
import { changedBound, letsNoneGo } from '../plan/bound.ts';
import type { Action, Change } from '../plan/change.ts';
import { restartsNothing } from '../plan/restarts.ts';
import type { SettingChange } from '../plan/settings.ts';
import { shorten } from '../text/escape.ts';
import { claimsLostWithPod } from '../forecast/claims.ts';
import { claimsText } from './claims.ts';
import { nodeSentences, spreadSentences, zoneSentences } from './node-text.ts';
import { reachSentences, twiceSentences } from './reach-text.ts';
import { approvalSentence, queueSentences } from './plan-sentences.ts';
import { earlierImages, SHOWN_HASH } from './earlier-text.ts';
import { hooksText } from './hooks-text.ts';
import { limitSentences } from './limits-text.ts';
import { noUpdatesWords } from './no-updates-text.ts';
import {
  allUnits,
  attemptText,
  effectText,
  grownText,
  createdText,
  movingCount,
  movingText,
  settingsOf,
  units,
} from './change-text.ts';

/** For a template that was changed in git without a plan. */
const UNKNOWN =
  'The manifest was changed without a plan: neither state has the previous template, so the changed fields are unknown.';

const RESTARTS = 'Changed containers restart. The pods keep their names and IPs.';
const RESIZES =
  'Containers are resized while they run, and none restarts. The pods keep their names and IPs.';

/** For a plan whose limits alone are new. */
export const CONTINUED =
  'This is the plan at base with other limits. A rollout goes on at the step that it has reached, and pods on the new revision ' +
  'stay as they are.';

/** For a bound that lets no pod go that the one at base does not. */
const NONE_FURTHER = 'It lets no further pod change, so no container restarts.';

/** Accepting a plan accepts its reverse (plan.md section 6). Git does not show what a cluster was complete on. */
const GOES_BACK =
  'This goes back to where the plan at base starts. ' +
  'A cluster that accepted that plan, and was complete there before, goes back without gates and soaks, and needs no plan. ' +
  'It keeps to the limits of this plan if it has it. ' +
  'Others follow these steps.';

/** What a reviewer must know, as short sentences. They contain only numbers and names that were validated. */
export function changeSummary(change: Change, forecast: Forecast): string[] {
  const { replicas, retained, approvals, soakMs, irreversible } = forecast;
  const moving = replicas.expected - retained;
  const isOver = letsNoneGo(change);
  const moves = moving > 0 && !forecast.paused && !isOver;
  const sentences = [sentenceCase(firstSentence(change, forecast, moving))];
  if (change.head !== undefined && areSelected(change.head.normal.units))
    sentences.push(...reachSentences(change, replicas.expected));
  const own = change.head?.normal.units;
  if (own?.of === 'nodes')
    sentences.push(
      ...nodeSentences(change, replicas.expected),
      ...(moves ? zoneSentences(forecast, own.zones) : []),
      ...(moves ? spreadSentences(change.plan?.spec.steps ?? []) : []),
    );
  if (moves) sentences.push(...twiceSentences(change));
  if (change.goesBack) sentences.push(GOES_BACK);
  if (change.action === 'Again') {
    sentences.push(`This is ${attemptText(change)}. Pods on the new revision stay as they are.`);
  }
  if (change.action === 'Continue') sentences.push(CONTINUED);
  if (change.action === 'Unplanned') {
    sentences.push(UNKNOWN);
  }
  const earlier = moving > 0 ? earlierImages(change) : undefined;
  if (earlier !== undefined) sentences.push(`From earlier changes, pods may still run ${earlier}.`);
  sentences.push(...forecast.moreDisruptive.map((each) => moreDisruptiveText(change, each)));
  if (isOver && moving > 0) sentences.push(NONE_FURTHER);
  sentences.push(...queueSentences(forecast));
  const ofOthers = noUpdatesIn(change, forecast);
  const byHand = ofOthers !== undefined;
  if (moves) sentences.push(...pullSentences(forecast));
  if (moves && !byHand) sentences.push(movementText(change, forecast), ...limitSentences(change, forecast));
  if (moves && !byHand && forecast.mode === 'InPlace')
    sentences.push(forecast.moreDisruptive.length === 0 && restartsNothing(change) ? RESIZES : RESTARTS);
  if (moves && !byHand) sentences.push(...orderText(change, forecast), ...paceText(forecast));
  if (retained > 0 && moving > 0) {
    sentences.push(
      `The ${forecast.bound} keeps ${retained} of ${units(replicas.expected, change.type)} on the old revision.`,
    );
  }
  if (forecast.selector !== undefined && moving > 0)
    sentences.push(selectorSentence(change.type, forecast.selector));
  if (!forecast.finishes && moves) sentences.push('The simulated rollout does not reach its last step.');
  sentences.push(approvalSentence(approvals));
  const gateTimes = gateTimesText(forecast);
  if (moves) sentences.push(`${gateTimes}. ${sentenceCase(ofOthers?.waits ?? limitText(forecast))}.`);
  else if (soakMs > 0 || forecast.checks.length > 0) sentences.push(`${gateTimes}.`);
  if (moving > 0) {
    // A continuation has no revert: its target revision is the stable one already.
    const revert = forecast.onFailure === 'Revert' && change.action !== 'Bound' && change.action !== 'Claims';
    const end = ofOthers?.failed ?? (revert ? backText(forecast) : 'the rollout halts there');
    sentences.push(`If a step fails, ${end}.`);
  }
  if (forecast.claims !== undefined && (replicas.expected > 0 || forecast.claims.moves !== undefined))
    sentences.push(claimsText(forecast.claims, byHand));
  sentences.push(reverseText(change, irreversible, forecast));
  if (moves && forecast.ownGates.length > 0) sentences.push(gatesText(forecast.ownGates));
  if (moves) sentences.push(...hooksText(change, forecast));
  if (!forecast.reproducible) sentences.push('Not reproducible: an image has a tag that can move.');
  if (forecast.assumed) {
    sentences.push(
      `The manifest leaves replicas to an autoscaler. The numbers are for ${units(replicas.expected, change.type)}${forecast.replicasFrom === undefined ? '' : `, ${forecast.replicasFrom}`}.`,
    );
  }
  const also = settingsOf(change).map(settingText);
  if (also.length > 0) sentences.push(`Also changed: ${also.join(', ')}.`);
  return sentences;
}

const MOST_GATES = 3;

/**
 * Readiness gates of other controllers: one that stays False would stop the rollout, and the manifests do not show which
 * controller sets it.
 */
function gatesText(gates: readonly string[]): string {
  const shown = gates.slice(0, MOST_GATES).map((gate) => shorten(gate, 80));
  const more = gates.length > MOST_GATES ? ` and ${gates.length - MOST_GATES} more` : '';
  const [subject, verb] = gates.length === 1 ? ['readiness gate', 'becomes'] : ['readiness gates', 'become'];
  return `Assumed: ${subject} ${shown.join(', ')}${more} ${verb} True as soon as the containers are ready.`;
}

export function settingText({ name, from, to }: SettingChange): string {
  return from === undefined || to === undefined ? name : `${name} from ${from} to ${to}`;
}

function firstSentence(change: Change, forecast: Forecast, moving: number): string {
  const { expected } = forecast.replicas;
  const { unit } = change.type.facts.nouns;
  if (expected === 0) return `No ${unit} changes: there are no replicas.`;
  if (moving <= 0)
    return `No ${unit} changes: the ${forecast.bound} retains ${allUnits(expected, change.type)} on the old revision.`;
  const effect = effectText(change, forecast.mode);
  const subject = movingText(change, expected);
  const verb = movingCount(change, expected) === 1 ? 'is' : 'are';
  const ofOthers = noUpdatesIn(change, forecast);
  if (ofOthers !== undefined) return ofOthers.first;
  if (forecast.paused) {
    return `No ${unit} changes while the target itself is paused. Then ${subject} ${verb} ${effect}${createdText(change)}.`;
  }
  if (change.action === 'Claims') return `No ${unit} changes: ${grownText(change)}.`;
  if (change.action === 'Bound' && changedBound(change) === 'selection')
    return `No ${unit} that runs changes: which new ones get the sidecars does.`;
  if (change.action === 'Bound' && forecast.selector?.isCounted === false)
    return `The rollout continues with a new selector.`;
  if (change.action === 'Bound') {
    return `The rollout continues with a new ${changedBound(change)}: ${moving} of ${units(expected, change.type)} may be on the new revision.`;
  }
  return `${subject} ${verb} ${effect}${createdText(change)}.`;
}

function selectorSentence(
  { facts: { nouns } }: PlannedKind,
  { text, isCounted }: NonNullable<Forecast['selector']>,
): string {
  const only = `Only ${nouns.units} that match ${text} are updated`;
  return isCounted ? `${only}.` : `${only}, and how many these are is not in the manifests.`;
}

/** For clusters that skipped states of git: the change is larger than the one of the forecast. */
function moreDisruptiveText(
  { base, head }: Change,
  { mode, hashes }: Forecast['moreDisruptive'][number],
): string {
  const shown = hashes.map((hash) => hash.slice(0, SHOWN_HASH)).join(', ');
  const where = `A cluster that has not applied the previous state yet (still at ${shown})`;
  if (mode !== 'Recreate') return `${where} restarts containers in place.`;
  const updates = head && updatesOf(head.normal.units);
  if (updates?.policy === 'InPlaceOnly')
    return `${where} would have to recreate its pods, which InPlaceOnly does not allow.`;
  const losesClaims = [base, head].some(
    (state) => state !== undefined && claimsLostWithPod(state.normal) > 0,
  );
  return losesClaims && updates?.onDelete !== true
    ? `${where} recreates its pods, and their volume claims are deleted with their data.`
    : `${where} recreates its pods.`;
}

function pullSentences({ pull }: Forecast): string[] {
  if (pull === undefined) return [];
  const limit = pull.limitMs === undefined ? '' : `, within ${formatDuration(pull.limitMs)}`;
  return [`First the images that change are pulled to every node that the pods may run on${limit}.`];
}

function movementText({ action, type }: Change, forecast: Forecast): string {
  const { maxUnavailable, maxSurge } = forecast.window;
  const of = { down: percentText(forecast, 'maxUnavailable'), extra: percentText(forecast, 'maxSurge') };
  if (action === 'Claims')
    return `The claims of at most ${units(maxUnavailable, type)} grow at a time${of.down}, and no container restarts.`;
  if (forecast.mode === 'MetadataOnly') return 'No container restarts.';
  const down = `${maxUnavailable} at a time${of.down}`;
  const most =
    maxUnavailable === 0 && maxSurge > 0
      ? `At most ${maxSurge} extra at a time${of.extra}`
      : `At most ${down}${maxSurge > 0 ? `, with up to ${maxSurge} extra${of.extra}` : ''}`;
  const available = `${sentenceCase(availabilityText(forecast))}.`;
  return maxUnavailable === 0 && maxSurge === 0 ? available : `${most}. ${available}`;
}

/**
 * How a count was computed, and what it is at the other numbers of replicas: ` (25% of 6, rounded up; 1 of 3, 3 of 12)`; '' for
 * one that is no percentage.
 */
function percentText({ window, windowAt, replicas }: Forecast, field: 'maxUnavailable' | 'maxSurge'): string {
  const rounded = window.percents[field];
  if (rounded === undefined) return '';
  const { percent, round } = rounded;
  const { expected } = replicas;
  const isExact = scaleIntOrPercent(percent, expected, 'up') === scaleIntOrPercent(percent, expected, 'down');
  const others = (['lowest', 'highest'] as const)
    .filter((size) => replicas[size] !== expected)
    .map((size) => `${windowAt[size][field]} of ${replicas[size]}`);
  const there = others.length === 0 ? '' : `; ${others.join(', ')}`;
  return ` (${percent} of ${expected}${isExact ? '' : `, rounded ${round}`}${there})`;
}

function orderText({ action }: Change, { order, rows, reserved, window }: Forecast): string[] {
  if (action === 'Claims') return [];
  const isNamed = rows.some(({ names }) => names !== undefined);
  const last = isNamed ? 'then the highest ordinals' : 'then pods that are not ready';
  return [
    ...(order.length === 0 ? [] : [`Pods are updated in this order: ${order.join('; ')}; ${last}.`]),
    ...(isNamed ? ['Pods that are unavailable when the rollout starts come first.'] : []),
    ...(isNamed && window.maxUnavailable === 1
      ? ['A pod that stays unavailable stops it; a fix, or the way back, begins with that pod.']
      : []),
    ...(isNamed && reserved !== '' ? [`No pod has a reserved ordinal: ${reserved}.`] : []),
  ];
}

function paceText({ graceMs, leastMs }: Forecast): string[] {
  if (leastMs === 0) return [];
  const grace =
    graceMs === 0
      ? ''
      : `Each pod is out of traffic for ${formatDuration(graceMs)} before its containers change. `;
  return [`${grace}The updates take at least ${formatDuration(leastMs)}.`];
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How long the gates take if nothing fails. A check also waits for missing answers, which has no known duration. */
export function gateTimesText({
  soakMs,
  checks,
  checksMs,
}: Pick<RunForecast, 'soakMs' | 'checks' | 'checksMs'>): string {
  const times = [
    ...(soakMs > 0 ? [`soaking takes ${formatDuration(soakMs)}`] : []),
    ...(checksMs > 0 ? [`checking ${soakMs > 0 ? '' : 'takes '}${formatDuration(checksMs)}`] : []),
  ];
  if (times.length === 0)
    return checks.length === 0 ? 'There is no soak' : 'There is no soak, but checks may wait';
  return `${sentenceCase(times.join(', '))}${checks.length === 0 ? '' : ', plus checks that may wait'}`;
}

function limitText({ limitMs, deadlineMs }: Forecast): string {
  return limitMs === undefined
    ? `an update step fails when no pod becomes available for ${formatDuration(deadlineMs)}`
    : `updates may take ${formatDuration(limitMs)} before they fail`;
}

/** Users and other owners may take any time to replace pods; new pods have a deadline. Undefined: the rollout updates pods itself. */
function noUpdatesIn(
  change: Change,
  { noUpdates, limitMs, deadlineMs, replicas, retained }: Forecast,
): ReturnType<typeof noUpdatesWords> | undefined {
  if (noUpdates === undefined) return undefined;
  const most = limitMs === undefined ? `for ${formatDuration(deadlineMs)}` : 'in time';
  const count = replicas.expected - retained;
  const moving =
    change.head?.normal.units.of === 'nodes'
      ? movingText(change, replicas.expected)
      : units(count, change.type);
  return noUpdatesWords(noUpdates, { most, moving, count });
}

function availabilityText({ lowestAvailable, limitedBy, replicas }: Forecast): string {
  if (lowestAvailable === 0) return 'at times no pod is available';
  if (limitedBy !== undefined)
    return `with ${limitedBy} the update keeps at least ${lowestAvailable} of ${replicas.expected} available`;
  return `the update itself keeps at least ${lowestAvailable} of ${replicas.expected} available`;
}

/** A revert that recreates pods deletes the claims that the rollout created. */
function backText({ claims }: Forecast): string {
  const loses = claims !== undefined && claims.created > 0;
  return loses
    ? 'the pods go back, and the volume claims that the rollout created are deleted with their data'
    : 'the pods go back';
}

/** Changes whose template is that of base. */
const REPLANNED: ReadonlySet<Action> = new Set<Action>(['Bound', 'Again', 'Continue', 'Unplanned']);

/** A revert restores pods, not data: a change that recreates pods also recreates them in a revert. */
function reverseText(change: Change, irreversible: string | undefined, forecast: Forecast): string {
  const { claims } = forecast;
  if (irreversible !== undefined) return `Not reversible: ${irreversible}.`;
  if (change.action === 'Claims')
    return 'Reverting this commit stops the growth, and shrinks no claim that has grown.';
  const losesMoved = (claims?.moves?.deleted.count ?? 0) > 0;
  const loses = (claims?.deleted ?? 0) > 0 || losesMoved;
  const how = loses ? 'Reversible except for the data' : 'Reversible';
  const ofOthers = noUpdatesIn(change, forecast);
  if (ofOthers !== undefined) {
    const empty = losesMoved
      ? '; claims that were deleted come back empty'
      : loses
        ? ', with empty claims'
        : '';
    return `${how}: revert the commit, and ${ofOthers.reverted}${empty}. ${ofOthers.staying}`;
  }
  if (change.action === 'Bound' && changedBound(change) === 'selection')
    return 'Reverting this commit brings back at once which new pods get the sidecars. Running pods stay as they are.';
  if (REPLANNED.has(change.action)) {
    const data = loses ? ', but does not restore data' : '';
    return `Reverting this commit moves no pod back. Restoring the previous template does, without gates${data}.`;
  }
  return `${how}: revert the commit, and the pods go back without gates${!loses ? '' : losesMoved ? '; claims that were deleted come back empty' : ', with empty claims'}.`;
}
