import type { Json } from '../../schemas/wire/json.ts';

/*
 * The defaults of pod templates, frozen as semantics version "1". A change of any row changes the hashes of live
 * workloads, so it needs a new semantics version. Sources: Kubernetes' pod defaulting, the defaults declared in its core/v1
 * types, and OpenKruise's template defaulting where it differs.
 *
 * A pattern is a path from the template; `[*]` stands for each member of a list, `{a,b}` for each alternative.
 */

const containers = 'spec.{containers,initContainers,ephemeralContainers}[*]';
const probe = `${containers}.{livenessProbe,readinessProbe,startupProbe}`;
const hook = `${containers}.lifecycle.{postStart,preStop}`;
const httpGet = `{${probe},${hook}}.httpGet`;
const volume = 'spec.volumes[*]';
const projected = `${volume}.projected.sources[*]`;
const claim = `${volume}.ephemeral.volumeClaimTemplate`;
const env = `${containers}.env[*]`;
const downward = `{${volume},${projected}}.downwardAPI.items[*]`;
const nodeAffinity = 'spec.affinity.nodeAffinity';
const nodeTerm =
  `{${nodeAffinity}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[*],` +
  `${nodeAffinity}.preferredDuringSchedulingIgnoredDuringExecution[*].preference}`;
const podAffinity = 'spec.affinity.{podAffinity,podAntiAffinity}';
const podTerm =
  `{${podAffinity}.requiredDuringSchedulingIgnoredDuringExecution[*],` +
  `${podAffinity}.preferredDuringSchedulingIgnoredDuringExecution[*].podAffinityTerm}`;
const spread = 'spec.topologySpreadConstraints[*]';
const selector =
  `{${podTerm}.{labelSelector,namespaceSelector},${spread}.labelSelector,` +
  `${projected}.clusterTrustBundle.labelSelector,${claim}.spec.selector}`;
const seLinux = `{spec,${containers}}.securityContext.seLinuxOptions`;

/** Paths whose absence means this value. */
export const defaultValues: readonly (readonly [pattern: string, value: Json])[] = [
  ['spec.restartPolicy', 'Always'],
  ['spec.dnsPolicy', 'ClusterFirst'],
  ['spec.schedulerName', 'default-scheduler'],
  ['spec.terminationGracePeriodSeconds', 30],
  ['spec.enableServiceLinks', true],
  // OpenKruise: normal containers pull Always whatever the tag, so that a moved tag is pulled in place.
  // Init containers and image volumes follow Kubernetes' rule about tags (see canonical.ts).
  ['spec.containers[*].imagePullPolicy', 'Always'],
  [`${containers}.terminationMessagePath`, '/dev/termination-log'],
  [`${containers}.terminationMessagePolicy`, 'File'],
  [`${containers}.ports[*].protocol`, 'TCP'],
  [`${probe}.timeoutSeconds`, 1],
  [`${probe}.periodSeconds`, 10],
  [`${probe}.successThreshold`, 1],
  [`${probe}.failureThreshold`, 3],
  [`${probe}.grpc.service`, ''],
  [`${httpGet}.path`, '/'],
  [`${httpGet}.scheme`, 'HTTP'],
  [`${env}.valueFrom.fieldRef.apiVersion`, 'v1'],
  [`${env}.valueFrom.resourceFieldRef.divisor`, '0'],
  [`${env}.valueFrom.fileKeyRef.optional`, false],
  [`${downward}.fieldRef.apiVersion`, 'v1'],
  [`${downward}.resourceFieldRef.divisor`, '0'],
  [`${volume}.{secret,configMap,downwardAPI,projected}.defaultMode`, 420],
  [`${volume}.hostPath.type`, ''],
  [`${volume}.iscsi.iscsiInterface`, 'default'],
  [`${volume}.rbd.pool`, 'rbd'],
  [`${volume}.rbd.user`, 'admin'],
  [`${volume}.rbd.keyring`, '/etc/ceph/keyring'],
  [`${volume}.azureDisk.cachingMode`, 'ReadWrite'],
  [`${volume}.azureDisk.fsType`, 'ext4'],
  [`${volume}.azureDisk.readOnly`, false],
  [`${volume}.azureDisk.kind`, 'Shared'],
  [`${volume}.scaleIO.storageMode`, 'ThinProvisioned'],
  [`${volume}.scaleIO.fsType`, 'xfs'],
  [`${projected}.serviceAccountToken.expirationSeconds`, 3600],
  [`${claim}.spec.volumeMode`, 'Filesystem'],
];

/**
 * Paths where the empty value of a type ('' 0 false [] {}) means the same as absence. On other paths an empty value has a
 * meaning: `emptyDir: {}`, an empty label selector (all pods), `seLinuxOptions: {}` of a container (overrides the pod's),
 * `automountServiceAccountToken: false`, `runAsUser: 0`.
 */
