import type { RolloutCommand } from '../../schemas/generated/types/rolloutcommand.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { formatDuration } from '../../semantics/values/duration.ts';
import { namespaceOption } from '../command/kind-names.ts';
import type { Refusal } from '../command/refusal.ts';
import { pause, type ClusterAccess } from '../cluster/cluster.ts';
import { leaseStateOf, leasesFor, whyIdle, type LeaseState } from '../cluster/leases.ts';

export type Answer =
  | { is: 'answer'; result: 'Accepted' | 'Refused' | 'Expired'; message: string }
  | { is: 'silence' }
  | ({ is: 'unknown' } & Refusal);

const PAUSE_MS = { first: 50, most: 1_000 };

/**
 * Waits for the runtime's answer to a command, at most `timeoutMs`. Also waits while the connection is broken, because the
 * command remains in the cluster.
 */
export async function awaitAnswer(
  { cluster, clock, explain }: ClusterAccess,
  { kind, metadata }: KubeObject,
  timeoutMs: number,
): Promise<Answer> {
  const { namespace, name } = metadata;
  const resource =
    kind === resources.ClusterRolloutCommand.kind
      ? resources.ClusterRolloutCommand
      : resources.RolloutCommand;
  const end = clock.monotonic() + timeoutMs;
  let pauseMs = PAUSE_MS.first;
  for (;;) {
    try {
      const { status } = (await cluster.get(resource, {
        ...(namespace !== undefined && { namespace }),
        name,
      })) as unknown as RolloutCommand;
      if (status?.result !== undefined)
        return { is: 'answer', result: status.result, message: status.message ?? '' };
    } catch (error) {
      if (error instanceof ApiError && error.status.code === 404)
        return {
          is: 'unknown',
          problem: `${name} was deleted before the runtime answered it`,
          help: 'send the command again',
        };
      const isFinal = error instanceof ApiError && error.status.code < 500 && error.status.code !== 429;
      if (isFinal || clock.monotonic() >= end) {
        const { problem, help } = explain(error);
        return {
          is: 'unknown',
          problem: `${name} was created, but its answer cannot be read: ${problem}`,
          help,
        };
      }
    }
    const remainingMs = end - clock.monotonic();
    if (remainingMs <= 0) return { is: 'silence' };
    await pause(clock, Math.min(pauseMs, remainingMs));
    pauseMs = Math.min(pauseMs * 1.6, PAUSE_MS.most);
  }
}

/** What the Leases show about the runtime that should answer. */
export type LeaseEvidence =
  | { is: 'unseen' }
  | { is: 'none' }
  | ({ is: 'idle' } & LeaseState)
  | { is: 'alive'; holder: string };

/** Reads the Leases of runtimes now, and again when the returned function is called, to see whether one was renewed since. */
export function watchLeases(reached: ClusterAccess, namespace: string): () => Promise<LeaseEvidence> {
  const before = leasesFor(reached, [namespace]);
  return async () => {
    const [then, now] = await Promise.all([before, leasesFor(reached, [namespace])]);
    if (then === undefined || now === undefined) return { is: 'unseen' };
    const alive = now.find(
      (lease) =>
        leaseStateOf(lease).holder !== undefined &&
        then.every(
          ({ metadata }) =>
            metadata.uid !== lease.metadata.uid ||
            metadata.resourceVersion !== lease.metadata.resourceVersion,
        ),
    );
    if (alive !== undefined) return { is: 'alive', holder: leaseStateOf(alive).holder ?? '' };
    const [lease] = now;
    return lease === undefined ? { is: 'none' } : { is: 'idle', ...leaseStateOf(lease) };
  };
}

/**
 * Explains that no runtime has answered, the likely cause, and what to do.
 *
 * @param waits what the plan waits for, if known
 */
export function noAnswerText(
  { kind, metadata }: KubeObject,
  timeoutMs: number,
  evidence: LeaseEvidence,
  waits: string | undefined,
): Refusal {
  const { namespace = '', name } = metadata;
  const plan = waits === undefined ? '' : `; ${waits}`;
  const problem = `no runtime has answered ${name} within ${formatDuration(timeoutMs)}: ${whyOf(evidence)}${plan}`;
  const back = `kubectl delete ${kind.toLowerCase()} ${name}${namespaceOption(namespace)}`;
  return {
    problem,
    help: `${helpFor(evidence)}; the command stays valid, to withdraw it: ${back}`,
  };
}

function whyOf(evidence: LeaseEvidence): string {
  switch (evidence.is) {
    case 'unseen':
      return 'you may not list Leases, so it is unknown whether one runs (its Lease is named kruise)';
    case 'none':
      return 'none holds a Lease in this cluster (one without leader election never does)';
    case 'idle':
      return whyIdle(evidence);
    case 'alive':
      return `${evidence.holder} is running, but it is busy, waits for that plan, or does not reconcile this namespace`;
  }
}

function helpFor(evidence: LeaseEvidence): string {
  return evidence.is === 'alive' ? 'check its log' : 'check whether kruise run is running';
}
