import type { Forecast } from '../forecast/forecast.ts';
import { formatDuration } from '../../semantics/values/duration.ts';
import { partitionValue } from '../../semantics/values/int-or-percent.ts';
import type { Action, Change } from '../plan/change.ts';
import { changedSettings } from '../plan/settings.ts';
import type { SettingChange } from '../plan/settings.ts';
import { hasReplicas } from '../plan/target.ts';

/** Terraform's marks: what happens to the object or its pods. */
export type Mark = '+' | '~' | '-/+' | '-' | '=' | '!' | '?';

export function markOf(change: Change): Mark {
  switch (change.action) {
    case 'Create':
      return '+';
    case 'Delete':
      return '-';
    case 'Unchanged':
      return '=';
    case 'Update':
      return change.classification?.mode === 'Recreate' ? '-/+' : '~';
    case 'Bound':
    case 'Scale':
    case 'Settings':
      return '~';
  }
}

export function effectText(mode: Forecast['mode']): string {
  switch (mode) {
    case 'InPlace':
      return 'updated in place';
    case 'Recreate':
      return 'recreated';
    case 'MetadataOnly':
      return 'relabelled without a restart';
  }
}

export function pods(count: number): string {
  return count === 1 ? '1 pod' : `${count} pods`;
}

/** A few words on what the change does, without the name of the target. */
export function actionText(change: Change): string {
  const replicas = change.head?.normal.replicas ?? change.base?.normal.replicas ?? 0;
  switch (change.action) {
    case 'Create':
      return `new, ${pods(replicas)} under its own limits; the first roll-out needs no plan`;
    case 'Delete':
      return `removed with ${pods(replicas)}${claimText(change, replicas)}`;
    case 'Unchanged':
      return 'unchanged';
    case 'Scale':
      return `${replicasText(change)}; scaling needs no plan${alsoNamed(change)}`;
    case 'Settings':
      return `settings only (${settingNames(change)})${movesPods(change) ? '' : '; no pod is touched'}`;
    case 'Bound':
      return `partition ${change.base?.normal.partition} to ${change.head?.normal.partition}, the roll-out continues${andReplicas(change)}`;
    case 'Update':
      return `${updateText(change, replicas)}${andReplicas(change)}`;
  }
}

function updateText(change: Change, replicas: number): string {
  if (replicas === 0) return 'no pod changes; there are no replicas';
  if (partitionValue(change.head?.normal.partition, replicas) >= replicas) {
    return `no pod changes; the partition holds ${allPods(replicas)} back`;
  }
  const text = `${movingText(change, replicas)} ${effectText(change.classification?.mode ?? 'Recreate')}`;
  return change.head?.normal.paused === true ? `paused; ${text} once it is resumed` : text;
}

function allPods(count: number): string {
  return count === 1 ? 'the only pod' : `all ${pods(count)}`;
}

function replicasText(change: Change): string {
  if (change.head !== undefined && !hasReplicas(change.head)) return 'replicas left out of the manifest';
  return `replicas ${change.base?.normal.replicas} to ${change.head?.normal.replicas}`;
}

function andReplicas({ base, head }: Change): string {
  if (base === undefined || head === undefined || base.normal.replicas === head.normal.replicas) return '';
  if (!hasReplicas(head)) return '';
  return `, and replicas ${base.normal.replicas} to ${head.normal.replicas}, which needs no plan`;
}

