import { valuesIn } from '../template/bounds.ts';
import { revisionOf } from '../revision/revision.ts';
import type { Workload } from './view.ts';

/** As many pods as a ReplicaSet creates at once. */
const MOST_PODS = 500;
/** Values that are copied from templates into pods: some tenths of a second. */
const MOST_VALUES = 200_000;

/**
 * How many pods one decision creates, at least one: nothing else runs meanwhile, and users write how many there are to be, and how
 * large. The others follow when these are observed.
 *
 * @param hashes the revisions that pods are created on
 */
export function mostCreated(view: Workload, hashes: Iterable<string>): number {
  const templates = [...new Set(hashes)].map((hash) => revisionOf(view, hash)?.template);
  const values = valuesIn(view.spec.volumeClaimTemplates) + Math.max(...templates.map(valuesIn), 1);
  return Math.max(Math.min(Math.floor(MOST_VALUES / values), MOST_PODS), 1);
}
