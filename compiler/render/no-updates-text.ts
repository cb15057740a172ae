import type { NoUpdates } from '../../semantics/kinds/no-updates.ts';

/** The sentences about a rollout that updates no unit itself, as far as they differ by which units get the change. */
interface NoUpdatesWords {
  /** The first sentence. */
  first: string;
  /** How long an update step may take, as a clause. */
  waits: string;
  /** What happens after a step has failed, as a clause. */
  failed: string;
  /** What reverting the commit does, as a clause. */
  reverted: string;
  /** What it does not change, as a sentence. */
  staying: string;
}

/**
 * @param most how long a new pod may take, as a phrase: `for 10m`
 * @param moving a phrase for the units that the step leads to: `5 pods`
 * @param count how many these are
 */
export function noUpdatesWords(
  { type, changes }: NoUpdates,
  { most, moving, count }: { most: string; moving: string; count: number },
): NoUpdatesWords {
  switch (changes) {
    case 'Deleted':
      return {
        first: `The strategy is ${type}: ${moving} ${count === 1 ? 'gets' : 'get'} the change when a user deletes ${count === 1 ? 'it' : 'them'}.`,
        waits: `an update step waits for deletions without a limit, and fails when a new pod does not become available ${most}`,
        failed: 'pods that are deleted afterwards are recreated on the old revision',
        reverted: 'pods are recreated on the old revision',
        staying: 'Updated pods keep the change until a user deletes them.',
      };
    case 'New':
      return {
        first: `The strategy is ${type}: running pods stay as they are, and new pods get the change.`,
        waits: `an update step waits for new pods without a limit, and fails when one does not become available ${most}`,
        failed: 'new pods get the old revision',
        reverted: 'new pods get the old revision',
        staying: 'Pods that have the change keep it.',
      };
  }
}
