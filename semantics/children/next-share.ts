import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Share } from '../plan/share.ts';
import { observesPresentSpec } from './share-rows.ts';
import type { WrittenShare } from './shares.ts';

/**
 * What is written on a child next, together with its template and its partition. Undefined: it waits. A child that has yet to
 * observe its present template gets no other one, as nobody would know which one its counts are about; and where a revision has no
 * object, it has no template.
 *
 * @param child undefined: it is to be created
 * @param before what stands on it; undefined: nothing that its root has on record
 * @param share its share, with the revisions of its root
 * @param hashOf the hash that the child has of a revision of its root; undefined: that has no object
 */
export function nextShare(
  child: KubeObject | undefined,
  before: WrittenShare | undefined,
  share: Share,
  hashOf: (hash: string) => string | undefined,
): WrittenShare | undefined {
  const [goal, stable] = [hashOf(share.goal), hashOf(share.stable)];
  if (goal === undefined || stable === undefined) return undefined;
  const isObserved = child === undefined || observesPresentSpec(child);
  const isSame = before?.root.goal === share.goal;
  if (before !== undefined && !isSame && !isObserved) return undefined;
  const { allowed } = share;
  const root = { goal: share.goal, stable: share.stable };
  const own = { ...share, goal, stable };
  if (before === undefined || !isSame) {
    // Another revision of the root may be the same template of the child: then its spec need not change.
    const since = (child?.metadata.generation ?? 0) + (before?.share.goal === goal ? 0 : 1);
    return { share: own, root: { ...root, before: before?.root.goal, since, atMost: allowed } };
  }
  const { since, atMost } = before.root;
  const earlier = isObserved ? before.share.allowed : atMost;
  return {
    share: own,
    root: { ...root, before: before.root.before, since, atMost: Math.max(allowed, earlier) },
  };
}
