import type { ApiLogEntry } from 'kruise-sandbox';
import type { Pod } from '../../semantics/pod/types.ts';

/** One claim of the demo, and whether it holds. */
export interface Claim {
  claim: string;
  holds: boolean;
  /** The observed value. */
  observed: string;
}

/**
 * Compares the pods before and after the rollout, and reads from the API server's log who created or deleted pods:
 * the claims of an in-place update. Uses nothing that the runtime reports.
 */
export function prove(before: readonly Pod[], after: readonly Pod[], log: readonly ApiLogEntry[]): Claim[] {
  const same = (what: string, read: (pod: Pod) => string | undefined): Claim => {
    const [a, b] = [before.map(read), after.map(read)];
    const unchanged = a.filter((value) => b.includes(value)).length;
    const held = a.length === b.length && unchanged === a.length && a.every((value) => value !== undefined);
    return { claim: `every ${what} is kept`, holds: held, observed: `${unchanged} of ${a.length}` };
  };
  const writes = (verb: ApiLogEntry['verb']): Claim => {
    const found = log.filter(
      (e) => e.resource === 'pods' && e.subresource === undefined && e.verb === verb && e.code < 300,
    );
    return { claim: `no pod was ${verb}d`, holds: found.length === 0, observed: `${found.length} requests` };
  };
  const perPod = (claim: string, holds: (old: Pod, now: Pod) => boolean): Claim => {
    const matching = before.filter((old) => {
      const now = after.find((pod) => pod.metadata.name === old.metadata.name);
      return now !== undefined && holds(old, now);
    });
    return {
      claim,
      holds: before.length > 0 && matching.length === before.length,
      observed: `${matching.length} of ${before.length}`,
    };
  };
  return [
    same('pod name', (pod) => pod.metadata.name),
    same('pod uid', (pod) => pod.metadata.uid),
    same('pod IP', (pod) => pod.status?.podIP),
    perPod('every container restarted exactly once', (old, now) => restarts(now) === restarts(old) + 1),
    perPod('every container runs another image', (old, now) => {
      const [was, is] = [imageId(old), imageId(now)];
      return was !== undefined && is !== undefined && was !== is;
    }),
    writes('create'),
    writes('delete'),
  ];
}

export function restarts(pod: Pod): number {
  return pod.status?.containerStatuses?.[0]?.restartCount ?? 0;
}

export function imageId(pod: Pod): string | undefined {
  return pod.status?.containerStatuses?.[0]?.imageID;
}
