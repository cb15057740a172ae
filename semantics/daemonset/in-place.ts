import { hasInPlaceGate } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import type { Revision } from '../revision/revision.ts';
import type { InPlacePatch } from '../template/inplace-images.ts';
import { inPlacePatchTo } from '../workload/update-blocker.ts';
import type { DaemonSetView } from './view.ts';

/**
 * The patch that updates a pod in place; undefined: it must be recreated. A pod without the readiness gate is recreated whatever its
 * change is (OpenKruise advanced-daemonset, rule 6.7).
 */
export function inPlaceUpdateOf(view: DaemonSetView, pod: Pod, goal: Revision): InPlacePatch | undefined {
  if (view.rules.policy === 'ReCreate' || !hasInPlaceGate(pod)) return undefined;
  return inPlacePatchTo(view, pod, goal);
}
