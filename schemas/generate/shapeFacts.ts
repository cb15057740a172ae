/**
 * What the models of the client do not tell about Kubernetes' own kinds: where a type lives, how lists and maps are
 * merged, which strings are quantities, and what came after the models were made.
 *
 * A field is named by its type and its own name (`PodSpec.containers`), with the package in front where two packages
 * have a type of that name. Every entry must meet a field; the generator says so when one does not.
 */

/**
 * The packages of the API and the models each begins with. A model that several packages reach belongs to the first.
 * The name is that of the OpenAPI component without `io.k8s.` and the packages' common path.
 */
export const packages: readonly (readonly [string, readonly string[]])[] = [
  [
    'meta.v1',
    [
      'V1Condition',
      'V1DeleteOptions',
      'V1FieldSelectorRequirement',
      'V1LabelSelector',
      'V1ListMeta',
      'V1ObjectMeta',
      'V1Status',
    ],
  ],
  [
    'core.v1',
    [
      'V1Binding',
      'V1ConfigMap',
      'V1Endpoints',
      'CoreV1Event',
      'V1LimitRange',
      'V1Namespace',
      'V1Node',
      'V1PersistentVolume',
      'V1PersistentVolumeClaim',
      'V1Pod',
      'V1PodTemplate',
      'V1ReplicationController',
      'V1ResourceQuota',
      'V1Secret',
      'V1Service',
      'V1ServiceAccount',
      'V1TopologySelectorTerm',
    ],
  ],
  ['apps.v1', ['V1ControllerRevision', 'V1DaemonSet', 'V1Deployment', 'V1ReplicaSet', 'V1StatefulSet']],
  ['authentication.v1', ['AuthenticationV1TokenRequest', 'V1SelfSubjectReview', 'V1TokenReview']],
  [
    'authorization.v1',
    [
      'V1LocalSubjectAccessReview',
      'V1SelfSubjectAccessReview',
      'V1SelfSubjectRulesReview',
      'V1SubjectAccessReview',
    ],
  ],
  ['autoscaling.v1', ['V1HorizontalPodAutoscaler', 'V1Scale']],
  ['autoscaling.v2', ['V2HorizontalPodAutoscaler']],
  ['batch.v1', ['V1CronJob', 'V1Job']],
  ['coordination.v1', ['V1Lease']],
  ['discovery.v1', ['V1EndpointSlice']],
  ['events.v1', ['EventsV1Event']],
  ['networking.v1', ['V1Ingress', 'V1IngressClass', 'V1NetworkPolicy']],
  ['node.v1', ['V1RuntimeClass']],
  ['policy.v1', ['V1Eviction', 'V1PodDisruptionBudget']],
  ['rbac.v1', ['V1ClusterRole', 'V1ClusterRoleBinding', 'V1Role', 'V1RoleBinding']],
  ['scheduling.v1', ['V1PriorityClass']],
  ['storage.v1', ['V1CSIDriver', 'V1CSINode', 'V1StorageClass', 'V1VolumeAttachment']],
  ['apiextensions.v1', ['V1CustomResourceDefinition']],
];

/**
 * How lists are merged where they are not replaced as a whole: `map(KEYS)` and `set` by server-side apply,
 * `merge(KEY)` and `merge` by strategic merge patch, whose `retainKeys` drops the fields a patch does not name.
 * `atomic` stands where the two disagree. Of maps and objects: `atomic`, `granular` for server-side apply,
 * `replace` and `retainKeys` for strategic merge patch.
 */
