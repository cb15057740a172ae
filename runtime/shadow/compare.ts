import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { shortHash } from '../../semantics/pod/revision-label.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { keyOfPodChange, type PodChange, podChangesOf, podChangeText } from './pod-changes.ts';
import type { DryRunDecision } from './dry-run-decision.ts';

/**
 * How a change by the other controller compares with the dry-run decision: the same; the same for another pod; something
 * else; or, of a deletion or a mark, by an unknown writer (a user, a node drain).
 */
export type Verdict = 'same' | 'other-pod' | 'difference' | 'unaccounted';

export interface Finding {
  verdict: Verdict;
  text: string;
}

/** Compares the changes to the pods of one target with the changes that were due. */
export interface Comparison {
  /**
   * Compares a change with the decision about the state before it. Undefined: no such change was due, possibly because its
   * cause has not been observed yet.
   */
  judge(
    change: PodChange,
    decision: DryRunDecision,
    before: readonly Pod[],
    now: number,
  ): Finding | undefined;
  /** The finding about a change whose cause was never observed. */
  settle(change: PodChange, decision: DryRunDecision): Finding;
}

/** How long a due change may take, milliseconds: the other controller reacts to its own caches. */
export const WINDOW_MS = 10_000;

/** @param controller the controller of the target, as in the middle of a sentence */
export function createComparison(controller: string): Comparison {
  const subject = sentence(controller);
  /** Due changes by `keyOfPodChange`, with their deadlines; each explains one change. */
  const due = new Map<string, { count: number; until: number; reason: string }>();

  function take(key: string): string | undefined {
    const offer = due.get(key);
    if (offer === undefined) return undefined;
    if (offer.count > 1) due.set(key, { ...offer, count: offer.count - 1 });
    else due.delete(key);
    return offer.reason;
  }

  return {
    judge(change, decision, before, now) {
      for (const [key, { until }] of due) if (until < now) due.delete(key);
      const wanted = podChangesOf(decision.actions, before).map(({ change: ours, reason }) => ({
        ours,
        key: keyOfPodChange(ours),
        reason,
      }));
      const counts = new Map<string, number>();
      for (const { key } of wanted) counts.set(key, (counts.get(key) ?? 0) + 1);
      for (const { key, reason } of wanted)
        due.set(key, { count: counts.get(key) ?? 1, until: now + WINDOW_MS, reason });
      const done = podChangeText(change);
      const reason = take(keyOfPodChange(change));
      if (reason !== undefined)
        return { verdict: 'same', text: `${subject} did as expected: ${done}, because ${reason}` };
      const other = wanted.find(({ ours }) => ours.kind === change.kind && change.kind !== 'create');
      if (other !== undefined) {
        take(other.key);
        const text = `${subject} chose another pod: ${done}; expected: ${podChangeText(other.ours)}`;
        return { verdict: 'other-pod', text };
      }
      const instead = wanted.find(
        ({ ours }) => (ours.pod === change.pod || ours.kind === 'create') && isInstead(ours, change),
      );
      if (instead === undefined) return undefined;
      const text = `${subject} did something else: ${done}; expected: ${podChangeText(instead.ours)}, because ${instead.reason}`;
      return { verdict: 'difference', text };
    },
    settle(change, decision) {
      if (change.kind === 'delete')
        return {
          verdict: 'unaccounted',
          text: `${change.pod} was deleted, by ${controller} or by another user; expected: no deletion`,
        };
      // A controller marks only pods that are not at the update revision: a user marked this one.
      const updateRevision = shortHash(decision.updateRevision ?? '');
      if (change.kind === 'mark' && change.revision === updateRevision)
        return { verdict: 'unaccounted', text: `a user marked ${change.pod} for deletion` };
      const why = decision.explanations.find(({ about }) => about === change.pod)?.reason ?? decision.bound;
      return {
        verdict: 'difference',
        text: `${subject} did more than expected: ${podChangeText(change)}; no such change was due: ${why}`,
      };
    },
  };
}

/** The text with its first letter in upper case. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whether one change replaces the other: an update instead of a mark or vice versa, or a creation at another revision. */
function isInstead(ours: PodChange, theirs: PodChange): boolean {
  if (theirs.kind === 'create') return ours.kind === 'create' && ours.revision !== theirs.revision;
  return (
    (ours.kind === 'update' && theirs.kind === 'mark') || (ours.kind === 'mark' && theirs.kind === 'update')
  );
}

/** The fields in which the status of a target at rest differs from the expected one, one sentence each. */
export function statusDifferences(
  theirs: JsonObject,
  ours: JsonObject,
  { facts }: Pick<Kind, 'facts'>,
): string[] {
  const [shown, expected] = [theirs, ours].map((status) => facts.status.compared(status));
  return Object.entries(expected ?? {})
    .filter(([field, value]) => shown?.[field] !== value)
    .map(([field, value]) => `status.${field} is ${shown?.[field] ?? 'none'}; expected: ${String(value)}`);
}
