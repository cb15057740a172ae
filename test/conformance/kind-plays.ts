import type { Kind } from '../../semantics/kinds/kind.ts';
import { plays as ofAdvancedCronJobs } from './advanced-cron-job/plays.ts';
import { plays as ofBroadcastJobs } from './broadcast-job/plays.ts';
import { plays as ofContainerRecreateRequests } from './container-recreate-request/plays.ts';
import { plays as ofImageListPullJobs } from './image-list-pull-job/plays.ts';
import { plays as ofImagePullJobs } from './image-pull-job/plays.ts';
import type { KindPlay } from './plays.ts';
import { plays as ofNodeImages } from './node-image/plays.ts';
import { playTrials } from './play-trials.ts';
import { plays as ofPodUnavailableBudgets } from './pod-unavailable-budget/plays.ts';
import { plays as ofResourceDistributions } from './resource-distribution/plays.ts';
import { plays as ofSidecarSets } from './sidecar-set/plays.ts';
import { plays as ofUnitedDeployments } from './united-deployment/plays.ts';
import { plays as ofWorkloadSpreads } from './workload-spread/plays.ts';

/** The plays of all kinds that no subject is for. */
export const kindPlays: readonly KindPlay[] = [
  ...ofSidecarSets,
  ...ofBroadcastJobs,
  ...ofAdvancedCronJobs,
  ...ofUnitedDeployments,
  ...ofPodUnavailableBudgets,
  ...ofResourceDistributions,
  ...ofWorkloadSpreads,
  ...ofContainerRecreateRequests,
  ...ofImagePullJobs,
  ...ofImageListPullJobs,
  ...ofNodeImages,
];

/** The plays of a kind under a disturbance. */
export function playsFor({ id }: Kind, disturbance: string): readonly KindPlay[] {
  const own = kindPlays.filter(({ kind }) => kind.id.group === id.group && kind.id.kind === id.kind);
  const isOfAny = Object.hasOwn(playTrials, disturbance);
  return own.filter(({ trait }) => (isOfAny ? trait === undefined : trait === disturbance));
}
