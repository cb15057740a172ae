import type { KubeObject } from '../../schemas/wire/object.ts';
import { byText } from '../../compiler/text/order.ts';
import type { Refusal } from '../command/refusal.ts';
import { pause, repeat, type ClusterAccess } from '../cluster/cluster.ts';
import { isFor, leaseStateOf, leasesFor, whyIdle, type LeaseState } from '../cluster/leases.ts';
import type { TargetStatus } from './read.ts';

/** Leases are renewed every two seconds: one that was not meanwhile is not. */
const SURE_MS = 3_000;
/** A timer may be early by a little. */
const LOOK_MS = SURE_MS + 100;
/** What was made since may not have been looked at yet. */
const FRESH_MS = 5_000;
const HELP = 'check whether kruise run is running';

/** Whether somebody works on what is shown: `doubt` has to be looked at again after `SURE_MS`. */
export type LeaseCoverage = { is: 'led' | 'doubt' } | ({ is: 'idle' } & Refusal);

/** What is known of a Lease from looking at it. */
interface Known {
  version: string | undefined;
  /** Its holder leads until then, and for as long as it is seen to renew it; by the monotonic clock. */
  until: number;
  since: number;
}

/**
 * Looks whether a runtime leads where these targets are, again and again. A Lease in date counts; so does one that is
 * renewed from one look to the next, whatever the clock of its holder says. Where Leases may not be seen, somebody is
 * taken to lead; where there is none, too, unless a target shows that nobody has looked at it.
 */
export function createLeaderLookup(
  reached: ClusterAccess,
): (statuses: readonly TargetStatus[]) => Promise<LeaseCoverage> {
  const known = new Map<string, Known>();

  function isLed(lease: KubeObject): 'yes' | 'no' | 'doubt' {
    const { uid = '', resourceVersion: version } = lease.metadata;
    const { holder, renewed, durationMs } = leaseStateOf(lease);
    if (holder === undefined) return 'no';
    const now = reached.clock.monotonic();
    const before = known.get(uid);
    const left = before === undefined ? Date.parse(renewed ?? '') + durationMs - reached.now() : durationMs;
    const { until, since } =
      before?.version === version && before !== undefined
        ? before
        : { until: now + (left > 0 ? left : 0), since: now };
    known.set(uid, { version, until, since });
    if (until > now) return 'yes';
    return now - since >= SURE_MS ? 'no' : 'doubt';
  }

  return async (statuses) => {
    const namespaces = [...new Set(statuses.map(({ namespace }) => namespace))].sort(byText);
    const general = await leasesFor(reached, []);
    if (general === undefined) return { is: 'led' };
    if (general.some((lease) => isLed(lease) === 'yes')) return { is: 'led' };
    const leases = (await leasesFor(reached, namespaces)) ?? [];
    const led = new Map(leases.map((lease) => [lease, isLed(lease)]));
    const by = (namespace: string, how: 'yes' | 'doubt'): boolean =>
      leases.some((lease) => isFor(lease, namespace) && led.get(lease) === how);
    const left = namespaces.filter((namespace) => !by(namespace, 'yes'));
    if (left.length === 0) return { is: 'led' };
    if (left.some((namespace) => by(namespace, 'doubt'))) return { is: 'doubt' };
    const idle = lastOf(leases.filter((lease) => left.some((namespace) => isFor(lease, namespace))));
    const where = left.length === namespaces.length ? '' : ` in ${left.join(', ')}`;
    if (idle !== undefined)
      return { is: 'idle', problem: `no runtime leads${where}: ${whyIdle(idle)}`, help: HELP };
    const unseen = statuses.find((status) => left.includes(status.namespace) && isUnseen(status));
    if (unseen === undefined) return { is: 'led' };
    const { kind, name, namespace } = unseen;
    const problem = `no runtime has processed the current ${kind}/${name} in ${namespace}, and none holds a Lease in this cluster`;
    return { is: 'idle', problem, help: HELP };
  };

  /** Nobody has written about it as it is, and there was time to. */
  function isUnseen({ object }: TargetStatus): boolean {
    if (object === undefined) return false;
    const { metadata, status } = object;
    const made = Date.parse(metadata.creationTimestamp ?? '');
    return status?.observedGeneration !== metadata.generation && reached.now() - made > FRESH_MS;
  }
}

/** The Lease that was renewed last. */
function lastOf(leases: readonly KubeObject[]): LeaseState | undefined {
  return leases
    .map((lease) => leaseStateOf(lease))
    .sort((a, b) => byText(b.renewed ?? '', a.renewed ?? '') || byText(a.lease, b.lease))[0];
}

/** Looks until there is no doubt. */
export async function readLeaders(
  reached: ClusterAccess,
  statuses: readonly TargetStatus[],
): Promise<LeaseCoverage> {
  const look = createLeaderLookup(reached);
  const first = await look(statuses);
  if (first.is !== 'doubt') return first;
  await pause(reached.clock, LOOK_MS);
  return look(statuses);
}

/** Looks every three seconds, and tells what is to be said: undefined where somebody leads. Returns its end. */
export function watchLeaders(
  reached: ClusterAccess,
  statuses: () => readonly TargetStatus[],
  tell: (idle: Refusal | undefined) => void,
): () => void {
  const look = createLeaderLookup(reached);
  return repeat(reached.clock, LOOK_MS, async () => {
    const sight = await look(statuses());
    if (sight.is !== 'doubt') tell(sight.is === 'idle' ? sight : undefined);
  });
}
