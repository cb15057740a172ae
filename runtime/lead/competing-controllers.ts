import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Problem } from '../problem.ts';

/** Where a Lease is. */
export interface LeaseKey {
  namespace: string;
  name: string;
}

/** The Lease of OpenKruise's manager, as it is installed. */
export const OPENKRUISE: LeaseKey = { namespace: 'kruise-system', name: 'kruise-manager' };
/** The Lease of this runtime, as `deploy/` installs it. */
const INSTALLED: LeaseKey = { namespace: 'kruise-system', name: 'kruise' };
/** Both are renewed every two seconds. */
const WATCHED_MS = 12_000;
/** How often it is looked whether one of them has come. */
const LOOK_MS = 30_000;

const obstacles = {
  openKruise: (holder: string): Problem => ({
    problem: `OpenKruise's manager leads here (${holder})`,
    help: 'scale its Deployment to 0, or look on beside it with --shadow',
    isFinal: false,
  }),
  installed: (holder: string): Problem => ({
    problem: `the runtime that is installed leads here (${holder})`,
    help: 'scale its Deployment to 0, or take turns with it: --lease-namespace kruise-system',
    isFinal: false,
  }),
};

export interface CompetingControllersOptions {
  cluster: Cluster;
  clock: Clock;
  /** The Lease that this process itself competes for, if for any. */
  own: LeaseKey | undefined;
  /** Told once: this one may not be seen, and is taken for nobody's. */
  onHidden(place: LeaseKey): void;
}

/** The managers that must not work beside this one: they would undo each other's work. */
export interface CompetingControllers {
  /** Who leads now, if anybody does; takes twelve seconds where a Lease is held. Rejects as the cluster does. */
  present(): Promise<Problem | undefined>;
  /** From now on looks every half a minute whether one has come, and tells the first. */
  watch(onCome: (obstacle: Problem) => void): void;
  /** Does not wait for the next look; of one that watches. */
  readNow(): void;
  stop(): void;
}

export function createCompetingControllers(options: CompetingControllersOptions): CompetingControllers {
  const { cluster, clock, own } = options;
  const isOwn = own?.namespace === INSTALLED.namespace && own.name === INSTALLED.name;
  const all = [
    { place: OPENKRUISE, say: obstacles.openKruise },
    ...(isOwn ? [] : [{ place: INSTALLED, say: obstacles.installed }]),
  ];
  const hidden = new Set<LeaseKey>();
  const onHidden = (place: LeaseKey): void => {
    if (!hidden.has(place)) options.onHidden(place);
    hidden.add(place);
  };
  /** What each Lease looked like, by its index. */
  let seen: string[] | undefined;
  let tell: ((obstacle: Problem) => void) | undefined;
  let cancel = (): void => {};

  /** Empty where nobody holds it: a Lease that changes and is held is renewed by somebody. */
  async function marks(): Promise<{ mark: string; holder: string }[]> {
    return Promise.all(
      all.map(async ({ place }) => {
        const lease = await leaseOf(place, cluster, onHidden);
        const holder = lease === undefined ? '' : holderOf(lease);
        return {
          holder,
          mark: holder === '' ? '' : `${lease?.metadata.uid} ${lease?.metadata.resourceVersion}`,
        };
      }),
    );
  }

  async function look(): Promise<void> {
    cancel();
    const asked = tell;
    if (asked === undefined) return;
    const before = seen;
    // A look that fails says nothing; the next one compares with the last that did not.
    const now = await marks().catch(() => undefined);
    if (tell !== asked) return;
    cancel();
    cancel = clock.after(LOOK_MS, () => void look());
    if (now === undefined) return;
    seen = now.map(({ mark }) => mark);
    const come = all.findIndex((_, index) => {
      const mark = now[index]?.mark ?? '';
      return before !== undefined && mark !== '' && mark !== before[index];
    });
    if (come === -1) return;
    stop();
    asked(all[come]?.say(now[come]?.holder ?? '') as Problem);
  }

  function stop(): void {
    cancel();
    tell = undefined;
    seen = undefined;
  }

  return {
    async present() {
      const holders = await Promise.all(
        all.map(async ({ place }) => leaderAt(place, cluster, clock, onHidden)),
      );
      const index = holders.findIndex((holder) => holder !== undefined);
      return all[index]?.say(holders[index] ?? '');
    },
    watch(onCome) {
      tell = onCome;
      void look();
    },
    readNow: () => void look(),
    stop,
  };
}

/**
 * Who holds this Lease, if anybody does. A manager is there when its Lease is renewed while we look, as its clock need not
 * be ours. Undefined: none, or it may not be seen.
 */
export async function leaderAt(
  place: LeaseKey,
  cluster: Cluster,
  clock: Clock,
  onHidden: (place: LeaseKey) => void = () => {},
): Promise<string | undefined> {
  const first = await leaseOf(place, cluster, onHidden);
  if (first === undefined || holderOf(first) === '') return undefined;
  await new Promise<void>((resolve) => void clock.after(WATCHED_MS, resolve));
  const second = await leaseOf(place, cluster, onHidden);
  if (second === undefined || second.metadata.resourceVersion === first.metadata.resourceVersion)
    return undefined;
  return holderOf(second) === '' ? undefined : holderOf(second);
}

async function leaseOf(
  place: LeaseKey,
  cluster: Cluster,
  onHidden: (place: LeaseKey) => void,
): Promise<KubeObject | undefined> {
  try {
    return await cluster.get(resources.Lease, place);
  } catch (error) {
    if (!(error instanceof ApiError && [403, 404].includes(error.status.code))) throw error;
    if (error.status.code === 403) onHidden(place);
    return undefined;
  }
}

function holderOf(lease: KubeObject): string {
  const { holderIdentity } = (lease['spec'] ?? {}) as { holderIdentity?: string };
  return holderIdentity ?? '';
}