function settingsOf({ base, head }: Change): SettingChange[] {
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

/** Settings that take pods away, or let a roll-out go on that was waiting. */
function movesPods(change: Change): boolean {
  return settingsOf(change).some(({ name }) => name === 'podsToDelete' || name === 'paused');
}

/** `5 pods`, or `3 of 5 pods` where the partition keeps the others back. */
function movingText(change: Change, replicas: number): string {
  const held = partitionValue(change.head?.normal.partition, replicas);
  return held === 0 ? pods(replicas) : `${replicas - held} of ${pods(replicas)}`;
}

/** Everything a reviewer must know, as short sentences. No text from manifests occurs but validated numbers. */
export function verdict(change: Change, forecast: Forecast): string[] {
  const { replicas, held, approvals, soakMs, irreversible } = forecast;
  const moving = replicas.expected - held;
  const moves = moving > 0 && !forecast.paused;
  const sentences = [firstSentence(change, forecast, moving)];
  if (moves) sentences.push(movementText(forecast));
  if (held > 0 && moving > 0) {
    sentences.push(`The partition keeps ${held} of ${pods(replicas.expected)} on the old revision.`);
  }
  if (!forecast.finishes && moves) sentences.push('By itself it does not get to its last step.');
  sentences.push(
    approvals.length === 0
      ? 'It never stops for a person.'
      : `It stops for a person ${approvals.length === 1 ? 'once' : `${approvals.length} times`} (${approvals.join(', ')}).`,
  );
  const soaking = soakMs > 0 ? `Soaking takes ${formatDuration(soakMs)}` : 'It does not soak';
  if (moves) sentences.push(`${soaking}; ${limitText(forecast)}.`);
  else if (soakMs > 0) sentences.push(`${soaking}.`);
  if (moving > 0) {
    // A continuation has nothing to go back to: the revision it leads to is the stable one already.
    const revert = forecast.onFailure === 'Revert' && change.action !== 'Bound';
    sentences.push(`If a step fails, ${revert ? 'the pods go back' : 'it freezes there'}.`);
  }
  sentences.push(reverseText(change, irreversible));
  if (!forecast.reproducible) sentences.push('Not reproducible: an image has a tag that can move.');
  if (forecast.assumed) {
    sentences.push(
      `The manifest leaves replicas to an autoscaler; the numbers are for ${pods(replicas.expected)}.`,
    );
  }
  const also = settingsOf(change).map(settingText);
  if (also.length > 0) sentences.push(`Also changed: ${also.join(', ')}.`);
  return sentences;
}

function settingText({ name, from, to }: SettingChange): string {
  return from === undefined || to === undefined ? name : `${name} from ${from} to ${to}`;
}

function firstSentence(change: Change, forecast: Forecast, moving: number): string {
  const { expected } = forecast.replicas;
  if (expected === 0) return 'No pod changes: there are no replicas.';
  if (moving <= 0) return `No pod changes: the partition holds ${allPods(expected)} back.`;
  const effect = effectText(forecast.mode);
  const [subject, verb] = [movingText(change, expected), moving === 1 ? 'is' : 'are'];
  if (forecast.paused) {
    return `Nothing moves as long as the target itself is paused; then ${subject} ${verb} ${effect}.`;
  }
  if (change.action === 'Bound') {
    return `The roll-out goes on under a new bound: ${moving} of ${pods(expected)} may be on the new revision.`;
  }
  return `${subject} ${verb} ${effect}.`;
}

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

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function limitText({ limitMs, deadlineMs }: Forecast): string {
  return limitMs === undefined
    ? `an update step fails when no pod becomes available for ${formatDuration(deadlineMs)}`
    : `updates may take ${formatDuration(limitMs)} before they fail`;
}

function availabilityText({ lowestAvailable, replicas }: Forecast): string {
  if (lowestAvailable === 0) return 'there are moments when no pod is available';
  return `at least ${lowestAvailable} of ${replicas.expected} ${lowestAvailable === 1 ? 'stays' : 'stay'} available`;
}

/** Which rule gave the steps. */
export function stepsFromText(change: Change): string {
  switch (change.stepsFrom) {
    case undefined:
      return '';
    case 'none':
      return 'Steps: no rule of kruise.yaml matches: one step.';
    case 'no file':
      return 'Steps: one, for there is no kruise.yaml.';
    default:
      return `Steps: rule ${change.stepsFrom} of kruise.yaml.`;
  }
}

function claimText(change: Change, replicas: number): string {
  const claims = (change.base?.normal.volumeClaimTemplates.length ?? 0) * replicas;
  return claims === 0 ? '' : ` and ${claims === 1 ? '1 volume claim' : `${claims} volume claims`}`;
}

const COUNTED: readonly (readonly [Action, string])[] = [
  ['Update', 'to roll out'],
  ['Bound', 'to continue'],
  ['Create', 'to create'],
  ['Delete', 'to delete'],
  ['Scale', 'to scale'],
  ['Settings', 'with other settings'],
  ['Unchanged', 'unchanged'],
];

/** The last sentence: `Plan: 2 to roll out, 1 to create, 7 unchanged.` Always in this order, without what is 0. */
export function summary(changes: readonly Change[]): string {
  const counts = COUNTED.map(
    ([action, words]) => [changes.filter((change) => change.action === action).length, words] as const,
  );
  const told = counts.filter(([count], index) => index === 0 || count > 0);
  return `Plan: ${told.map(([count, words]) => `${count} ${words}`).join(', ')}.`;
}

function reverseText(change: Change, irreversible: string | undefined): string {
  if (irreversible !== undefined) return `Not reversible: ${irreversible}.`;
  if (change.action === 'Bound') {
    return 'Reverting this commit takes no pod back; putting back the template before does, without gates.';
  }
  return 'Reversible: revert the commit and the pods go back without gates.';
}
