import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../../semantics/decision.ts';
import type { Caches } from '../observe/caches.ts';

/** Whether a pod is as it was when the action was decided: one that has changed since would be refused, and a look that sees the change comes anyway. */
export function isCurrent(caches: Pick<Caches, 'podVersion'>, target: KubeObject, action: Action): boolean {
  if (action.kind !== 'Pod' || action.do === 'create') return true;
  const { resourceVersion } =
    action.do === 'delete' ? action : (action.body['metadata'] as { resourceVersion?: string });
  const seen = caches.podVersion(action.namespace ?? target.metadata.namespace ?? '', action.name);
  return resourceVersion === undefined || seen === resourceVersion;
}
