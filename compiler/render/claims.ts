import type { ClaimForecast } from '../forecast/claims.ts';

/** What happens to the volume claims of pods; deleted data comes first. `byHand`: users delete the pods. */
export function claimsText({ retained, deleted, created, reused }: ClaimForecast, byHand: boolean): string {
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
