import type { RolloutCommand } from '../../schemas/generated/types/rolloutcommand.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { formatDuration } from '../../semantics/values/duration.ts';
import type { Refusal } from '../command/refusal.ts';
import { pause, type Reached } from './cluster.ts';

export type Answer =
  | { is: 'answer'; result: 'Accepted' | 'Refused' | 'Expired'; message: string }
  | { is: 'silence' }
  | ({ is: 'unknown' } & Refusal);

const PAUSE_MS = { first: 50, most: 1_000 };

/**
 * Waits until the runtime has answered a command, at most so many milliseconds. A connection that breaks meanwhile is
 * waited for, too: the command is there whatever becomes of it.
 */
export async function awaitAnswer(
  { cluster, clock, explain }: Reached,
  { metadata }: KubeObject,
  timeoutMs: number,
): Promise<Answer> {
  const { namespace = '', name } = metadata;
  const end = clock.monotonic() + timeoutMs;
  let pauseMs = PAUSE_MS.first;
  for (;;) {
    try {
      const { status } = (await cluster.get(resources.RolloutCommand, {
        namespace,
        name,
      })) as unknown as RolloutCommand;
      if (status?.result !== undefined)
        return { is: 'answer', result: status.result, message: status.message ?? '' };
    } catch (error) {
      if (error instanceof ApiError && error.status.code === 404)
        return {
          is: 'unknown',
          problem: `${name} is gone: somebody has deleted it before it was answered`,
          help: 'say it again',
        };
      const isFinal = error instanceof ApiError && error.status.code < 500 && error.status.code !== 429;
      if (isFinal || clock.monotonic() >= end) {
        const { problem, help } = explain(error);
        return {
          is: 'unknown',
          problem: `${name} was made, and its answer cannot be read: ${problem}`,
          help,
        };
      }
    }
    const left = end - clock.monotonic();
    if (left <= 0) return { is: 'silence' };
    await pause(clock, Math.min(pauseMs, left));
    pauseMs = Math.min(pauseMs * 1.6, PAUSE_MS.most);
  }
}

/** What the Leases tell of a runtime that ought to answer. */
type Sighting =
  | { is: 'unseen' }
  | { is: 'none' }
  /** `holder` undefined: it was handed back. */
  | { is: 'idle'; lease: string; holder: string | undefined; renewed: string | undefined }
  | { is: 'alive'; holder: string };

/** Looks at the Leases of runtimes now, and once more when it is called: whether one was renewed since. */
export function watchLeases(reached: Reached, namespace: string): () => Promise<Sighting> {
  const before = leasesFor(reached, namespace);
  return async () => {
    const [then, now] = await Promise.all([before, leasesFor(reached, namespace)]);
    if (then === undefined || now === undefined) return { is: 'unseen' };
    const alive = now.find(
      ({ metadata, ...lease }) =>
        holderOf({ metadata, ...lease }) !== undefined &&
        then.every(
          (old) =>
            old.metadata.uid !== metadata.uid || old.metadata.resourceVersion !== metadata.resourceVersion,
        ),
    );
    if (alive !== undefined) return { is: 'alive', holder: holderOf(alive) ?? '' };
    const [lease] = now;
    if (lease === undefined) return { is: 'none' };
    const { renewTime } = (lease['spec'] ?? {}) as { renewTime?: string };
    return {
      is: 'idle',
      lease: `${lease.metadata.namespace}/${lease.metadata.name}`,
      holder: holderOf(lease),
      renewed: typeof renewTime === 'string' ? renewTime.replace(/\.\d+/, '') : undefined,
    };
  };
}

function holderOf(lease: KubeObject): string | undefined {
  const { holderIdentity } = (lease['spec'] ?? {}) as { holderIdentity?: unknown };
  return typeof holderIdentity === 'string' && holderIdentity !== '' ? holderIdentity : undefined;
}

/** The Leases of a runtime for everything and of one for this namespace; undefined where they may not be seen. */
async function leasesFor({ cluster }: Reached, namespace: string): Promise<KubeObject[] | undefined> {
  try {
    const names = ['kruise', `kruise-${namespace}`];
    const lists = await Promise.all(
      names.map((name) => cluster.list(resources.Lease, { fieldSelector: `metadata.name=${name}` })),
    );
    return lists.flatMap(({ items }) => items);
  } catch {
    return undefined;
  }
}

/** That nobody has answered, why that may be, and what to do. */
export function silenceOf({ metadata }: KubeObject, timeoutMs: number, seen: Sighting): Refusal {
  const { namespace = '', name } = metadata;
  const problem = `no runtime has answered ${name} within ${formatDuration(timeoutMs)}: ${whyOf(seen)}`;
  const back = `kubectl delete rolloutcommand ${name} -n ${namespace}`;
  return {
    problem,
    help: `${wayOf(seen)}; the command stands and will be heard, unless you take it back: ${back}`,
  };
}

function whyOf(seen: Sighting): string {
  switch (seen.is) {
    case 'unseen':
      return 'whether one is there you may not see (its Lease is called kruise)';
    case 'none':
      return 'none holds a Lease in this cluster';
    case 'idle': {
      if (seen.holder === undefined)
        return `the Lease ${seen.lease} was handed back, and nobody has taken it`;
      const last = seen.renewed === undefined ? '' : `, last at ${seen.renewed}`;
      return `${seen.holder} does not renew the Lease ${seen.lease}${last}`;
    }
    case 'alive':
      return `${seen.holder} is there, and is busy, waits for that plan, or does not look after this namespace`;
  }
}

function wayOf(seen: Sighting): string {
  return seen.is === 'alive' ? 'look at its log' : 'look whether kruise run is running';
}
