import type { Clock } from '../../schemas/wire/clock.ts';
import type { GroupKind } from '../../semantics/owner.ts';
import { kindId } from './ids.ts';
import type { Sources } from './sources.ts';

/** The shortest time between two lists for an oversized object: other users decide how often memory becomes free. */
const RELIST_MS = 60_000;

/** Lists a kind again to cache an object that was oversized. */
export function createRelists(
  clock: Pick<Clock, 'now'>,
  sources: Pick<Sources, 'all'>,
): (of: GroupKind) => void {
  const relistedAt = new Map<string, number>();
  return (of) => {
    const id = kindId(of);
    if (clock.now() < (relistedAt.get(id) ?? 0) + RELIST_MS) return;
    for (const [resource, reflector] of sources.all()) {
      if (kindId(resource) !== id) continue;
      relistedAt.set(id, clock.now());
      reflector.relist();
    }
  };
}
