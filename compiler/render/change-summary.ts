import { formatDuration } from '../../semantics/values/duration.ts';
import type { Forecast } from '../forecast/forecast.ts';
import type { Change } from '../plan/change.ts';
import type { SettingChange } from '../plan/settings.ts';
import { shorten } from '../text/escape.ts';
import { claimsText } from './claims.ts';
import {
  allUnits,
  attemptText,
  effectText,
  movingText,
  namesText,
  settingsOf,
  units,
} from './change-text.ts';

/** What can be said of a template that git has replaced without a plan. */
const UNKNOWN =
  'The manifest was changed without a plan: the template before is in neither state, so what changes is not known.';

/** What becomes of a roll-out by deletion that has failed, or is taken back. */
const AS_BEFORE = 'pods that are deleted from then on are made as before';
const UNTIL_DELETED = 'those that have the change keep it until somebody deletes them';

/** Everything a reviewer must know, as short sentences. No text occurs but numbers and names whose form was validated. */
export function changeSummary(change: Change, forecast: Forecast): string[] {
  const { replicas, retained, approvals, soakMs, irreversible } = forecast;
  const moving = replicas.expected - retained;
  const moves = moving > 0 && !forecast.paused;
  const sentences = [firstSentence(change, forecast, moving)];
  if (change.action === 'Again') {
    sentences.push(`This is ${attemptText(change)}; pods that have it already stay as they are.`);
  }
  if (change.action === 'Unplanned') {
    sentences.push(UNKNOWN);
  }
  sentences.push(...forecast.farther.map((each) => fartherText(change, each)));
  if (forecast.after.length > 0) {
    sentences.push(
      `It begins only after ${namesText(forecast.after)} ${forecast.after.length === 1 ? 'is' : 'are'} settled.`,
    );
  }
  if (forecast.group !== undefined) {
    sentences.push(`Where roll-outs wait in line it stands in group ${forecast.group}.`);
  }
  const byHand = forecast.onDelete === true;
  if (moves && !byHand) sentences.push(movementText(forecast));
  if (moves && !byHand) sentences.push(...orderText(forecast), ...paceText(forecast));
  if (retained > 0 && moving > 0) {
    sentences.push(
      `The partition keeps ${retained} of ${units(replicas.expected, change.type)} on the old revision.`,
    );
  }
  if (!forecast.finishes && moves) sentences.push('By itself it does not get to its last step.');
  sentences.push(
    approvals.length === 0
      ? 'It never stops for a person.'
      : `It stops for a person ${approvals.length === 1 ? 'once' : `${approvals.length} times`} (${approvals.join(', ')}).`,
  );
  const waiting = waitingText(forecast);
  if (moves) sentences.push(`${waiting}; ${byHand ? handLimitText(forecast) : limitText(forecast)}.`);
  else if (soakMs > 0 || forecast.checks.length > 0) sentences.push(`${waiting}.`);
  if (moving > 0) {
    // A continuation has nothing to go back to: the revision it leads to is the stable one already.
    const revert = forecast.onFailure === 'Revert' && change.action !== 'Bound';
    const end = byHand ? AS_BEFORE : revert ? backText(forecast) : 'it freezes there';
    sentences.push(`If a step fails, ${end}.`);
  }
  if (forecast.claims !== undefined && replicas.expected > 0)
    sentences.push(claimsText(forecast.claims, byHand));
  sentences.push(reverseText(change, irreversible, forecast));
  if (moves && forecast.ownGates.length > 0) sentences.push(gatesText(forecast.ownGates));
  if (!forecast.reproducible) sentences.push('Not reproducible: an image has a tag that can move.');
  if (forecast.assumed) {
    sentences.push(
      `The manifest leaves replicas to an autoscaler; the numbers are for ${units(replicas.expected, change.type)}.`,
    );
  }
  const also = settingsOf(change).map(settingText);
  if (also.length > 0) sentences.push(`Also changed: ${also.join(', ')}.`);
  return sentences;
}

const MOST_GATES = 3;

/** A gate that nobody opens would stop the roll-out, and neither manifest tells whether anybody does. */
function gatesText(gates: readonly string[]): string {
  const shown = gates.slice(0, MOST_GATES).map((gate) => shorten(gate, 80));
  const more = gates.length > MOST_GATES ? ` and ${gates.length - MOST_GATES} more` : '';
  const [subject, verb] = gates.length === 1 ? ['readiness gate', 'opens'] : ['readiness gates', 'open'];
  return `Assumed: ${subject} ${shown.join(', ')}${more} ${verb} as soon as the containers are ready.`;
}

function settingText({ name, from, to }: SettingChange): string {
  return from === undefined || to === undefined ? name : `${name} from ${from} to ${to}`;
}

function firstSentence(change: Change, forecast: Forecast, moving: number): string {
  const { expected } = forecast.replicas;
  const { unit } = change.type.words;
  if (expected === 0) return `No ${unit} changes: there are no replicas.`;
  if (moving <= 0) return `No ${unit} changes: the partition holds ${allUnits(expected, change.type)} back.`;
  const effect = effectText(change, forecast.mode);
  const [subject, verb] = [movingText(change, expected), moving === 1 ? 'is' : 'are'];
  if (forecast.onDelete === true) {
    const each = `${units(moving, change.type)} ${moving === 1 ? 'gets' : 'get'}`;
    return `No ${unit} is taken: the strategy is OnDelete, and ${each} the change as somebody deletes ${moving === 1 ? 'it' : 'them'}.`;
  }
  if (forecast.paused) {
    return `Nothing moves as long as the target itself is paused; then ${subject} ${verb} ${effect}.`;
  }
  if (change.action === 'Bound') {
    return `The roll-out goes on under a new bound: ${moving} of ${units(expected, change.type)} may be on the new revision.`;
  }
  return `${subject} ${verb} ${effect}.`;
}