export const merging: Readonly<Record<string, readonly string[]>> = {
  'map(name) merge(name)': [
    'CSINodeSpec.drivers',
    'Container.env',
    'ContainerStatus.allocatedResourcesStatus',
    'EphemeralContainer.env',
    'PodSpec.containers',
    'PodSpec.ephemeralContainers',
    'PodSpec.imagePullSecrets',
    'PodSpec.initContainers',
    'PodSpec.schedulingGates',
    'ServiceAccount.secrets',
  ],
  'map(name) merge(name) retainKeys': [
    'PodSpec.resourceClaims',
    'PodSpec.volumes',
    'PodStatus.resourceClaimStatuses',
  ],
  'map(containerPort,protocol) merge(containerPort)': ['Container.ports', 'EphemeralContainer.ports'],
  'map(port,protocol) merge(port)': ['ServiceSpec.ports'],
  'map(devicePath) merge(devicePath)': ['Container.volumeDevices', 'EphemeralContainer.volumeDevices'],
  'map(mountPath) merge(mountPath)': [
    'Container.volumeMounts',
    'ContainerStatus.volumeMounts',
    'EphemeralContainer.volumeMounts',
  ],
  'map(ip) merge(ip)': ['PodSpec.hostAliases', 'PodStatus.podIPs'],
  'map(topologyKey,whenUnsatisfiable) merge(topologyKey)': ['PodSpec.topologySpreadConstraints'],
  'map(type) merge(type)': [
    'DaemonSetStatus.conditions',
    'DeploymentStatus.conditions',
    'NamespaceStatus.conditions',
    'NodeStatus.addresses',
    'NodeStatus.conditions',
    'PersistentVolumeClaimStatus.conditions',
    'PodDisruptionBudgetStatus.conditions',
    'PodStatus.conditions',
    'ReplicaSetStatus.conditions',
    'ReplicationControllerStatus.conditions',
    'ServiceStatus.conditions',
    'StatefulSetStatus.conditions',
    'autoscaling.v2.HorizontalPodAutoscalerStatus.conditions',
  ],
  'map(uid) merge(uid)': ['ObjectMeta.ownerReferences'],
  'map(rule) merge(rule)': ['JSONSchemaProps.x-kubernetes-validations'],
  'map(name)': ['ResourceRequirements.claims'],
  'map(resourceID)': ['ResourceStatus.resources'],
  'map(type)': ['CustomResourceDefinitionStatus.conditions'],
  'atomic merge(type)': ['JobStatus.conditions'],
  'atomic merge(ip)': ['PodStatus.hostIPs'],
  'set merge': ['NodeSpec.podCIDRs', 'ObjectMeta.finalizers'],
  set: [
    'CSIDriverSpec.volumeLifecycleModes',
    'ContainerRestartRuleOnExitCodes.values',
    'Endpoint.addresses',
    'PodFailurePolicyOnExitCodesRequirement.values',
    'UncountedTerminatedPods.failed',
    'UncountedTerminatedPods.succeeded',
  ],
  atomic: [
    'PodSpec.nodeSelector',
    'ReplicationControllerSpec.selector',
    'Scheduling.nodeSelector',
    'ServiceSpec.selector',
  ],
  granular: ['PersistentVolumeClaimStatus.allocatedResourceStatuses', 'PersistentVolumeSpec.claimRef'],
  replace: ['PodDisruptionBudgetSpec.selector'],
  retainKeys: ['DeploymentSpec.strategy'],
};

/** Types whose values server-side apply owns as a whole, wherever they stand. */
export const atomicTypes: readonly string[] = [
  'ConfigMapKeySelector',
  'EndpointAddress',
  'FileKeySelector',
  'LabelSelector',
  'LocalObjectReference',
  'NodeSelector',
  'NodeSelectorTerm',
  'ObjectFieldSelector',
  'ObjectReference',
  'OwnerReference',
  'ResourceFieldSelector',
  'RoleRef',
  'ScopeSelector',
  'SecretKeySelector',
  'SecretReference',
  'ServiceBackendPort',
  'Subject',
  'TopologySelectorTerm',
  'TypedLocalObjectReference',
  'autoscaling.v1.CrossVersionObjectReference',
  'core.v1.EndpointPort',
  'discovery.v1.EndpointPort',
];

