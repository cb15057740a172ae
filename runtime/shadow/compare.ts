import { shortHash } from '../../semantics/revision/revisions.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { keyOfPodChange, type PodChange, podChangesOf, podChangeText } from './pod-changes.ts';
import type { DryRunDecision } from './dry-run-decision.ts';

/**
 * How a move of the other manager compares with what would have been done: the same; the same with another pod; something
 * else; or, of a deletion, that nobody can tell who did it (a person, a drain of the node).
 */
export type Verdict = 'same' | 'other-pod' | 'difference' | 'unaccounted';

export interface Finding {
  verdict: Verdict;
  text: string;
}

/** The moves of a target, and what was due when. */
export interface Comparison {
  /**
   * Judges a move by what would have been done in the state before it. Undefined: nothing of the kind was due, which may
   * be because what it answers to has not been seen yet.
   */
  judge(move: PodChange, would: DryRunDecision, before: readonly Pod[], now: number): Finding | undefined;
  /** The judgement of a move that nothing came to explain. */
  settle(move: PodChange, would: DryRunDecision): Finding;
}

/** What was due may be done so long after: the other manager answers to what it has seen. */
export const WINDOW_MS = 10_000;

/** @param controller who looks after the target, as in the middle of a sentence */
export function createComparison(controller: string): Comparison {
  const subject = sentence(controller);
  /** Until when what was due may be done, by move; a move is made once. */
  const due = new Map<string, { count: number; until: number; reason: string }>();

  function take(key: string): string | undefined {
    const offer = due.get(key);
    if (offer === undefined) return undefined;
    if (offer.count > 1) due.set(key, { ...offer, count: offer.count - 1 });
    else due.delete(key);
    return offer.reason;
  }

  return {
    judge(move, would, before, now) {
      for (const [key, { until }] of due) if (until < now) due.delete(key);
      const wanted = podChangesOf(would.actions, before).map(({ change, reason }) => ({
        ours: change,
        key: keyOfPodChange(change),
        because: reason,
      }));
      const counts = new Map<string, number>();
      for (const { key } of wanted) counts.set(key, (counts.get(key) ?? 0) + 1);
      for (const { key, because: reason } of wanted)
        due.set(key, { count: counts.get(key) ?? 1, until: now + WINDOW_MS, reason });
      const reason = take(keyOfPodChange(move));
      if (reason !== undefined)
        return {
          verdict: 'same',
          text: `${subject} did what would have been done: ${podChangeText(move)}, because ${reason}`,
        };
      const other = wanted.find(({ ours }) => ours.kind === move.kind && move.kind !== 'create');
      if (other !== undefined) {
        take(other.key);
        const text = `${subject} took another pod: ${podChangeText(move)}, where it would have been: ${podChangeText(other.ours)}`;
        return { verdict: 'other-pod', text };
      }
      const otherwise = wanted.find(
        ({ ours }) => (ours.pod === move.pod || ours.kind === 'create') && isInstead(ours, move),
      );
      if (otherwise === undefined) return undefined;
      const text = `${subject} did something else: ${podChangeText(move)}, where it would have been: ${podChangeText(otherwise.ours)}, because ${otherwise.because}`;
      return { verdict: 'difference', text };
    },
    settle(move, would) {
      if (move.kind === 'delete')
        return {
          verdict: 'unaccounted',
          text: `${move.pod} was deleted, by ${controller} or by somebody else; here it would have stayed`,
        };
      // A controller marks only what is not on the update revision: this was a person.
      const updateRevision = shortHash(String(would.status['updateRevision'] ?? ''));
      if (move.kind === 'mark' && move.revision === updateRevision)
        return { verdict: 'unaccounted', text: `somebody marked ${move.pod} for deletion` };
      const why = would.explanations.find(({ about }) => about === move.pod)?.reason ?? would.bound;
      return {
        verdict: 'difference',
        text: `${subject} did more: ${podChangeText(move)}, where nothing of the kind was due: ${why}`,
      };
    },
  };
}

/** With a capital at its beginning. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** One is done to a pod in the place of the other; or a pod is made at another revision. */
function isInstead(ours: PodChange, theirs: PodChange): boolean {
  if (theirs.kind === 'create') return ours.kind === 'create' && ours.revision !== theirs.revision;
  return (
    (ours.kind === 'update' && theirs.kind === 'mark') || (ours.kind === 'mark' && theirs.kind === 'update')
  );
}

const COUNTED = [
  'replicas',
  'readyReplicas',
  'availableReplicas',
  'updatedReplicas',
  'updatedReadyReplicas',
  'updateRevision',
] as const;

/** Where a status at rest is not what it would be. */
export function statusDifferences(
  theirs: DryRunDecision['status'],
  ours: DryRunDecision['status'],
): string[] {
  return COUNTED.filter((field) => (theirs[field] ?? 0) !== (ours[field] ?? 0)).map(
    (field) => `status.${field} is ${theirs[field] ?? 0}, where it would be ${ours[field] ?? 0}`,
  );
}
