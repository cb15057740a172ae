import { advancedCronJobs } from './advanced-cron-job.ts';
import { broadcastJobs } from './broadcast-job.ts';
import { daemonSets } from './daemon-set.ts';
import type { Expected, KindName } from './expected.ts';
import { sidecarSets } from './sidecar-set.ts';
import { aisles, cloneSets, racks, statefulSets } from './workloads.ts';

/** What is expected of every kind. */
export const matrix: Readonly<Record<KindName, Expected>> = {
  CloneSet: cloneSets,
  StatefulSet: statefulSets,
  DaemonSet: daemonSets,
  SidecarSet: sidecarSets,
  BroadcastJob: broadcastJobs,
  AdvancedCronJob: advancedCronJobs,
  Rack: racks,
  Aisle: aisles,
};

/** Each kind with its name, for the title of a test. */
export const everyKind = Object.entries(matrix) as [KindName, Expected][];