/** Fields that hold quantities; the models call all of them plain strings. `{}` marks the values of a map. */
export const quantities: readonly string[] = [
  'ContainerStatus.allocatedResources{}',
  'EmptyDirVolumeSource.sizeLimit',
  'HPAScalingRules.tolerance',
  'LimitRangeItem.defaultRequest{}',
  'LimitRangeItem.default{}',
  'LimitRangeItem.maxLimitRequestRatio{}',
  'LimitRangeItem.max{}',
  'LimitRangeItem.min{}',
  'MetricTarget.averageValue',
  'MetricTarget.value',
  'MetricValueStatus.averageValue',
  'MetricValueStatus.value',
  'NodeStatus.allocatable{}',
  'NodeStatus.capacity{}',
  'Overhead.podFixed{}',
  'PersistentVolumeClaimStatus.allocatedResources{}',
  'PersistentVolumeClaimStatus.capacity{}',
  'PersistentVolumeSpec.capacity{}',
  'PodSpec.overhead{}',
  'ResourceFieldSelector.divisor',
  'ResourceQuotaSpec.hard{}',
  'ResourceQuotaStatus.hard{}',
  'ResourceQuotaStatus.used{}',
  'ResourceRequirements.limits{}',
  'ResourceRequirements.requests{}',
  'VolumeResourceRequirements.limits{}',
  'VolumeResourceRequirements.requests{}',
];

/** Fields that may hold anything, or any object, and what the API calls them. */
export const openFields: Readonly<Record<string, string>> = {
  'ControllerRevision.data': 'runtime.RawExtension',
  'CustomResourceSubresources.status': 'apiextensions.v1.CustomResourceSubresourceStatus',
  'JSONSchemaProps.additionalItems': 'apiextensions.v1.JSONSchemaPropsOrBool',
  'JSONSchemaProps.additionalProperties': 'apiextensions.v1.JSONSchemaPropsOrBool',
  'JSONSchemaProps.default': 'apiextensions.v1.JSON',
  'JSONSchemaProps.dependencies{}': 'apiextensions.v1.JSONSchemaPropsOrStringArray',
  'JSONSchemaProps.enum[]': 'apiextensions.v1.JSON',
  'JSONSchemaProps.example': 'apiextensions.v1.JSON',
  'JSONSchemaProps.items': 'apiextensions.v1.JSONSchemaPropsOrArray',
  'ManagedFieldsEntry.fieldsV1': 'meta.v1.FieldsV1',
};

/** What a field is when nothing is written, where that is not nothing. */
export const defaults: Readonly<Record<string, unknown>> = {
  'AzureDiskVolumeSource.cachingMode': 'ReadWrite',
  'AzureDiskVolumeSource.fsType': 'ext4',
  'AzureDiskVolumeSource.kind': 'Shared',
  'ContainerPort.protocol': 'TCP',
  'ISCSIPersistentVolumeSource.iscsiInterface': 'default',
  'ISCSIVolumeSource.iscsiInterface': 'default',
  'RBDPersistentVolumeSource.keyring': '/etc/ceph/keyring',
  'RBDPersistentVolumeSource.pool': 'rbd',
  'RBDPersistentVolumeSource.user': 'admin',
  'RBDVolumeSource.keyring': '/etc/ceph/keyring',
  'RBDVolumeSource.pool': 'rbd',
  'RBDVolumeSource.user': 'admin',
  'ReplicationControllerSpec.replicas': 1,
  'ScaleIOPersistentVolumeSource.fsType': 'xfs',
  'ScaleIOPersistentVolumeSource.storageMode': 'ThinProvisioned',
  'ScaleIOVolumeSource.fsType': 'xfs',
  'ScaleIOVolumeSource.storageMode': 'ThinProvisioned',
  'ServicePort.protocol': 'TCP',
};

/** What Kubernetes 1.35 has that the models have not, or have otherwise, in the notation of the generated file. */
export const additions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'apiextensions.v1.CustomResourceDefinitionCondition': { observedGeneration: 'int64' },
  'apiextensions.v1.CustomResourceDefinitionStatus': { observedGeneration: 'int64' },
  'batch.v1.PodFailurePolicyOnPodConditionsPattern': { status: 'string' },
  'core.v1.NodeStatus': { declaredFeatures: '[]string' },
  'core.v1.PodCertificateProjection': { userAnnotations: '{}string' },
  'core.v1.PodSpec': { workloadRef: 'core.v1.WorkloadReference' },
  'core.v1.PodStatus': { allocatedResources: '{}quantity', resources: 'core.v1.ResourceRequirements' },
  'core.v1.WorkloadReference': { name: 'string!', podGroup: 'string!', podGroupReplicaKey: 'string' },
  'storage.v1.CSIDriverSpec': { serviceAccountTokenInSecrets: 'boolean' },
};