/** A cluster that skipped git states has a longer way than the one that the forecast is for. */
function fartherText({ base, head }: Change, { mode, hashes }: Forecast['farther'][number]): string {
  const shown = hashes.map((hash) => hash.slice(0, SHOWN_HASH)).join(', ');
  const where = `A cluster that has not had the state before yet (still at ${shown})`;
  if (mode !== 'Recreate') return `${where} restarts containers in place.`;
  if (head?.normal.policy === 'InPlaceOnly')
    return `${where} would have to recreate its pods, which InPlaceOnly keeps it from.`;
  const hasClaims = [base, head].some((state) => (state?.normal.volumeClaimTemplates.length ?? 0) > 0);
  return hasClaims && head?.normal.onDelete !== true
    ? `${where} recreates its pods, and their volume claims are deleted with the data in them.`
    : `${where} recreates its pods.`;
}

/** As much of a hash as is read at a glance. */
const SHOWN_HASH = 11;

function movementText(forecast: Forecast): string {
  if (forecast.mode === 'MetadataOnly') return 'No container restarts.';
  const { maxUnavailable, maxSurge } = forecast.window;
  const most =
    maxUnavailable === 0 && maxSurge > 0
      ? `At most ${maxSurge} extra at a time`
      : `At most ${maxUnavailable} at a time${maxSurge > 0 ? `, with up to ${maxSurge} extra` : ''}`;
  return maxUnavailable === 0 && maxSurge === 0
    ? `${sentenceCase(availabilityText(forecast))}.`
    : `${most}; ${availabilityText(forecast)}.`;
}

function orderText({ order }: Forecast): string[] {
  return order.length === 0
    ? []
    : [`Pods are taken in this order: ${order.join('; ')}; among equals those that are not ready.`];
}

function paceText({ graceMs, leastMs }: Forecast): string[] {
  if (leastMs === 0) return [];
  const grace =
    graceMs === 0
      ? ''
      : `Each pod is out of traffic for ${formatDuration(graceMs)} before its containers change; `;
  return [sentenceCase(`${grace}the updates take at least ${formatDuration(leastMs)}.`)];
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How long the gates take when all is well. A check waits for answers as long as there are none, nobody knows how long. */
function waitingText({ soakMs, checks, checksMs }: Forecast): string {
  const times = [
    ...(soakMs > 0 ? [`soaking takes ${formatDuration(soakMs)}`] : []),
    ...(checksMs > 0 ? [`checking ${soakMs > 0 ? '' : 'takes '}${formatDuration(checksMs)}`] : []),
  ];
  if (times.length === 0)
    return checks.length === 0 ? 'It does not soak' : 'It does not soak, but checks may wait';
  return `${sentenceCase(times.join(', '))}${checks.length === 0 ? '' : ', plus checks that may wait'}`;
}

function limitText({ limitMs, deadlineMs }: Forecast): string {
  return limitMs === undefined
    ? `an update step fails when no pod becomes available for ${formatDuration(deadlineMs)}`
    : `updates may take ${formatDuration(limitMs)} before they fail`;
}

/** People take their time; pods that were made must not. */
function handLimitText({ limitMs, deadlineMs }: Forecast): string {
  const most = limitMs === undefined ? `for ${formatDuration(deadlineMs)}` : `in time`;
  return `an update step waits for deletions as long as it takes, and fails when what was made does not become available ${most}`;
}

function availabilityText({ lowestAvailable, replicas }: Forecast): string {
  if (lowestAvailable === 0) return 'there are moments when no pod is available';
  return `the update itself keeps at least ${lowestAvailable} of ${replicas.expected} available`;
}

/** Pods that are recreated on the way back lose what they wrote on the way there. */
function backText({ claims }: Forecast): string {
  const loses = claims !== undefined && claims.made > 0;
  return loses
    ? 'the pods go back, and the volume claims made meanwhile are deleted with the data in them'
    : 'the pods go back';
}

/** Pods go back, data does not: what recreates on the way there recreates on the way back. */
function reverseText(
  change: Change,
  irreversible: string | undefined,
  { claims, onDelete }: Forecast,
): string {
  if (irreversible !== undefined) return `Not reversible: ${irreversible}.`;
  const loses = claims !== undefined && claims.deleted > 0;
  const how = loses ? 'Reversible but for the data' : 'Reversible';
  if (onDelete === true) {
    const empty = loses ? ', to empty claims' : '';
    return `${how}: revert the commit and pods are made as before again${empty}; ${UNTIL_DELETED}.`;
  }
  if (change.action === 'Bound' || change.action === 'Again' || change.action === 'Unplanned') {
    const data = loses ? ', and brings no data back' : '';
    return `Reverting this commit takes no pod back; putting back the template before does, without gates${data}.`;
  }
  return `${how}: revert the commit and the pods go back without gates${loses ? ', to empty claims' : ''}.`;
}
