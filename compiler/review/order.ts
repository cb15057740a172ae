import { byText } from '../text/order.ts';

/**
 * What is dangerous about a change, in the order in which a reviewer reads: a group that has the first comes before all that do not,
 * whatever else they have. Among those, the second decides, and so on.
 */
export const RISKS = [
  /** Volume claims are deleted, with their data. */
  'LosesData',
  /** The target is deleted, or pods of it by name. */
  'Deletes',
  /** Volume claims that were retained so far are deleted when the target is scaled in or deleted. */
  'MayLoseData',
  /** Its policy does not require plans any more. */
  'NeedsNoPlan',
  /** Its pods are recreated. */
  'Recreates',
  /** At times no pod of it is available. */
  'NoAvailability',
  /** What runs reaches its node, beyond its containers. Of pods that are updated, what they did not reach before. */
  'HostAccess',
  /** Reverting the commit does not restore it. */
  'NotReversible',
  /** Its pods are recreated where a cluster skipped a state. */
  'MayRecreate',
  /** Neither a person nor a soak nor a check stops it. */
  'NoGate',
  /** A tag of an image can move. */
  'NotReproducible',
  /** It has warnings of its own. */
  'Warned',
] as const;
export type Risk = (typeof RISKS)[number];

/** What a change does to the pods of a target: the order among changes of equal risks, and that of the totals. */
export const EFFECTS = [
  'removed',
  'recreated',
  'in place',
  'relabeled',
  'for new pods only',
  'to run',
  'at their next times',
  'to grow claims',
  'to hand over',
  'to scale',
  'with other settings',
  'reconciled at once',
  'new',
  'without a changed pod',
] as const;
export type Effect = (typeof EFFECTS)[number];

/** What the order of groups hangs on. The members are sorted. */
interface Ordered {
  risks: readonly Risk[];
  effect: Effect;
  kind: string;
  members: readonly { id: string }[];
}

/**
 * The order of groups: by risks, by effects, more targets first, and then by kind and by the first target. No two groups share a
 * target, so none are equal.
 */
export function compareGroups(a: Ordered, b: Ordered): number {
  return (
    compareRisks(a.risks, b.risks) ||
    EFFECTS.indexOf(a.effect) - EFFECTS.indexOf(b.effect) ||
    b.members.length - a.members.length ||
    byText(a.kind, b.kind) ||
    byText(a.members[0]?.id ?? '', b.members[0]?.id ?? '')
  );
}

function compareRisks(a: readonly Risk[], b: readonly Risk[]): number {
  const decisive = RISKS.find((risk) => a.includes(risk) !== b.includes(risk));
  if (decisive === undefined) return 0;
  return a.includes(decisive) ? -1 : 1;
}
