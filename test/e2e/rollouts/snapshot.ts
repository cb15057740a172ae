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

/** Everything of a namespace that a roll-out is made of. */
export interface ClusterSnapshot {
  targets: Stored[];
  plans: Stored[];
  pods: Stored[];
  revisions: Stored[];
  commands: Stored[];
  claims: Stored[];
}

const paths: Readonly<Record<keyof ClusterSnapshot, readonly [group: string, plural: string]>> = {
  targets: ['/apis/apps.kruise.io/v1alpha1', 'clonesets'],
  plans: ['/apis/plan.kruise.io/v1alpha1', 'rolloutplans'],
  pods: ['/api/v1', 'pods'],
  revisions: ['/apis/apps/v1', 'controllerrevisions'],
  commands: ['/apis/plan.kruise.io/v1alpha1', 'rolloutcommands'],
  claims: ['/api/v1', 'persistentvolumeclaims'],
};

async function list(rest: Rest, namespace: string, kind: keyof ClusterSnapshot): Promise<Stored[]> {
  const [group, plural] = paths[kind];
  return ((await rest('GET', `${group}/namespaces/${namespace}/${plural}`)) as { items: Stored[] }).items;
}

/** @param kinds what is looked at; of the others there is nothing in the answer */
export async function snapshotOf(
  rest: Rest,
  namespace: string,
  kinds = Object.keys(paths) as (keyof ClusterSnapshot)[],
): Promise<ClusterSnapshot> {
  const look: ClusterSnapshot = { targets: [], plans: [], pods: [], revisions: [], commands: [], claims: [] };
  await Promise.all(kinds.map(async (kind) => (look[kind] = await list(rest, namespace, kind))));
  return look;
}

/** The Events that the runtime has told, of its objects. */
export async function eventsIn(rest: Rest, namespace: string): Promise<Stored[]> {
  const { items } = (await rest('GET', `/api/v1/namespaces/${namespace}/events`)) as { items: Stored[] };
  return items.filter(({ source, reportingComponent }) =>
    [(source as { component?: string } | undefined)?.component, reportingComponent].includes('kruise'),
  );
}

/** What changes whenever anything of it does. */
export function versionsOf(look: ClusterSnapshot): string {
  return Object.values(look)
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

/** Whether the target `web` has so many pods, all of them available, by a status that knows its newest manifest. */
export function hasAvailable(look: ClusterSnapshot, replicas: number, updated = replicas): boolean {
  const [target] = look.targets;
  const status = (target?.status ?? {}) as TargetStatus;
  return (
    status.observedGeneration === target?.metadata.generation &&
    status.replicas === replicas &&
    status.availableReplicas === replicas &&
    status.updatedReplicas === updated &&
    look.pods.length === replicas
  );
}

/** The phase of the plan, where its status is about the plan that is there. */
export function phaseOf({ plans }: ClusterSnapshot): string | undefined {
  const [plan] = plans;
  const { digest, phase } = (plan?.status ?? {}) as { digest?: string; phase?: string };
  return digest === plan?.spec?.['digest'] ? phase : undefined;
}
