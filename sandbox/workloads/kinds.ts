import type { LabelSelector, Pod, PodSpec } from '../../schemas/pods/pod.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';

export interface PodTemplate {
  metadata?: {
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    finalizers?: string[];
  };
  spec: PodSpec;
}

/** An object with a pod template that claims pods by its selector. */
export interface PodOwner extends KubeObject {
  spec: { selector?: LabelSelector; template: PodTemplate; minReadySeconds?: number };
}

export interface ReplicaSetStatus {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: number;
  conditions?: Condition[];
}

export interface ReplicaSet extends PodOwner {
  spec: PodOwner['spec'] & { replicas?: number };
  status?: ReplicaSetStatus;
}

export interface DeploymentStatus extends Omit<ReplicaSetStatus, 'replicas' | 'fullyLabeledReplicas'> {
  replicas?: number;
  updatedReplicas?: number;
  unavailableReplicas?: number;
  collisionCount?: number;
}

export interface Deployment extends PodOwner {
  spec: PodOwner['spec'] & {
    replicas?: number;
    paused?: boolean;
    revisionHistoryLimit?: number;
    progressDeadlineSeconds?: number;
    strategy?: {
      type?: string;
      rollingUpdate?: { maxUnavailable?: number | string; maxSurge?: number | string };
    };
  };
  status?: DeploymentStatus;
}

export interface JobCondition extends Condition {
  lastProbeTime?: string;
}

export interface JobStatus {
  startTime?: string;
  completionTime?: string;
  active?: number;
  ready?: number;
  terminating?: number;
  succeeded?: number;
  failed?: number;
  completedIndexes?: string;
  uncountedTerminatedPods?: { succeeded?: string[]; failed?: string[] };
  conditions?: JobCondition[];
}

export interface Job extends PodOwner {
  spec: PodOwner['spec'] & {
    parallelism?: number;
    completions?: number;
    completionMode?: string;
    backoffLimit?: number;
    activeDeadlineSeconds?: number;
    ttlSecondsAfterFinished?: number;
    suspend?: boolean;
    podReplacementPolicy?: string;
    managedBy?: string;
  };
  status?: JobStatus;
}

export interface CronJobStatus {
  active?: { name: string; uid?: string | undefined }[];
  lastScheduleTime?: string;
  lastSuccessfulTime?: string;
}

export interface CronJob extends KubeObject {
  spec: {
    schedule: string;
    timeZone?: string;
    startingDeadlineSeconds?: number;
    concurrencyPolicy?: string;
    suspend?: boolean;
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
    jobTemplate: {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec: unknown;
    };
  };
  status?: CronJobStatus;
}

export interface StatefulSetStatus {
  replicas: number;
  readyReplicas?: number;
  availableReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  observedGeneration?: number;
  collisionCount?: number;
}

export interface StatefulSet extends PodOwner {
  spec: PodOwner['spec'] & {
    replicas?: number;
    serviceName?: string;
    podManagementPolicy?: string;
    revisionHistoryLimit?: number;
    ordinals?: { start?: number };
    updateStrategy?: {
      type?: string;
      rollingUpdate?: { partition?: number };
    };
    volumeClaimTemplates?: (KubeObject & { spec: Record<string, unknown> })[];
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
  };
  status?: StatefulSetStatus;
}

export interface DaemonSetStatus {
  desiredNumberScheduled: number;
  currentNumberScheduled: number;
  numberMisscheduled: number;
  numberReady: number;
  numberAvailable?: number;
  numberUnavailable?: number;
  updatedNumberScheduled?: number;
  observedGeneration?: number;
  collisionCount?: number;
}

export interface DaemonSet extends PodOwner {
  spec: PodOwner['spec'] & {
    revisionHistoryLimit?: number;
    updateStrategy?: {
      type?: string;
      rollingUpdate?: { maxUnavailable?: number | string; maxSurge?: number | string };
    };
  };
  status?: DaemonSetStatus;
}

export type { Pod };
