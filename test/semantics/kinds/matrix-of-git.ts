import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { PlannedName } from '../../kinds/names.ts';

/** Values of a manifest that the cases vary. */
export interface Parts {
  image: string;
  /** Limits, at the place where the kind has them. */
  limits?: JsonObject;
  /** The type of the update strategy. */
  type?: string;
}

/** What the compiler prints about targets of a kind, `web`, with ten units. */
export interface PrintedFacts {
  manifest: (parts: Parts) => JsonObject;
  /** What KR2120 says of its removal. */
  removal: string;
  /** The line of the summary for another image. */
  update: string;
  /**
   * Limits of the manifest, and the highest limit of a step that is not above them: one more has KR3006. `any`: the kind reads no
   * limit of a step, and none has it.
   */
  limits: readonly { own: Readonly<Record<string, number | string>>; field: string; most: number | 'any' }[];
  /** Undefined: the kind has no type with which no unit is updated. */
  withoutUpdates: WithoutUpdates | undefined;
  /** What a running plan keeps where the manifest goes from 25% to 50%; undefined: the kind has no such limit. */
  continued: Continued | undefined;
}

interface WithoutUpdates {
  type: string;
  line: string;
  /** The first sentence of the forecast. */
  sentence: string;
  /** How long a step waits. */
  waits: string;
  failed: string;
  back: string;
  row: string;
  /** What KR2130 says where the type becomes the usual one. */
  ended: string;
}

interface Continued {
  limits: (percent: string) => JsonObject;
  kept: string;
  /** The same where nothing says how many units there are. */
  keptUncounted: string;
}

const template = (image: string, spec: JsonObject = {}): JsonObject => ({
  metadata: { labels: { app: 'web' } },
  spec: { ...spec, containers: [{ name: 'main', image, readinessProbe: { tcpSocket: { port: 80 } } }] },
});
const selector = { matchLabels: { app: 'web' } };
const metadata = { name: 'web', namespace: 'shop' };

const cloneSet = ({ image, limits, type }: Parts): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1alpha1',
  kind: 'CloneSet',
  metadata,
  spec: {
    replicas: 10,
    selector,
    updateStrategy: { ...(type !== undefined && { type }), ...limits },
    template: template(image),
  },
});

const statefulSet = ({ image, limits, type }: Parts): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'StatefulSet',
  metadata,
  spec: {
    replicas: 10,
    serviceName: 'web',
    podManagementPolicy: 'Parallel',
    selector,
    updateStrategy: {
      ...(type !== undefined && { type }),
      ...(limits !== undefined && { rollingUpdate: limits }),
    },
    template: template(image),
  },
});

const sidecarSet = ({ image, limits, type }: Parts): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'web' },
  spec: {
    selector,
    updateStrategy: { ...(type !== undefined && { type }), ...limits },
    containers: [{ name: 'log', image }],
  },
});

const daemonSet = ({ image, limits, type }: Parts): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'DaemonSet',
  metadata,
  spec: {
    selector,
    updateStrategy: {
      ...(type !== undefined && { type }),
      ...(limits !== undefined && { rollingUpdate: limits }),
    },
    template: template(image),
  },
});

const job = (image: string): JsonObject => ({
  template: template(image, { restartPolicy: 'Never' }),
});

const broadcastJob = ({ image, limits }: Parts): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'BroadcastJob',
  metadata,
  spec: { ...limits, ...job(image) },
});

const advancedCronJob = ({ image }: Parts): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'AdvancedCronJob',
  metadata,
  spec: { schedule: '0 3 * * *', template: { broadcastJobTemplate: { spec: job(image) } } },
});

/** Pods that are made again with the change when a user deletes them. */
const onDelete: WithoutUpdates = {
  type: 'OnDelete',
  line: '10 pods recreated, when a user deletes them',
  sentence: 'The strategy is OnDelete: 10 pods get the change when a user deletes them.',
  waits:
    'An update step waits for deletions without a limit, and fails when a new pod does not become available for 10m.',
  failed: 'If a step fails, pods that are deleted afterwards are recreated on the old revision.',
  back: 'Reversible: revert the commit, and pods are recreated on the old revision. Updated pods keep the change until a user deletes them.',
  row: 'update to 100%, when users delete pods',
  ended:
    'the strategy is no longer OnDelete: pods on an earlier revision are updated from now on, without a new plan',
};

const unitedDeployment = ({ image, limits }: Parts): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'UnitedDeployment',
  metadata,
  spec: {
    replicas: 10,
    selector,
    topology: { subsets: [{ name: 'a' }, { name: 'b' }] },
    template: {
      cloneSetTemplate: {
        spec: {
          selector,
          template: template(image),
          ...(limits !== undefined && { updateStrategy: { rollingUpdate: limits } }),
        },
      },
    },
  },
});

const unavailable = (percent: string): JsonObject => ({ maxUnavailable: percent });

const imagePullJob = ({ image, limits }: Parts): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'ImagePullJob',
  metadata: { ...metadata, annotations: { 'plan.kruise.io/policy': 'Required' } },
  spec: { image, completionPolicy: {}, ...limits },
});

/**
 * An entry for each registered kind: one that is missing does not compile. With them are those whose objects may ask for plans.
 */
