import { createHash } from 'node:crypto';
import type { ObservedObjects } from '../kinds/kind.ts';
import type { Node } from '../node/node.ts';
import { decidePulls, type PullDecision } from '../pull/decide.ts';
import { pullOf } from '../pull/pod.ts';
import type { NodePull } from '../pull/work.ts';
import type { Pod } from '../pod/types.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { type ChosenNodes, chosenNodes } from './nodes.ts';
import { imageOf, type NormalPull } from './normalize.ts';
import type { PullCounts } from './status.ts';

/** What a decision about a job is made from. */
export type ObservedPull = Pick<ObservedObjects, 'target' | 'pods' | 'placement' | 'pulls' | 'now'>;

/** The nodes that take part. */
export function chosenIn(
  { placement = [], pods, pulls, now }: ObservedPull,
  { nodes }: NormalPull,
): ChosenNodes {
  const pulled = new Set((pulls?.pods ?? []).map((pod) => pullOf(pod).node));
  return chosenNodes(nodes, placement, pods, pulled, now);
}

/**
 * How far the pull is on these nodes, and what is to be done there.
 *
 * @param pods those of the job that pull; of other nodes, or another image, they are deleted
 */
export function pullsOn(
  { target, pulls, now }: ObservedPull,
  job: NormalPull,
  nodes: readonly Node[],
  pods: readonly Pod[] = pulls?.pods ?? [],
): PullDecision {
  const image = imageOf(target);
  const secrets = job.pullSecrets.map((name) => ({ name }));
  const [imagePullPolicy, key] = [
    job.isForced ? ({ imagePullPolicy: 'Always' } as const) : {},
    keyOf(image, job),
  ];
  return decidePulls(
    {
      owner: target,
      key,
      images: [image],
      podSpec: secrets.length === 0 ? {} : { imagePullSecrets: secrets },
      nodes,
      parallelism: job.parallelism,
      attempts: job.attempts,
      attemptMs: job.attemptMs,
      isRefused: pulls?.isRefused === true,
      countsTries: true,
      busy: pulls?.busy ?? new Set(),
      ...imagePullPolicy,
    },
    pods,
    now,
  );
}

/** Another image, or other Secrets for it, are another pull. How often it is tried is not. */
export function keyOf(image: string, { isForced, pullSecrets }: NormalPull): string {
  const parts = [image, isForced, pullSecrets];
  return createHash('sha256').update(canonicalJson(parts)).digest('hex').slice(0, 16);
}

export function isEnded(row: NodePull): boolean {
  return row.state === 'Failed' || hasImage(row);
}

export function hasImage({ state }: NodePull): boolean {
  return state === 'Present' || state === 'Succeeded';
}

export function countsOf(rows: readonly NodePull[]): PullCounts {
  return {
    desired: rows.length,
    active: rows.filter(({ state }) => state === 'Pulling').length,
    succeeded: rows.filter(hasImage).length,
    failedNodes: rows.flatMap(({ node, state }) => (state === 'Failed' ? [node] : [])).sort(),
  };
}
