import { missingClaims } from '../claims/templates.ts';
import type { Action } from '../decision.ts';
import { revisionOf } from '../revision/revision.ts';
import type { Layout } from './slots.ts';
import type { StatefulSetView } from './view.ts';

/**
 * Creates the claims that pods wait for: a claim may be deleted before its pod is started (OpenKruise advanced-statefulset,
 * rule 6.3 step 4).
 */
export function lostClaims(view: StatefulSetView, { slots }: Layout): Action[] {
  return slots.flatMap(({ pod, ordinal }) => {
    if (pod?.status?.phase !== 'Pending') return [];
    const revision = revisionOf(view, view.hashOf(pod));
    if (revision === undefined) return [];
    return missingClaims(view, revision, { id: String(ordinal), annotations: {} });
  });
}
