import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { ClusterAccess } from './cluster.ts';

/** The Lease of a runtime for all namespaces. */
const EVERYWHERE = 'kruise';

/** The Lease of a runtime for one namespace. */
function nameFor(namespace: string): string {
  return `${EVERYWHERE}-${namespace}`;
}

/**
 * The Leases of runtimes for all namespaces and of those for the given ones, in any namespace; undefined if Leases may not
 * be listed.
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

/** Whether this is the Lease of a runtime that reconciles the namespace. */
export function isFor({ metadata }: KubeObject, namespace: string): boolean {
  return metadata.name === EVERYWHERE || metadata.name === nameFor(namespace);
}

/** The state of a Lease, as shown to users. */
export interface LeaseState {
  /** Namespace and name. */
  lease: string;
  /** Undefined: it was released. */
  holder: string | undefined;
  /** When the holder last renewed it, to the second. */
  renewed: string | undefined;
  /** How long a renewal is valid, milliseconds. */
  durationMs: number;
}

/** Reads a Lease. Tolerates invalid fields. */
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

/** Explains why no runtime works under a Lease that is not renewed. */
export function whyIdle({ lease, holder, renewed }: LeaseState): string {
  if (holder === undefined) return `the Lease ${lease} was released, and no runtime has acquired it`;
  return `${holder} does not renew the Lease ${lease}${renewed === undefined ? '' : `, last at ${renewed}`}`;
}
