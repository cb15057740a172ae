import type { KubeObject } from '../../schemas/wire/object.ts';
import { byText } from '../../compiler/text/order.ts';
import type { Refusal } from '../command/refusal.ts';
import { pause, repeat, type ClusterAccess } from '../cluster/cluster.ts';
import { isFor, leaseStateOf, leasesFor, whyIdle, type LeaseState } from '../cluster/leases.ts';
import { isObserved } from '../../semantics/status/observed.ts';
import type { TargetStatus } from './read.ts';
import { kindOfTarget } from './target-kind.ts';

/** Runtimes renew their Lease every two seconds, so one not renewed within this time is not held. */
const SURE_MS = 3_000;
/** A little more than SURE_MS, because a timer may fire early. */
const CHECK_MS = SURE_MS + 100;
/** A runtime may not have observed newer objects yet. */
const FRESH_MS = 5_000;
const HELP = 'check whether kruise run is running';

/** Whether a runtime works on the shown targets. `doubt`: check again after `SURE_MS`. */
export type LeaseCoverage = { is: 'led' | 'doubt' } | ({ is: 'idle' } & Refusal);

/** What previous checks of a Lease showed. */
interface Known {
  version: string | undefined;
  /** The holder leads until this time of the monotonic clock, and longer if a renewal is observed. */
  until: number;
  since: number;
}

/**
 * Returns a function that checks whether a runtime leads for the given targets. A Lease counts if it is valid or was
 * renewed between two checks, whatever the clock of its holder. If Leases may not be listed, or there are none, assumes
 * that a runtime leads, unless a target shows that none has observed it.
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
    const leftMs = before === undefined ? Date.parse(renewed ?? '') + durationMs - reached.now() : durationMs;
    const { until, since } =
      before?.version === version && before !== undefined
        ? before
        : { until: now + (leftMs > 0 ? leftMs : 0), since: now };
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
    const unled = namespaces.filter((namespace) => !by(namespace, 'yes'));
    if (unled.length === 0) return { is: 'led' };
    if (unled.some((namespace) => by(namespace, 'doubt'))) return { is: 'doubt' };
    const idle = lastOf(leases.filter((lease) => unled.some((namespace) => isFor(lease, namespace))));
    const where = unled.length === namespaces.length ? '' : ` in ${unled.join(', ')}`;
    if (idle !== undefined)
      return { is: 'idle', problem: `no runtime leads${where}: ${whyIdle(idle)}`, help: HELP };
    const unobserved = statuses.find((status) => unled.includes(status.namespace) && isUnobserved(status));
    if (unobserved === undefined) return { is: 'led' };
    const { kind, name, namespace } = unobserved;
    const problem = `no runtime has processed the current ${kind}/${name}${namespace === '' ? '' : ` in ${namespace}`}, and none holds a Lease in this cluster`;
    return { is: 'idle', problem, help: HELP };
  };

  /** Whether no runtime has reported the current generation although there was time to. */
  function isUnobserved({ object }: TargetStatus): boolean {
    if (object === undefined) return false;
    const createdAt = Date.parse(object.metadata.creationTimestamp ?? '');
    const isBehind = !isObserved(kindOfTarget(object).facts.status, object);
    return isBehind && reached.now() - createdAt > FRESH_MS;
  }
}

/** The Lease that was renewed last. */
function lastOf(leases: readonly KubeObject[]): LeaseState | undefined {
  return leases
    .map((lease) => leaseStateOf(lease))
    .sort((a, b) => byText(b.renewed ?? '', a.renewed ?? '') || byText(a.lease, b.lease))[0];
}

/** Checks until there is no doubt. */
export async function readLeaders(
  reached: ClusterAccess,
  statuses: readonly TargetStatus[],
): Promise<LeaseCoverage> {
  const check = createLeaderLookup(reached);
  const first = await check(statuses);
  if (first.is !== 'doubt') return first;
  await pause(reached.clock, CHECK_MS);
  return check(statuses);
}

/** Checks every three seconds, and reports the problem; undefined if a runtime leads. Returns a function that stops it. */
export function watchLeaders(
  reached: ClusterAccess,
  statuses: () => readonly TargetStatus[],
  report: (idle: Refusal | undefined) => void,
): () => void {
  const check = createLeaderLookup(reached);
  return repeat(reached.clock, CHECK_MS, async () => {
    const coverage = await check(statuses());
    if (coverage.is !== 'doubt') report(coverage.is === 'idle' ? coverage : undefined);
  });
}
