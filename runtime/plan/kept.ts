import type { Advance } from '../../semantics/plan/advance.ts';
import type { RolloutSnapshot } from '../../semantics/kinds/kind.ts';

/** Hashes of the revisions that are needed whatever the history's limit: of where pods are, come from and may go back to. */
export function keptRevisions(
  { rollout }: RolloutSnapshot,
  { accepted, envelope }: Advance,
): ReadonlySet<string> {
  const { stable, held } = rollout;
  const planned = accepted === undefined ? [] : [accepted.spec.to, ...accepted.spec.from];
  return new Set([
    stable,
    envelope.goal,
    ...(held === undefined ? [] : [held.hash]),
    ...planned.map(({ hash }) => hash),
  ]);
}
