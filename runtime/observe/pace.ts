import { kindOf } from '../../semantics/registry/registry.ts';
import type { Caches } from './caches.ts';
import type { TargetKey } from './target-key.ts';

/** Many targets may select a pod that changes often. */
const SELECTING_MS = 1_000;
/** For each pod of a target that only counts what another one does: 1,000 pods are counted every 3 s. */
const COUNTED_MS = 3;
const MOST_COUNTED_MS = 5_000;

/** The shortest time between two reconciles of a target that are not urgent, milliseconds. */
export function paceOf(
  { isSelecting, isFollowing, selectedBy }: Pick<Caches, 'isSelecting' | 'isFollowing' | 'selectedBy'>,
  key: TargetKey,
): number {
  if (!isSelecting(key)) return 0;
  const isAwaited = !isFollowing(key) || kindOf(key)?.influence?.protects !== false;
  const pods = isAwaited ? 0 : (selectedBy(key)?.length ?? 0);
  return Math.max(SELECTING_MS, Math.min(pods * COUNTED_MS, MOST_COUNTED_MS));
}
