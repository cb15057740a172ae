import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { STATE_NAMESPACE } from '../../semantics/values/system-namespaces.ts';
import type { Problem } from '../problem.ts';

/** The namespace and name of a Lease. */
export interface LeaseKey {
  namespace: string;
  name: string;
}

/** The Lease of OpenKruise's manager, as it is installed. */
export const OPENKRUISE: LeaseKey = { namespace: 'kruise-system', name: 'kruise-manager' };
/** The Lease of this runtime, as `deploy/` installs it. */
const INSTALLED: LeaseKey = { namespace: STATE_NAMESPACE, name: 'kruise' };
/** Both are renewed every two seconds. */
const WATCHED_MS = 12_000;
/** How often the Leases are read. */
const READ_MS = 30_000;

const problems = {
  openKruise: (holder: string): Problem => ({
    problem: `OpenKruise's manager leads here (${holder})`,
    help: 'scale its Deployment to 0, or compare with it without writing: --shadow',
    isFinal: false,
  }),
  installed: (holder: string): Problem => ({
    problem: `the installed runtime leads here (${holder})`,
    help: `scale its Deployment to 0, or compete for its lease: --lease-namespace ${STATE_NAMESPACE}`,
    isFinal: false,
  }),
};

export interface CompetingControllersOptions {
  cluster: Cluster;
  clock: Clock;
  /** The Lease of this process, if it takes part in an election. */
  own: LeaseKey | undefined;
  /** Called once for each Lease that may not be read; it counts as not held. */
  onHidden(key: LeaseKey): void;
}

/** Controllers that must not run at the same time as this one: both would revert each other's writes. */
export interface CompetingControllers {
  /** The one that leads now, if any; takes twelve seconds if a Lease is held. Rejects as the cluster does. */
  present(): Promise<Problem | undefined>;
  /** Reads the Leases every half minute from now on, and reports the first one that is renewed. */
  watch(onDetected: (problem: Problem) => void): void;
  /** Reads the Leases now; only while watching. */
  readNow(): void;
  stop(): void;
}

export function createCompetingControllers(options: CompetingControllersOptions): CompetingControllers {
  const { cluster, clock, own } = options;
  const isOwn = own?.namespace === INSTALLED.namespace && own.name === INSTALLED.name;
  const all = [
    { key: OPENKRUISE, problemFor: problems.openKruise },
    ...(isOwn ? [] : [{ key: INSTALLED, problemFor: problems.installed }]),
  ];
  const hidden = new Set<LeaseKey>();
  const onHidden = (key: LeaseKey): void => {
    if (!hidden.has(key)) options.onHidden(key);
    hidden.add(key);
  };
  /** The version of each Lease when it was last read, by its index. */
  let observed: string[] | undefined;
  let onDetected: ((problem: Problem) => void) | undefined;
  let cancel = (): void => {};

  /** The version is empty if nobody holds the Lease: a held Lease whose version changes is being renewed. */
  async function readVersions(): Promise<{ version: string; holder: string }[]> {
    return Promise.all(
      all.map(async ({ key }) => {
        const lease = await leaseOf(key, cluster, onHidden);
        const holder = lease === undefined ? '' : holderOf(lease);
        return {
          holder,
          version: holder === '' ? '' : `${lease?.metadata.uid} ${lease?.metadata.resourceVersion}`,
        };
      }),
    );
  }

  async function read(): Promise<void> {
    cancel();
    const report = onDetected;
    if (report === undefined) return;
    const before = observed;
    // After a failed read, the next one compares with the last that succeeded.
    const now = await readVersions().catch(() => undefined);
    if (onDetected !== report) return;
    cancel();
    cancel = clock.after(READ_MS, () => void read());
    if (now === undefined) return;
    observed = now.map(({ version }) => version);
    const renewed = all.findIndex((_, index) => {
      const version = now[index]?.version ?? '';
      return before !== undefined && version !== '' && version !== before[index];
    });
    if (renewed === -1) return;
    stop();
    report(all[renewed]?.problemFor(now[renewed]?.holder ?? '') as Problem);
  }

  function stop(): void {
    cancel();
    onDetected = undefined;
    observed = undefined;
  }

  return {
    async present() {
      const holders = await Promise.all(all.map(async ({ key }) => leaderAt(key, cluster, clock, onHidden)));
      const index = holders.findIndex((holder) => holder !== undefined);
      return all[index]?.problemFor(holders[index] ?? '');
    },
    watch(report) {
      onDetected = report;
      void read();
    },
    readNow: () => void read(),
    stop,
  };
}

/**
 * The holder of a Lease that is alive: its Lease is renewed between two reads, because its clock may differ from ours.
 * Undefined: no such holder, or the Lease may not be read.
 */
export async function leaderAt(
  key: LeaseKey,
  cluster: Cluster,
  clock: Clock,
  onHidden: (key: LeaseKey) => void = () => {},
): Promise<string | undefined> {
  const first = await leaseOf(key, cluster, onHidden);
  if (first === undefined || holderOf(first) === '') return undefined;
  await new Promise<void>((resolve) => void clock.after(WATCHED_MS, resolve));
  const second = await leaseOf(key, cluster, onHidden);
  if (second === undefined || second.metadata.resourceVersion === first.metadata.resourceVersion)
    return undefined;
  return holderOf(second) === '' ? undefined : holderOf(second);
}

async function leaseOf(
  key: LeaseKey,
  cluster: Cluster,
  onHidden: (key: LeaseKey) => void,
): Promise<KubeObject | undefined> {
  try {
    return await cluster.get(resources.Lease, key);
  } catch (error) {
    if (!(error instanceof ApiError && [403, 404].includes(error.status.code))) throw error;
    if (error.status.code === 403) onHidden(key);
    return undefined;
  }
}

function holderOf(lease: KubeObject): string {
  const { holderIdentity } = (lease['spec'] ?? {}) as { holderIdentity?: string };
  return holderIdentity ?? '';
}
