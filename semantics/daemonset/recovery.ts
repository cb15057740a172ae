import { nodeReadySince } from './eligibility.ts';
import { progressDeadlineMs } from '../plan/update-step.ts';
import { earliestOf } from '../pod/next-change.ts';
import { isUpdateReady } from '../pod/readiness.ts';
import type { DaemonSetView, Host } from './view.ts';

/**
 * Until when a node that is Ready, and whose pods are not available, may need to recover from an outage: as long as a step waits for a
 * pod. A plan judges its pods from then on. Milliseconds since 1970; undefined: it is down, has no pod, or needs no time.
 */
export function recoveryOf(
  { node, pods }: Host,
  { spec: { minReadySeconds } }: Pick<DaemonSetView, 'spec'>,
  now: number,
): number | undefined {
  if (pods.length === 0 || pods.some((pod) => isUpdateReady(pod, minReadySeconds, now))) return undefined;
  const since = nodeReadySince(node);
  return since && since + progressDeadlineMs({ progressDeadlineSeconds: undefined, minReadySeconds });
}

/** When the first of these times comes, milliseconds since 1970; undefined: none does. */
export function nextRecovery(view: DaemonSetView, now: number): number | undefined {
  return earliestOf(
    view.hosts.map((host) => {
      const until = recoveryOf(host, view, now);
      return until !== undefined && until > now ? until : undefined;
    }),
  );
}
