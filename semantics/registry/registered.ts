import { advancedCronJobKind } from '../advancedcronjob/kind.ts';
import { broadcastJobKind } from '../broadcastjob/kind.ts';
import { cloneSetKind } from '../cloneset/kind.ts';
import { daemonSetKind } from '../daemonset/kind.ts';
import { statefulSetKind } from '../statefulset/kind.ts';
import { sidecarSetKind } from '../sidecarset/kind.ts';
import { podUnavailableBudgetKind } from '../podunavailablebudget/kind.ts';
import { resourceDistributionKind } from '../resourcedistribution/kind.ts';
import { workloadSpreadKind } from '../workloadspread/kind.ts';
import { containerRecreateRequestKind } from '../containerrecreaterequest/kind.ts';
import { unitedDeploymentKind } from '../uniteddeployment/kind.ts';
import { imagePullJobKind } from '../imagepulljob/kind.ts';
import { imageListPullJobKind } from '../imagelistpulljob/kind.ts';
import { nodeImageKind } from '../nodeimage/kind.ts';
import type { Kind } from '../kinds/kind.ts';

/**
 * Every kind by its name, one line for each, the most usual ones first. What must have an entry for each kind is typed by these
 * names, so that a kind without one does not compile.
 */
export const kindsByName = {
  CloneSet: cloneSetKind,
  StatefulSet: statefulSetKind,
  DaemonSet: daemonSetKind,
  SidecarSet: sidecarSetKind,
  BroadcastJob: broadcastJobKind,
  AdvancedCronJob: advancedCronJobKind,
  UnitedDeployment: unitedDeploymentKind,
  PodUnavailableBudget: podUnavailableBudgetKind,
  ResourceDistribution: resourceDistributionKind,
  WorkloadSpread: workloadSpreadKind,
  ContainerRecreateRequest: containerRecreateRequestKind,
  ImagePullJob: imagePullJobKind,
  ImageListPullJob: imageListPullJobKind,
  NodeImage: nodeImageKind,
} as const satisfies Record<string, Kind>;

/** The list of kinds. Everything else finds them by `registry.ts`. */
export const registered: readonly Kind[] = Object.values(kindsByName);
