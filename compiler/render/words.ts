import type { Forecast } from '../forecast/forecast.ts';
import { formatDuration } from '../../semantics/values/duration.ts';
import { partitionValue } from '../../semantics/values/int-or-percent.ts';
import type { Action, Change } from '../plan/change.ts';

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
      return `replicas ${change.base?.normal.replicas} to ${replicas}; scaling needs no plan`;
    case 'Settings':
      return 'settings only; no pod is touched';
    case 'Bound':
      return `partition ${change.base?.normal.partition} to ${change.head?.normal.partition}, the roll-out continues`;
    case 'Update':
      return `${movingText(change, replicas)} ${effectText(change.classification?.mode ?? 'Recreate')}`;
  }
}

/** `5 pods`, or `3 of 5 pods` where the partition keeps the others back. */
function movingText(change: Change, replicas: number): string {
  const held = partitionValue(change.head?.normal.partition, replicas);
  return held === 0 ? pods(replicas) : `${replicas - held} of ${pods(replicas)}`;
}

/** Everything a reviewer must know, as short sentences. No text from manifests occurs but validated numbers. */
export function verdict(change: Change, forecast: Forecast): string[] {
  const { replicas, held, window, approvals, soakMs, limitMs, irreversible } = forecast;
  const moving = replicas.expected - held;
  const sentences: string[] = [];
  if (moving <= 0 && replicas.expected > 0) {
    sentences.push(`No pod changes: the partition holds all ${pods(replicas.expected)} back.`);
  } else if (change.action === 'Bound') {
    sentences.push(
      `The roll-out goes on under a new bound: ${moving} of ${pods(replicas.expected)} may be on the new revision.`,
    );
  } else {
    sentences.push(
      `${movingText(change, replicas.expected)} ${moving === 1 ? 'is' : 'are'} ${effectText(forecast.mode)}.`,
    );
  }
  if (moving > 0) {
    const extra = window.maxSurge > 0 ? `, with up to ${window.maxSurge} extra` : '';
    const restarts =
      forecast.mode === 'MetadataOnly'
        ? 'No container restarts'
        : `At most ${window.maxUnavailable} at a time${extra}; ${availabilityText(forecast)}`;
    sentences.push(`${restarts}.`);
  }
  if (!forecast.finishes && moving > 0) sentences.push(whyUnfinished(change, replicas.expected));
  sentences.push(
    approvals.length === 0
      ? 'It never stops for a person.'
      : `It stops for a person ${approvals.length === 1 ? 'once' : `${approvals.length} times`} (${approvals.join(', ')}).`,
  );
  const soaking = soakMs > 0 ? `Soaking takes ${formatDuration(soakMs)}` : 'It does not soak';
  const limit =
    limitMs === undefined
      ? `an update step fails when no pod becomes available for ${formatDuration(forecast.deadlineMs)}`
      : `updates may take ${formatDuration(limitMs)} before they fail`;
  sentences.push(`${soaking}; ${limit}.`);
  sentences.push(
    irreversible === undefined
      ? 'Reversible: revert the commit and the pods go back without gates.'
      : `Not reversible: ${irreversible}.`,
  );
  if (!forecast.reproducible) sentences.push('Not reproducible: an image has a tag that can move.');
  if (forecast.assumed) {
    sentences.push(
      `The manifest leaves replicas to an autoscaler; the numbers are for ${pods(replicas.expected)}.`,
    );
  }
  return sentences;
}

function availabilityText({ lowestAvailable, replicas }: Forecast): string {
  if (lowestAvailable === 0) return 'there are moments when no pod is available';
  return `at least ${lowestAvailable} of ${replicas.expected} stay available`;
}

function whyUnfinished(change: Change, replicas: number): string {
  if (change.head?.normal.paused === true) return 'Nothing moves as long as the target itself is paused.';
  if (replicas === 0) return 'It waits for a pod: there are no replicas.';
  return 'By itself it does not get to its last step.';
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

/** The fixed last sentence: `Plan: 2 to roll out, 0 to continue, 1 to create, …` */
export function summary(changes: readonly Change[]): string {
  const counts = COUNTED.map(
    ([action, words]) => `${changes.filter((change) => change.action === action).length} ${words}`,
  );
  return `Plan: ${counts.join(', ')}.`;
}
