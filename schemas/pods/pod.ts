import type { Condition, KubeObject } from '../wire/object.ts';

/** The fields of a Pod that the scheduler and the kubelets use; all others are preserved. */
export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  affinity?: Affinity;
  topologySpreadConstraints?: TopologySpreadConstraint[];
  tolerations?: Toleration[];
  priority?: number;
  priorityClassName?: string;
  readinessGates?: { conditionType: string }[];
  schedulingGates?: { name: string }[];
  restartPolicy?: string;
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  volumes?: { name: string; persistentVolumeClaim?: { claimName?: string } }[];
  overhead?: Quantities;
  [field: string]: unknown;
}

export type Quantities = Record<string, string | number>;

export interface ResourceRequirements {
  requests?: Quantities;
  limits?: Quantities;
}

export interface Container {
  name: string;
  image?: string;
  imagePullPolicy?: string;
  restartPolicy?: string;
  resources?: ResourceRequirements;
  resizePolicy?: { resourceName: string; restartPolicy: string }[];
  startupProbe?: Probe;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  lifecycle?: { postStart?: LifecycleHandler; preStop?: LifecycleHandler };
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  [field: string]: unknown;
}

export interface Probe {
  httpGet?: unknown;
  tcpSocket?: { port?: number | string };
  grpc?: unknown;
  exec?: unknown;
  initialDelaySeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
}

export interface LifecycleHandler {
  sleep?: { seconds?: number };
  [handler: string]: unknown;
}

export interface SelectorRequirement {
  key: string;
  operator: string;
  values?: string[];
}

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: SelectorRequirement[];
}

export interface NodeSelectorTerm {
  matchExpressions?: SelectorRequirement[];
  matchFields?: SelectorRequirement[];
}

export interface PodAffinityTerm {
  labelSelector?: LabelSelector;
  namespaces?: string[];
  namespaceSelector?: LabelSelector;
  topologyKey?: string;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
}

export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: { weight?: number; podAffinityTerm?: PodAffinityTerm }[];
}

export interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms?: NodeSelectorTerm[] };
    preferredDuringSchedulingIgnoredDuringExecution?: { weight?: number; preference?: NodeSelectorTerm }[];
  };
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAffinity;
}

export interface TopologySpreadConstraint {
  maxSkew?: number;
  topologyKey?: string;
  whenUnsatisfiable?: string;
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
  minDomains?: number;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface PodStatus {
  phase?: string;
  conditions?: PodCondition[];
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
  podIP?: string;
  hostIP?: string;
  startTime?: string;
  observedGeneration?: number;
  [field: string]: unknown;
}

export interface PodCondition extends Condition {
  lastProbeTime?: string | null;
  observedGeneration?: number;
}

export interface ContainerState {
  waiting?: { reason: string; message?: string };
  running?: { startedAt: string };
  terminated?: {
    exitCode: number;
    reason: string;
    startedAt: string;
    finishedAt: string;
    containerID: string;
  };
}

export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  containerID?: string;
  ready: boolean;
  started: boolean;
  restartCount: number;
  state: ContainerState;
  lastState: ContainerState;
  /** Allocated resources and requests. */
  resources?: ResourceRequirements;
  allocatedResources?: Quantities;
  volumeMounts?: unknown[];
}

/** Pods that have terminated. */
export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

export function conditionOf(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

/** A sidecar: an init container with restartPolicy Always. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}