export const matrixOfGit: Readonly<Record<PlannedName | 'ImagePullJob', PrintedFacts>> = {
  CloneSet: {
    manifest: cloneSet,
    removal: 'CloneSet shop/web is removed: its 10 pods are deleted with it',
    update: '10 pods recreated',
    // OpenKruise cloneset, rule 6.3: up, or down where extra pods make up for it.
    limits: [
      { own: { maxUnavailable: '25%', maxSurge: 0 }, field: 'maxUnavailable', most: 3 },
      { own: { maxUnavailable: '25%', maxSurge: 1 }, field: 'maxUnavailable', most: 2 },
      { own: { maxUnavailable: 0, maxSurge: '25%' }, field: 'maxSurge', most: 3 },
    ],
    withoutUpdates: onDelete,
    continued: { limits: unavailable, kept: '3 at a time', keptUncounted: '3 at a time' },
  },
  StatefulSet: {
    manifest: statefulSet,
    removal: 'StatefulSet shop/web is removed: its 10 pods are deleted with it',
    update: '10 pods recreated',
    // OpenKruise advanced-statefulset, rule 6.6: down, and at least 1.
    limits: [
      { own: { maxUnavailable: '25%' }, field: 'maxUnavailable', most: 2 },
      { own: { maxUnavailable: '5%' }, field: 'maxUnavailable', most: 1 },
    ],
    withoutUpdates: onDelete,
    continued: { limits: unavailable, kept: '2 at a time', keptUncounted: '2 at a time' },
  },
  DaemonSet: {
    manifest: daemonSet,
    removal: 'DaemonSet shop/web is removed: its pods are deleted with it, on every node',
    update: 'the pods of 10 nodes recreated',
    // OpenKruise advanced-daemonset, rule 6.5: up.
    limits: [
      { own: { maxUnavailable: '25%' }, field: 'maxUnavailable', most: 3 },
      { own: { maxUnavailable: 0, maxSurge: '25%' }, field: 'maxSurge', most: 3 },
    ],
    withoutUpdates: {
      ...onDelete,
      line: 'the pods of 10 nodes recreated, when a user deletes them',
      sentence: 'The strategy is OnDelete: the pods of 10 nodes get the change when a user deletes them.',
    },
    continued: { limits: unavailable, kept: '3 at a time', keptUncounted: '25% at a time' },
  },
  SidecarSet: {
    manifest: sidecarSet,
    removal: 'SidecarSet web is removed: its pods keep what was injected, and new pods get none of it',
    update: 'all selected pods updated in place',
    // OpenKruise sidecarset, rule 6.8.3: up.
    limits: [{ own: { maxUnavailable: '25%' }, field: 'maxUnavailable', most: 3 }],
    withoutUpdates: {
      type: 'NotUpdate',
      line: 'for new pods only; running ones stay as they are',
      sentence: 'The strategy is NotUpdate: running pods stay as they are, and new pods get the change.',
      waits:
        'An update step waits for new pods without a limit, and fails when one does not become available for 10m.',
      failed: 'If a step fails, new pods get the old revision.',
      back: 'Reversible: revert the commit, and new pods get the old revision. Pods that have the change keep it.',
      row: 'update to 100%, as new pods are created',
      ended:
        'the strategy is no longer NotUpdate: pods on an earlier revision are updated from now on, without a new plan',
    },
    continued: { limits: unavailable, kept: '3 at a time', keptUncounted: '25% at a time' },
  },
  BroadcastJob: {
    manifest: broadcastJob,
    removal: 'BroadcastJob shop/web is removed: its pods are deleted with it, and a run under way ends',
    update: 'new run, once on each node that fits; the template changed',
    // OpenKruise broadcastjob, rule 6.4: up.
    limits: [{ own: { parallelism: '25%' }, field: 'parallelism', most: 3 }],
    withoutUpdates: undefined,
    continued: {
      limits: (percent) => ({ parallelism: percent }),
      kept: '25% at a time',
      keptUncounted: '25% at a time',
    },
  },
  ImagePullJob: {
    manifest: imagePullJob,
    removal: 'ImagePullJob shop/web is removed: its pods are deleted with it, and a run under way ends',
    update: 'new run, one pull to each node that it selects; what it pulls changed',
    // OpenKruise refuses a percentage.
    limits: [{ own: { parallelism: 3 }, field: 'parallelism', most: 3 }],
    withoutUpdates: undefined,
    continued: {
      limits: (percent) => ({ parallelism: percent === '25%' ? 2 : 5 }),
      kept: '2 at a time',
      keptUncounted: '2 at a time',
    },
  },
  AdvancedCronJob: {
    manifest: advancedCronJob,
    removal: 'AdvancedCronJob shop/web is removed: its children are deleted with it, and so are their pods',
    update: 'another template at its next times',
    limits: [],
    withoutUpdates: undefined,
    continued: undefined,
  },
  UnitedDeployment: {
    manifest: unitedDeployment,
    removal: 'UnitedDeployment shop/web is removed: its 10 pods are deleted with it',
    update: '10 pods recreated',
    // As those of its CloneSets.
    limits: [
      { own: { maxUnavailable: '25%', maxSurge: 0 }, field: 'maxUnavailable', most: 3 },
      { own: { maxUnavailable: '25%', maxSurge: 1 }, field: 'maxUnavailable', most: 2 },
    ],
    withoutUpdates: undefined,
    continued: { limits: unavailable, kept: '3 at a time', keptUncounted: '3 at a time' },
  },
};
