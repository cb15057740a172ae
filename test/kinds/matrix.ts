import { advancedCronJobs } from './advanced-cron-job.ts';
import { broadcastJobs } from './broadcast-job.ts';
import { containerRecreateRequests } from './container-recreate-request.ts';
import { daemonSets } from './daemon-set.ts';
import type { Expected, ExpectedOfAny, KindName, StandingKindName } from './expected.ts';
import { imageListPullJobs } from './image-list-pull-job.ts';
import { imagePullJobs } from './image-pull-job.ts';
import { nodeImages } from './node-image.ts';
import { podUnavailableBudgets } from './pod-unavailable-budget.ts';
import { resourceDistributions } from './resource-distribution.ts';
import { sidecarSets } from './sidecar-set.ts';
import { unitedDeployments } from './united-deployment.ts';
import { workloadSpreads } from './workload-spread.ts';
import { aisles, cloneSets, racks, statefulSets } from './workloads.ts';

/** What is expected of every kind. */
export const matrix: Readonly<Record<KindName, Expected>> = {
  CloneSet: cloneSets,
  StatefulSet: statefulSets,
  DaemonSet: daemonSets,
  SidecarSet: sidecarSets,
  BroadcastJob: broadcastJobs,
  AdvancedCronJob: advancedCronJobs,
  UnitedDeployment: unitedDeployments,
  Rack: racks,
  Aisle: aisles,
};

/** The same of kinds without plans. */
const standing: Readonly<Record<StandingKindName, ExpectedOfAny>> = {
  PodUnavailableBudget: podUnavailableBudgets,
  ResourceDistribution: resourceDistributions,
  WorkloadSpread: workloadSpreads,
  ContainerRecreateRequest: containerRecreateRequests,
  ImagePullJob: imagePullJobs,
  ImageListPullJob: imageListPullJobs,
  NodeImage: nodeImages,
};

/** Each kind with plans, with its name for the title of a test. */
export const everyPlanned = Object.entries(matrix) as [KindName, Expected][];

/** Each kind with its name. */
export const everyKind: readonly [KindName | StandingKindName, ExpectedOfAny][] = [
  ...everyPlanned,
  ...(Object.entries(standing) as [StandingKindName, ExpectedOfAny][]),
];
