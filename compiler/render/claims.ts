import type { NamedClaims } from '../forecast/claim-moves.ts';
import type { ClaimForecast } from '../forecast/claims.ts';
import { shorten } from '../text/escape.ts';

/** What happens to the volume claims of pods; deleted data comes first. `byHand`: users delete the pods. */
export function claimsText(forecast: ClaimForecast, byHand: boolean): string {
  const { moves } = forecast;
  if (moves === undefined) return rolloutText(forecast, byHand);
  const { deleted, unused, created } = moves;
  return [
    ...(deleted.count > 0
      ? [
          `${named(deleted)} ${deleted.count === 1 ? 'is deleted with its pod' : 'are deleted with their pods'}: the data is lost.`,
        ]
      : []),
    ...(forecast.retained + forecast.created > 0 ? [rolloutText(forecast, byHand)] : []),
    ...(unused.count > 0
      ? [
          `${named(unused)} ${unused.count === 1 ? 'stays' : 'stay'} behind with the data, and no pod uses ${unused.count === 1 ? 'it' : 'them'}.`,
        ]
      : []),
    ...(created.count > 0
      ? [`${named(created)} ${created.count === 1 ? 'is' : 'are'} created for new pods.`]
      : []),
  ].join(' ');
}

function named({ names, count }: NamedClaims): string {
  return `${claims(count)} (${shorten(names, 200)})`;
}

function rolloutText({ retained, deleted, created, reused }: ClaimForecast, byHand: boolean): string {
  if (deleted + created === 0) {
    if (byHand)
      return `${claims(retained)} ${retained === 1 ? 'is' : 'are'} reused by the pods that replace deleted ones.`;
    if (reused === true)
      return `${claims(retained)} ${retained === 1 ? 'stays' : 'stay'}: the recreated pods of the same names reuse ${retained === 1 ? 'it' : 'them'}.`;
    return `${claims(retained)} ${retained === 1 ? 'stays with its pod' : 'stay with their pods'}.`;
  }
  const deletedText =
    deleted === 0
      ? 'No volume claim is deleted'
      : `${claims(deleted)} ${deleted === 1 ? 'is' : 'are'} deleted with the pods${byHand ? ' that users delete' : ''}, and the data is lost`;
  const retainedText = retained === 0 ? '' : `, ${retained} ${retained === 1 ? 'stays' : 'stay'}`;
  return `${deletedText}. ${created} new ${created === 1 ? 'one is' : 'ones are'} created${retainedText}.`;
}

/** `1 volume claim`, `4 volume claims`. */
export function claims(count: number): string {
  return count === 1 ? '1 volume claim' : `${count} volume claims`;
}
