import type { Rest } from '../rest.ts';

/** An object as the server stores it. */
export interface Stored {
  metadata: {
    name: string;
    uid: string;
    resourceVersion: string;
    generation?: number;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    deletionTimestamp?: string;
    finalizers?: string[];
    ownerReferences?: Record<string, unknown>[];
  };
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
  [field: string]: unknown;
}

/** All objects of a namespace that belong to a rollout. */
export interface ClusterSnapshot {
  targets: Stored[];
  plans: Stored[];
  pods: Stored[];
  revisions: Stored[];
  commands: Stored[];
  claims: Stored[];
}

/** The kinds of targets that cases have, as the server names them. */
export const targetKinds = {
  CloneSet: { group: '/apis/apps.kruise.io/v1alpha1', plural: 'clonesets', resource: 'clonesets' },
  // Without its group kubectl takes the StatefulSet of `apps`.
  StatefulSet: {
    group: '/apis/apps.kruise.io/v1beta1',
    plural: 'statefulsets',
    resource: 'statefulsets.apps.kruise.io',
  },
  // Without its group kubectl takes the DaemonSet of `apps`.
  DaemonSet: {
    group: '/apis/apps.kruise.io/v1beta1',
    plural: 'daemonsets',
    resource: 'daemonsets.apps.kruise.io',
  },
  BroadcastJob: { group: '/apis/apps.kruise.io/v1beta1', plural: 'broadcastjobs', resource: 'broadcastjobs' },
  AdvancedCronJob: {
    group: '/apis/apps.kruise.io/v1beta1',
    plural: 'advancedcronjobs',
    resource: 'advancedcronjobs',
  },
  UnitedDeployment: {
    group: '/apis/apps.kruise.io/v1beta1',
    plural: 'uniteddeployments',
    resource: 'uniteddeployments',
  },
} as const;

export type TargetKind = keyof typeof targetKinds;

const paths: Readonly<
  Record<Exclude<keyof ClusterSnapshot, 'targets'>, readonly [group: string, plural: string]>
> = {
  plans: ['/apis/plan.kruise.io/v1alpha1', 'rolloutplans'],
  pods: ['/api/v1', 'pods'],
  revisions: ['/apis/apps/v1', 'controllerrevisions'],
  commands: ['/apis/plan.kruise.io/v1alpha1', 'rolloutcommands'],
  claims: ['/api/v1', 'persistentvolumeclaims'],
};

/**
 * @param place  the namespace, and the kind of its targets
 * @param kinds  the kinds to read; the others are empty in the result
 */
export async function snapshotOf(
  rest: Rest,
  { namespace, kind }: { namespace: string; kind: TargetKind },
  kinds = ['targets', ...Object.keys(paths)] as (keyof ClusterSnapshot)[],
): Promise<ClusterSnapshot> {
  const { group: targetGroup, plural: targets } = targetKinds[kind];
  const list = async (each: keyof ClusterSnapshot): Promise<Stored[]> => {
    const [group, plural] = each === 'targets' ? [targetGroup, targets] : paths[each];
    return ((await rest('GET', `${group}/namespaces/${namespace}/${plural}`)) as { items: Stored[] }).items;
  };
  const snapshot: ClusterSnapshot = {
    targets: [],
    plans: [],
    pods: [],
    revisions: [],
    commands: [],
    claims: [],
  };
  await Promise.all(kinds.map(async (each) => (snapshot[each] = await list(each))));
  return snapshot;
}

/** The Events of the runtime about its objects. */
export async function eventsIn(rest: Rest, namespace: string): Promise<Stored[]> {
  const { items } = (await rest('GET', `/api/v1/namespaces/${namespace}/events`)) as { items: Stored[] };
  return items.filter(({ source, reportingComponent }) =>
    [(source as { component?: string } | undefined)?.component, reportingComponent].includes('kruise'),
  );
}

/** What changes whenever anything of it does. */
export function versionsOf(snapshot: ClusterSnapshot): string {
  return Object.values(snapshot)
    .flat()
    .map(({ metadata }) => `${metadata.uid}@${metadata.resourceVersion}`)
    .sort()
    .join();
}

interface TargetStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  updatedReadyReplicas?: number;
  availableReplicas?: number;
}

/** Whether the target `web` has this many pods, all available, and its status has observed the newest manifest. */
export function hasAvailable(snapshot: ClusterSnapshot, replicas: number, updated = replicas): boolean {
  const [target] = snapshot.targets;
  const status = (target?.status ?? {}) as TargetStatus;
  return (
    status.observedGeneration === target?.metadata.generation &&
    status.replicas === replicas &&
    status.availableReplicas === replicas &&
    status.updatedReplicas === updated &&
    snapshot.pods.length === replicas
  );
}

/** The phase of the plan, where its status is about the plan that is there. */
export function phaseOf({ plans }: ClusterSnapshot): string | undefined {
  const [plan] = plans;
  const { digest, phase } = (plan?.status ?? {}) as { digest?: string; phase?: string };
  return digest === plan?.spec?.['digest'] ? phase : undefined;
}
