import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { ClusterAccess } from './cluster.ts';

/** The Lease of a runtime for everything. */
const EVERYWHERE = 'kruise';

/** The Lease of a runtime for this namespace alone. */
function nameFor(namespace: string): string {
  return `${EVERYWHERE}-${namespace}`;
}

/**
 * The Leases of runtimes for everything and of those for these namespaces alone, wherever they are; undefined where they
 * may not be seen.
 */
export async function leasesFor(
  { cluster }: Pick<ClusterAccess, 'cluster'>,
  namespaces: readonly string[],
): Promise<KubeObject[] | undefined> {
  try {
    const names = [EVERYWHERE, ...namespaces.map((namespace) => nameFor(namespace))];
    const lists = await Promise.all(
      names.map((name) => cluster.list(resources.Lease, { fieldSelector: `metadata.name=${name}` })),
    );
    return lists.flatMap(({ items }) => items);
  } catch {
    return undefined;
  }
}

/** Whether it is the Lease of a runtime that looks after this namespace. */
export function isFor({ metadata }: KubeObject, namespace: string): boolean {
  return metadata.name === EVERYWHERE || metadata.name === nameFor(namespace);
}

/** What a person is told of a Lease. */
export interface LeaseState {
  /** Namespace and name. */
  lease: string;
  /** Undefined: it was handed back. */
  holder: string | undefined;
  /** When the holder renewed it last, to the second. */
  renewed: string | undefined;
  /** How long a renewal counts, milliseconds. */
  durationMs: number;
}

/** Reads a Lease, whatever somebody has made of its content. */
export function leaseStateOf({ metadata, ...object }: KubeObject): LeaseState {
  const spec = (object['spec'] ?? {}) as Record<string, unknown>;
  const { holderIdentity, renewTime, leaseDurationSeconds } = spec;
  return {
    lease: `${metadata.namespace}/${metadata.name}`,
    holder: typeof holderIdentity === 'string' && holderIdentity !== '' ? holderIdentity : undefined,
    renewed: typeof renewTime === 'string' ? renewTime.replace(/\.\d+/, '') : undefined,
    durationMs: (typeof leaseDurationSeconds === 'number' ? leaseDurationSeconds : 15) * 1_000,
  };
}

/** Why nobody works by a Lease that nobody renews. */
export function whyIdle({ lease, holder, renewed }: LeaseState): string {
  if (holder === undefined) return `the Lease ${lease} was released, and no runtime has acquired it`;
  return `${holder} does not renew the Lease ${lease}${renewed === undefined ? '' : `, last at ${renewed}`}`;
}
