import type { KubeObject } from '../../schemas/wire/object.ts';
import type { OwnerBudget } from '../limits/pod-owners.ts';
import { readShare } from './shares.ts';

/**
 * How many pods of a target others may make unavailable, where it is a child: no more than its share lets it update at once. The
 * share need not be on record: anyone who writes another one can only make the number smaller.
 *
 * Example: a child has 10 pods and `maxUnavailable: 2`, and its root lets one pod of all children be unavailable. While that one is
 * a pod of this child, whoever else changes its pods may restart one at a time, not two.
 *
 * @param own what its fields allow
 */
export function underShare(child: KubeObject, own: OwnerBudget): OwnerBudget {
  const most = readShare(child)?.share.window.maxUnavailable ?? Infinity;
  return most < own.maxUnavailable ? { ...own, maxUnavailable: most } : own;
}
