import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../../semantics/decision.ts';
import type { Caches } from '../observe/caches.ts';

/**
 * Whether the cached pod still has the version that the action was decided on. A write to another version would be refused,
 * and the change itself enqueues the next reconcile.
 */
export function isCurrent(caches: Pick<Caches, 'podVersion'>, target: KubeObject, action: Action): boolean {
  if (action.kind !== 'Pod' || action.do === 'create' || action.do === 'exec') return true;
  const { resourceVersion } =
    action.do === 'delete' ? action : (action.body['metadata'] as { resourceVersion?: string });
  const cached = caches.podVersion(action.namespace ?? target.metadata.namespace ?? '', action.name);
  return resourceVersion === undefined || cached === resourceVersion;
}