export const emptyMeansAbsent: readonly string[] = [
  `{metadata,${claim}.metadata}`,
  `{metadata,${claim}.metadata}.{name,generateName,namespace,uid,resourceVersion,selfLink,generation}`,
  `{metadata,${claim}.metadata}.{labels,annotations,finalizers,ownerReferences,managedFields}`,
  'spec.{restartPolicy,dnsPolicy,schedulerName,serviceAccountName,nodeName,hostname,subdomain,priorityClassName}',
  'spec.{hostNetwork,hostPID,hostIPC}',
  'spec.{volumes,initContainers,ephemeralContainers,imagePullSecrets,tolerations,hostAliases,readinessGates}',
  'spec.{topologySpreadConstraints,schedulingGates,resourceClaims,nodeSelector,overhead,dnsConfig}',
  'spec.dnsConfig.{nameservers,searches,options,options[*].name}',
  'spec.workloadRef.podGroupReplicaKey',
  'spec.securityContext',
  'spec.securityContext.{supplementalGroups,sysctls}',
  'spec.tolerations[*].{key,operator,value,effect}',
  'spec.hostAliases[*].hostnames',
  'spec.imagePullSecrets[*].name',
  `{spec,${containers}}.resources`,
  `{spec,${containers}}.resources.{limits,requests,claims}`,
  `{spec,${containers}}.resources.claims[*].request`,
  `${seLinux}.{user,role,type,level}`,
  'spec.affinity',
  `{${nodeAffinity},${podAffinity}}`,
  `{${nodeAffinity},${podAffinity}}.preferredDuringSchedulingIgnoredDuringExecution`,
  `${podAffinity}.requiredDuringSchedulingIgnoredDuringExecution`,
  `${nodeTerm}.{matchExpressions,matchFields}`,
  `${nodeTerm}.{matchExpressions,matchFields}[*].values`,
  `${podTerm}.{namespaces,matchLabelKeys,mismatchLabelKeys}`,
  `${spread}.matchLabelKeys`,
  `${selector}.{matchLabels,matchExpressions}`,
  `${selector}.matchExpressions[*].values`,

  `${containers}.{image,workingDir,imagePullPolicy,terminationMessagePath,terminationMessagePolicy}`,
  `${containers}.{command,args,ports,envFrom,env,resizePolicy,restartPolicyRules,volumeMounts,volumeDevices}`,
  `${containers}.{stdin,stdinOnce,tty,securityContext,lifecycle}`,
  `${containers}.securityContext.capabilities`,
  `${containers}.securityContext.capabilities.{add,drop}`,
  'spec.ephemeralContainers[*].targetContainerName',
  `${containers}.restartPolicyRules[*].{action,exitCodes.operator,exitCodes.values}`,
  `${containers}.ports[*].{name,hostPort,protocol,hostIP}`,
  `${containers}.volumeMounts[*].{readOnly,subPath,subPathExpr}`,
  `${containers}.envFrom[*].prefix`,
  `${containers}.envFrom[*].{configMapRef,secretRef}.name`,
  `${env}.value`,
  `${env}.valueFrom.{configMapKeyRef,secretKeyRef}.name`,
  `{${env}.valueFrom,${downward}}.fieldRef.apiVersion`,
  `{${env}.valueFrom,${downward}}.resourceFieldRef.containerName`,
  `${probe}.{initialDelaySeconds,timeoutSeconds,periodSeconds,successThreshold,failureThreshold}`,
  `{${probe},${hook}}.exec.command`,
  `{${probe},${hook}}.tcpSocket.host`,
  `${httpGet}.{path,host,scheme,httpHeaders}`,

  `${volume}.emptyDir.medium`,
  `${volume}.{gcePersistentDisk,awsElasticBlockStore}.{fsType,partition,readOnly}`,
  `${volume}.gitRepo.{revision,directory}`,
  `${volume}.secret.{secretName,items}`,
  `${volume}.configMap.{name,items}`,
  `${volume}.downwardAPI.items`,
  `${volume}.{nfs,glusterfs,persistentVolumeClaim,azureFile}.readOnly`,
  `${volume}.iscsi.{iscsiInterface,fsType,readOnly,portals,chapAuthDiscovery,chapAuthSession}`,
  `${volume}.rbd.{fsType,pool,user,keyring,readOnly}`,
  `${volume}.flexVolume.{fsType,readOnly,options}`,
  `${volume}.cinder.{fsType,readOnly}`,
  `${volume}.cephfs.{path,user,secretFile,readOnly}`,
  `${volume}.flocker.{datasetName,datasetUUID}`,
  `${volume}.fc.{targetWWNs,fsType,readOnly,wwids}`,
  `${volume}.vsphereVolume.{fsType,storagePolicyName,storagePolicyID}`,
  `${volume}.quobyte.{readOnly,user,group,tenant}`,
  `${volume}.photonPersistentDisk.fsType`,
  `${volume}.portworxVolume.{fsType,readOnly}`,
  `${volume}.scaleIO.{sslEnabled,protectionDomain,storagePool,storageMode,volumeName,fsType,readOnly}`,
  `${volume}.storageos.{volumeName,volumeNamespace,fsType,readOnly}`,
  `${volume}.csi.volumeAttributes`,
  `${volume}.{iscsi,rbd,flexVolume,cinder,cephfs,scaleIO,storageos}.secretRef.name`,
  `${volume}.csi.nodePublishSecretRef.name`,
  `${volume}.image.{reference,pullPolicy}`,
  `${projected}.{secret,configMap}.{name,items}`,
  `${projected}.downwardAPI.items`,
  `${projected}.serviceAccountToken.audience`,
  `${projected}.podCertificate.{signerName,keyType,credentialBundlePath,keyPath,certificateChainPath}`,
  `${projected}.podCertificate.userAnnotations`,
  `${claim}.spec.{accessModes,resources,volumeName}`,
  `${claim}.spec.resources.{limits,requests}`,
];

/** Paths of a single quantity. */
export const quantities: readonly string[] = [
  `${volume}.emptyDir.sizeLimit`,
  `${env}.valueFrom.resourceFieldRef.divisor`,
  `${downward}.resourceFieldRef.divisor`,
];

/** Paths of a map of quantities, each of which Kubernetes rounds up to thousandths. */
export const resourceLists: readonly string[] = [
  `{spec,${containers}}.resources.{limits,requests}`,
  'spec.overhead',
  `${claim}.spec.resources.{limits,requests}`,
];

/** Paths that do not affect pods. */
export const ignored: readonly string[] = [`{metadata,${claim}.metadata}.creationTimestamp`];
