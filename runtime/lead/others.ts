import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';

/** Where a Lease is. */
export interface LeasePlace {
  namespace: string;
  name: string;
}

/** The Lease of OpenKruise's manager, as it is installed. */
export const OPENKRUISE: LeasePlace = { namespace: 'kruise-system', name: 'kruise-manager' };
/** The Lease of this runtime, as `deploy/` installs it. */
export const INSTALLED: LeasePlace = { namespace: 'kruise-system', name: 'kruise' };
/** Both are renewed every two seconds. */
const WATCHED_MS = 12_000;

/**
 * Who holds this Lease, if anybody does: two managers of the same CloneSets would undo each other's work. A
 * manager is there when its Lease is renewed while we look, as its clock need not be ours. Undefined: none, or it may not
 * be seen.
 */
export async function leaderAt(
  place: LeasePlace,
  cluster: Cluster,
  clock: Clock,
): Promise<string | undefined> {
  const first = await leaseOf(place, cluster);
  if (first === undefined || holderOf(first) === '') return undefined;
  await new Promise<void>((resolve) => void clock.after(WATCHED_MS, resolve));
  const second = await leaseOf(place, cluster);
  if (second === undefined || second.metadata.resourceVersion === first.metadata.resourceVersion)
    return undefined;
  return holderOf(second) === '' ? undefined : holderOf(second);
}

async function leaseOf(place: LeasePlace, cluster: Cluster): Promise<KubeObject | undefined> {
  try {
    return await cluster.get(resources.Lease, place);
  } catch (error) {
    if (error instanceof ApiError && [403, 404].includes(error.status.code)) return undefined;
    throw error;
  }
}

function holderOf(lease: KubeObject): string {
  const { holderIdentity } = (lease['spec'] ?? {}) as { holderIdentity?: string };
  return holderIdentity ?? '';
}
