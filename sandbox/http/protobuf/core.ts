/** The messages of the core group, one per line; `read.ts` describes the notation. */
export const coreMessages = `
core.AWSElasticBlockStoreVolumeSource volumeID=1s fsType=2s partition=3i readOnly=4b
core.Affinity nodeAffinity=1?:core.NodeAffinity podAffinity=2?:core.PodAffinity podAntiAffinity=3?:core.PodAntiAffinity
core.AppArmorProfile type=1s localhostProfile=2?s
core.AttachedVolume name=1s devicePath=2s
core.AzureDiskVolumeSource diskName=1s diskURI=2s cachingMode=3?s fsType=4?s readOnly=5?b kind=6?s
core.AzureFilePersistentVolumeSource secretName=1s shareName=2s readOnly=3b secretNamespace=4?s
core.AzureFileVolumeSource secretName=1s shareName=2s readOnly=3b
core.Binding metadata=1:meta.ObjectMeta target=2:core.ObjectReference
core.CSIPersistentVolumeSource driver=1s volumeHandle=2s readOnly=3b fsType=4s volumeAttributes=5%s controllerPublishSecretRef=6?:core.SecretReference nodeStageSecretRef=7?:core.SecretReference nodePublishSecretRef=8?:core.SecretReference controllerExpandSecretRef=9?:core.SecretReference nodeExpandSecretRef=10?:core.SecretReference
core.CSIVolumeSource driver=1s readOnly=2?b fsType=3?s volumeAttributes=4%s nodePublishSecretRef=5?:core.LocalObjectReference
core.Capabilities add=1*s drop=2*s
core.CephFSPersistentVolumeSource monitors=1*s path=2s user=3s secretFile=4s secretRef=5?:core.SecretReference readOnly=6b
core.CephFSVolumeSource monitors=1*s path=2s user=3s secretFile=4s secretRef=5?:core.LocalObjectReference readOnly=6b
core.CinderPersistentVolumeSource volumeID=1s fsType=2s readOnly=3b secretRef=4?:core.SecretReference
core.CinderVolumeSource volumeID=1s fsType=2s readOnly=3b secretRef=4?:core.LocalObjectReference
core.ClientIPConfig timeoutSeconds=1?i
core.ClusterTrustBundleProjection name=1?s signerName=2?s labelSelector=3?:meta.LabelSelector path=4s optional=5?b
core.ConfigMap metadata=1:meta.ObjectMeta data=2%s binaryData=3%y immutable=4?b
core.ConfigMapEnvSource =1:core.LocalObjectReference optional=2?b
core.ConfigMapKeySelector =1:core.LocalObjectReference key=2s optional=3?b
core.ConfigMapNodeConfigSource namespace=1s name=2s uid=3s resourceVersion=4s kubeletConfigKey=5s
core.ConfigMapProjection =1:core.LocalObjectReference items=2*:core.KeyToPath optional=4?b
core.ConfigMapVolumeSource =1:core.LocalObjectReference items=2*:core.KeyToPath defaultMode=3?i optional=4?b
core.Container name=1s image=2s command=3*s args=4*s workingDir=5s ports=6*:core.ContainerPort env=7*:core.EnvVar resources=8:core.ResourceRequirements volumeMounts=9*:core.VolumeMount livenessProbe=10?:core.Probe readinessProbe=11?:core.Probe lifecycle=12?:core.Lifecycle terminationMessagePath=13s imagePullPolicy=14s securityContext=15?:core.SecurityContext stdin=16b stdinOnce=17b tty=18b envFrom=19*:core.EnvFromSource terminationMessagePolicy=20s volumeDevices=21*:core.VolumeDevice startupProbe=22?:core.Probe resizePolicy=23*:core.ContainerResizePolicy restartPolicy=24?s restartPolicyRules=25*:core.ContainerRestartRule
core.ContainerExtendedResourceRequest containerName=1s resourceName=2s requestName=3s
core.ContainerImage names=1*s sizeBytes=2i
core.ContainerPort name=1s hostPort=2i containerPort=3i protocol=4s hostIP=5s
core.ContainerResizePolicy resourceName=1s restartPolicy=2s
core.ContainerRestartRule action=1s exitCodes=2?:core.ContainerRestartRuleOnExitCodes
core.ContainerRestartRuleOnExitCodes operator=1s values=2*i
core.ContainerState waiting=1?:core.ContainerStateWaiting running=2?:core.ContainerStateRunning terminated=3?:core.ContainerStateTerminated
core.ContainerStateRunning startedAt=1T
core.ContainerStateTerminated exitCode=1i signal=2i reason=3s message=4s startedAt=5T finishedAt=6T containerID=7s
core.ContainerStateWaiting reason=1s message=2s
core.ContainerStatus name=1s state=2:core.ContainerState lastState=3:core.ContainerState ready=4b restartCount=5i image=6s imageID=7s containerID=8s started=9?b allocatedResources=10%Q resources=11?:core.ResourceRequirements volumeMounts=12*:core.VolumeMountStatus user=13?:core.ContainerUser allocatedResourcesStatus=14*:core.ResourceStatus stopSignal=15?s
core.ContainerUser linux=1?:core.LinuxContainerUser
core.DaemonEndpoint Port=1i
core.DownwardAPIProjection items=1*:core.DownwardAPIVolumeFile
core.DownwardAPIVolumeFile path=1s fieldRef=2?:core.ObjectFieldSelector resourceFieldRef=3?:core.ResourceFieldSelector mode=4?i
core.DownwardAPIVolumeSource items=1*:core.DownwardAPIVolumeFile defaultMode=2?i
core.EmptyDirVolumeSource medium=1s sizeLimit=2?Q
core.EndpointAddress ip=1s targetRef=2?:core.ObjectReference hostname=3s nodeName=4?s
core.EndpointPort name=1s port=2i protocol=3s appProtocol=4?s
core.EndpointSubset addresses=1*:core.EndpointAddress notReadyAddresses=2*:core.EndpointAddress ports=3*:core.EndpointPort
core.Endpoints metadata=1:meta.ObjectMeta subsets=2*:core.EndpointSubset
core.EnvFromSource prefix=1s configMapRef=2?:core.ConfigMapEnvSource secretRef=3?:core.SecretEnvSource
core.EnvVar name=1s value=2s valueFrom=3?:core.EnvVarSource
core.EnvVarSource fieldRef=1?:core.ObjectFieldSelector resourceFieldRef=2?:core.ResourceFieldSelector configMapKeyRef=3?:core.ConfigMapKeySelector secretKeyRef=4?:core.SecretKeySelector fileKeyRef=5?:core.FileKeySelector
core.EphemeralContainer =1:core.EphemeralContainerCommon targetContainerName=2s
core.EphemeralContainerCommon name=1s image=2s command=3*s args=4*s workingDir=5s ports=6*:core.ContainerPort env=7*:core.EnvVar resources=8:core.ResourceRequirements volumeMounts=9*:core.VolumeMount livenessProbe=10?:core.Probe readinessProbe=11?:core.Probe lifecycle=12?:core.Lifecycle terminationMessagePath=13s imagePullPolicy=14s securityContext=15?:core.SecurityContext stdin=16b stdinOnce=17b tty=18b envFrom=19*:core.EnvFromSource terminationMessagePolicy=20s volumeDevices=21*:core.VolumeDevice startupProbe=22?:core.Probe resizePolicy=23*:core.ContainerResizePolicy restartPolicy=24?s restartPolicyRules=25*:core.ContainerRestartRule
core.EphemeralVolumeSource volumeClaimTemplate=1?:core.PersistentVolumeClaimTemplate
core.Event metadata=1:meta.ObjectMeta involvedObject=2:core.ObjectReference reason=3s message=4s source=5:core.EventSource firstTimestamp=6T lastTimestamp=7T count=8i type=9s eventTime=10U series=11?:core.EventSeries action=12s related=13?:core.ObjectReference reportingComponent=14s reportingInstance=15s
core.EventSeries count=1i lastObservedTime=2U
core.EventSource component=1s host=2s
core.ExecAction command=1*s
core.FCVolumeSource targetWWNs=1*s lun=2?i fsType=3s readOnly=4b wwids=5*s
core.FileKeySelector volumeName=1s path=2s key=3s optional=4?b
core.FlexPersistentVolumeSource driver=1s fsType=2s secretRef=3?:core.SecretReference readOnly=4b options=5%s
core.FlexVolumeSource driver=1s fsType=2s secretRef=3?:core.LocalObjectReference readOnly=4b options=5%s
core.FlockerVolumeSource datasetName=1s datasetUUID=2s
core.GCEPersistentDiskVolumeSource pdName=1s fsType=2s partition=3i readOnly=4b
core.GRPCAction port=1i service=2?s
core.GitRepoVolumeSource repository=1s revision=2s directory=3s
core.GlusterfsPersistentVolumeSource endpoints=1s path=2s readOnly=3b endpointsNamespace=4?s
core.GlusterfsVolumeSource endpoints=1s path=2s readOnly=3b
core.HTTPGetAction path=1s port=2I host=3s scheme=4s httpHeaders=5*:core.HTTPHeader
core.HTTPHeader name=1s value=2s
core.HostAlias ip=1s hostnames=2*s
core.HostIP ip=1s
core.HostPathVolumeSource path=1s type=2?s
core.ISCSIPersistentVolumeSource targetPortal=1s iqn=2s lun=3i iscsiInterface=4s fsType=5s readOnly=6b portals=7*s chapAuthDiscovery=8b secretRef=10?:core.SecretReference chapAuthSession=11b initiatorName=12?s
core.ISCSIVolumeSource targetPortal=1s iqn=2s lun=3i iscsiInterface=4s fsType=5s readOnly=6b portals=7*s chapAuthDiscovery=8b secretRef=10?:core.LocalObjectReference chapAuthSession=11b initiatorName=12?s
core.ImageVolumeSource reference=1s pullPolicy=2s
core.KeyToPath key=1s path=2s mode=3?i
core.Lifecycle postStart=1?:core.LifecycleHandler preStop=2?:core.LifecycleHandler stopSignal=3?s
core.LifecycleHandler exec=1?:core.ExecAction httpGet=2?:core.HTTPGetAction tcpSocket=3?:core.TCPSocketAction sleep=4?:core.SleepAction
core.LimitRange metadata=1:meta.ObjectMeta spec=2:core.LimitRangeSpec
core.LimitRangeItem type=1s max=2%Q min=3%Q default=4%Q defaultRequest=5%Q maxLimitRequestRatio=6%Q
core.LimitRangeSpec limits=1*:core.LimitRangeItem
core.LinuxContainerUser uid=1i gid=2i supplementalGroups=3*i
core.LoadBalancerIngress ip=1s hostname=2s ipMode=3?s ports=4*:core.PortStatus
core.LoadBalancerStatus ingress=1*:core.LoadBalancerIngress
core.LocalObjectReference name=1s
core.LocalVolumeSource path=1s fsType=2?s
core.ModifyVolumeStatus targetVolumeAttributesClassName=1s status=2s
core.NFSVolumeSource server=1s path=2s readOnly=3b
core.Namespace metadata=1:meta.ObjectMeta spec=2:core.NamespaceSpec status=3:core.NamespaceStatus
core.NamespaceCondition type=1s status=2s lastTransitionTime=4T reason=5s message=6s
core.NamespaceSpec finalizers=1*s
core.NamespaceStatus phase=1s conditions=2*:core.NamespaceCondition
core.Node metadata=1:meta.ObjectMeta spec=2:core.NodeSpec status=3:core.NodeStatus
core.NodeAddress type=1s address=2s
core.NodeAffinity requiredDuringSchedulingIgnoredDuringExecution=1?:core.NodeSelector preferredDuringSchedulingIgnoredDuringExecution=2*:core.PreferredSchedulingTerm
core.NodeCondition type=1s status=2s lastHeartbeatTime=3T lastTransitionTime=4T reason=5s message=6s
core.NodeConfigSource configMap=2?:core.ConfigMapNodeConfigSource
core.NodeConfigStatus assigned=1?:core.NodeConfigSource active=2?:core.NodeConfigSource lastKnownGood=3?:core.NodeConfigSource error=4s
core.NodeDaemonEndpoints kubeletEndpoint=1:core.DaemonEndpoint
core.NodeFeatures supplementalGroupsPolicy=1?b
core.NodeRuntimeHandler name=1s features=2?:core.NodeRuntimeHandlerFeatures
core.NodeRuntimeHandlerFeatures recursiveReadOnlyMounts=1?b userNamespaces=2?b
core.NodeSelector nodeSelectorTerms=1*:core.NodeSelectorTerm
core.NodeSelectorRequirement key=1s operator=2s values=3*s
core.NodeSelectorTerm matchExpressions=1*:core.NodeSelectorRequirement matchFields=2*:core.NodeSelectorRequirement
core.NodeSpec podCIDR=1s externalID=2s providerID=3s unschedulable=4b taints=5*:core.Taint configSource=6?:core.NodeConfigSource podCIDRs=7*s
core.NodeStatus capacity=1%Q allocatable=2%Q phase=3s conditions=4*:core.NodeCondition addresses=5*:core.NodeAddress daemonEndpoints=6:core.NodeDaemonEndpoints nodeInfo=7:core.NodeSystemInfo images=8*:core.ContainerImage volumesInUse=9*s volumesAttached=10*:core.AttachedVolume config=11?:core.NodeConfigStatus runtimeHandlers=12*:core.NodeRuntimeHandler features=13?:core.NodeFeatures declaredFeatures=14*s
core.NodeSwapStatus capacity=1?i
core.NodeSystemInfo machineID=1s systemUUID=2s bootID=3s kernelVersion=4s osImage=5s containerRuntimeVersion=6s kubeletVersion=7s kubeProxyVersion=8s operatingSystem=9s architecture=10s swap=11?:core.NodeSwapStatus
core.ObjectFieldSelector apiVersion=1s fieldPath=2s
core.ObjectReference kind=1s namespace=2s name=3s uid=4s apiVersion=5s resourceVersion=6s fieldPath=7s
core.PersistentVolume metadata=1:meta.ObjectMeta spec=2:core.PersistentVolumeSpec status=3:core.PersistentVolumeStatus
core.PersistentVolumeClaim metadata=1:meta.ObjectMeta spec=2:core.PersistentVolumeClaimSpec status=3:core.PersistentVolumeClaimStatus
core.PersistentVolumeClaimCondition type=1s status=2s lastProbeTime=3T lastTransitionTime=4T reason=5s message=6s
core.PersistentVolumeClaimSpec accessModes=1*s resources=2:core.VolumeResourceRequirements volumeName=3s selector=4?:meta.LabelSelector storageClassName=5?s volumeMode=6?s dataSource=7?:core.TypedLocalObjectReference dataSourceRef=8?:core.TypedObjectReference volumeAttributesClassName=9?s
core.PersistentVolumeClaimStatus phase=1s accessModes=2*s capacity=3%Q conditions=4*:core.PersistentVolumeClaimCondition allocatedResources=5%Q allocatedResourceStatuses=7%s currentVolumeAttributesClassName=8?s modifyVolumeStatus=9?:core.ModifyVolumeStatus
core.PersistentVolumeClaimTemplate metadata=1:meta.ObjectMeta spec=2:core.PersistentVolumeClaimSpec
core.PersistentVolumeClaimVolumeSource claimName=1s readOnly=2b
core.PersistentVolumeSource gcePersistentDisk=1?:core.GCEPersistentDiskVolumeSource awsElasticBlockStore=2?:core.AWSElasticBlockStoreVolumeSource hostPath=3?:core.HostPathVolumeSource glusterfs=4?:core.GlusterfsPersistentVolumeSource nfs=5?:core.NFSVolumeSource rbd=6?:core.RBDPersistentVolumeSource iscsi=7?:core.ISCSIPersistentVolumeSource cinder=8?:core.CinderPersistentVolumeSource cephfs=9?:core.CephFSPersistentVolumeSource fc=10?:core.FCVolumeSource flocker=11?:core.FlockerVolumeSource flexVolume=12?:core.FlexPersistentVolumeSource azureFile=13?:core.AzureFilePersistentVolumeSource vsphereVolume=14?:core.VsphereVirtualDiskVolumeSource quobyte=15?:core.QuobyteVolumeSource azureDisk=16?:core.AzureDiskVolumeSource photonPersistentDisk=17?:core.PhotonPersistentDiskVolumeSource portworxVolume=18?:core.PortworxVolumeSource scaleIO=19?:core.ScaleIOPersistentVolumeSource local=20?:core.LocalVolumeSource storageos=21?:core.StorageOSPersistentVolumeSource csi=22?:core.CSIPersistentVolumeSource
core.PersistentVolumeSpec capacity=1%Q =2:core.PersistentVolumeSource accessModes=3*s claimRef=4?:core.ObjectReference persistentVolumeReclaimPolicy=5s storageClassName=6s mountOptions=7*s volumeMode=8?s nodeAffinity=9?:core.VolumeNodeAffinity volumeAttributesClassName=10?s
core.PersistentVolumeStatus phase=1s message=2s reason=3s lastPhaseTransitionTime=4?T
core.PhotonPersistentDiskVolumeSource pdID=1s fsType=2s
core.Pod metadata=1:meta.ObjectMeta spec=2:core.PodSpec status=3:core.PodStatus
core.PodAffinity requiredDuringSchedulingIgnoredDuringExecution=1*:core.PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution=2*:core.WeightedPodAffinityTerm
core.PodAffinityTerm labelSelector=1?:meta.LabelSelector namespaces=2*s topologyKey=3s namespaceSelector=4?:meta.LabelSelector matchLabelKeys=5*s mismatchLabelKeys=6*s
core.PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution=1*:core.PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution=2*:core.WeightedPodAffinityTerm
core.PodCertificateProjection signerName=1s keyType=2s maxExpirationSeconds=3?i credentialBundlePath=4s keyPath=5s certificateChainPath=6s userAnnotations=7%s
core.PodCondition type=1s status=2s lastProbeTime=3T lastTransitionTime=4T reason=5s message=6s observedGeneration=7i
core.PodDNSConfig nameservers=1*s searches=2*s options=3*:core.PodDNSConfigOption
core.PodDNSConfigOption name=1s value=2?s
core.PodExtendedResourceClaimStatus requestMappings=1*:core.ContainerExtendedResourceRequest resourceClaimName=2s
core.PodIP ip=1s
core.PodOS name=1s
core.PodReadinessGate conditionType=1s
core.PodResourceClaim name=1s resourceClaimName=3?s resourceClaimTemplateName=4?s
core.PodResourceClaimStatus name=1s resourceClaimName=2?s
core.PodSchedulingGate name=1s
core.PodSecurityContext seLinuxOptions=1?:core.SELinuxOptions runAsUser=2?i runAsNonRoot=3?b supplementalGroups=4*i fsGroup=5?i runAsGroup=6?i sysctls=7*:core.Sysctl windowsOptions=8?:core.WindowsSecurityContextOptions fsGroupChangePolicy=9?s seccompProfile=10?:core.SeccompProfile appArmorProfile=11?:core.AppArmorProfile supplementalGroupsPolicy=12?s seLinuxChangePolicy=13?s
core.PodSpec volumes=1*:core.Volume containers=2*:core.Container restartPolicy=3s terminationGracePeriodSeconds=4?i activeDeadlineSeconds=5?i dnsPolicy=6s nodeSelector=7%s serviceAccountName=8s serviceAccount=9s nodeName=10s hostNetwork=11b hostPID=12b hostIPC=13b securityContext=14?:core.PodSecurityContext imagePullSecrets=15*:core.LocalObjectReference hostname=16s subdomain=17s affinity=18?:core.Affinity schedulerName=19s initContainers=20*:core.Container automountServiceAccountToken=21?b tolerations=22*:core.Toleration hostAliases=23*:core.HostAlias priorityClassName=24s priority=25?i dnsConfig=26?:core.PodDNSConfig shareProcessNamespace=27?b readinessGates=28*:core.PodReadinessGate runtimeClassName=29?s enableServiceLinks=30?b preemptionPolicy=31?s overhead=32%Q topologySpreadConstraints=33*:core.TopologySpreadConstraint ephemeralContainers=34*:core.EphemeralContainer setHostnameAsFQDN=35?b os=36?:core.PodOS hostUsers=37?b schedulingGates=38*:core.PodSchedulingGate resourceClaims=39*:core.PodResourceClaim resources=40?:core.ResourceRequirements hostnameOverride=41?s workloadRef=42?:core.WorkloadReference
core.PodStatus phase=1s conditions=2*:core.PodCondition message=3s reason=4s hostIP=5s podIP=6s startTime=7?T containerStatuses=8*:core.ContainerStatus qosClass=9s initContainerStatuses=10*:core.ContainerStatus nominatedNodeName=11s podIPs=12*:core.PodIP ephemeralContainerStatuses=13*:core.ContainerStatus resize=14s resourceClaimStatuses=15*:core.PodResourceClaimStatus hostIPs=16*:core.HostIP observedGeneration=17i extendedResourceClaimStatus=18?:core.PodExtendedResourceClaimStatus allocatedResources=19%Q resources=20?:core.ResourceRequirements
core.PodTemplate metadata=1:meta.ObjectMeta template=2:core.PodTemplateSpec
core.PodTemplateSpec metadata=1:meta.ObjectMeta spec=2:core.PodSpec
core.PortStatus port=1i protocol=2s error=3?s
core.PortworxVolumeSource volumeID=1s fsType=2s readOnly=3b
core.PreferredSchedulingTerm weight=1i preference=2:core.NodeSelectorTerm
core.Probe =1:core.ProbeHandler initialDelaySeconds=2i timeoutSeconds=3i periodSeconds=4i successThreshold=5i failureThreshold=6i terminationGracePeriodSeconds=7?i
core.ProbeHandler exec=1?:core.ExecAction httpGet=2?:core.HTTPGetAction tcpSocket=3?:core.TCPSocketAction grpc=4?:core.GRPCAction
core.ProjectedVolumeSource sources=1*:core.VolumeProjection defaultMode=2?i
core.QuobyteVolumeSource registry=1s volume=2s readOnly=3b user=4s group=5s tenant=6s
core.RBDPersistentVolumeSource monitors=1*s image=2s fsType=3s pool=4s user=5s keyring=6s secretRef=7?:core.SecretReference readOnly=8b
core.RBDVolumeSource monitors=1*s image=2s fsType=3s pool=4s user=5s keyring=6s secretRef=7?:core.LocalObjectReference readOnly=8b
core.ReplicationController metadata=1:meta.ObjectMeta spec=2:core.ReplicationControllerSpec status=3:core.ReplicationControllerStatus
core.ReplicationControllerCondition type=1s status=2s lastTransitionTime=3T reason=4s message=5s
core.ReplicationControllerSpec replicas=1?i selector=2%s template=3?:core.PodTemplateSpec minReadySeconds=4i
core.ReplicationControllerStatus replicas=1i fullyLabeledReplicas=2i observedGeneration=3i readyReplicas=4i availableReplicas=5i conditions=6*:core.ReplicationControllerCondition
core.ResourceClaim name=1s request=2s
core.ResourceFieldSelector containerName=1s resource=2s divisor=3Q
core.ResourceHealth resourceID=1s health=2s
core.ResourceQuota metadata=1:meta.ObjectMeta spec=2:core.ResourceQuotaSpec status=3:core.ResourceQuotaStatus
core.ResourceQuotaSpec hard=1%Q scopes=2*s scopeSelector=3?:core.ScopeSelector
core.ResourceQuotaStatus hard=1%Q used=2%Q
core.ResourceRequirements limits=1%Q requests=2%Q claims=3*:core.ResourceClaim
core.ResourceStatus name=1s resources=2*:core.ResourceHealth
core.SELinuxOptions user=1s role=2s type=3s level=4s
core.ScaleIOPersistentVolumeSource gateway=1s system=2s secretRef=3?:core.SecretReference sslEnabled=4b protectionDomain=5s storagePool=6s storageMode=7s volumeName=8s fsType=9s readOnly=10b
core.ScaleIOVolumeSource gateway=1s system=2s secretRef=3?:core.LocalObjectReference sslEnabled=4b protectionDomain=5s storagePool=6s storageMode=7s volumeName=8s fsType=9s readOnly=10b
core.ScopeSelector matchExpressions=1*:core.ScopedResourceSelectorRequirement
core.ScopedResourceSelectorRequirement scopeName=1s operator=2s values=3*s
core.SeccompProfile type=1s localhostProfile=2?s
core.Secret metadata=1:meta.ObjectMeta data=2%y type=3s stringData=4%s immutable=5?b
core.SecretEnvSource =1:core.LocalObjectReference optional=2?b
core.SecretKeySelector =1:core.LocalObjectReference key=2s optional=3?b
core.SecretProjection =1:core.LocalObjectReference items=2*:core.KeyToPath optional=4?b
core.SecretReference name=1s namespace=2s
core.SecretVolumeSource secretName=1s items=2*:core.KeyToPath defaultMode=3?i optional=4?b
core.SecurityContext capabilities=1?:core.Capabilities privileged=2?b seLinuxOptions=3?:core.SELinuxOptions runAsUser=4?i runAsNonRoot=5?b readOnlyRootFilesystem=6?b allowPrivilegeEscalation=7?b runAsGroup=8?i procMount=9?s windowsOptions=10?:core.WindowsSecurityContextOptions seccompProfile=11?:core.SeccompProfile appArmorProfile=12?:core.AppArmorProfile
core.Service metadata=1:meta.ObjectMeta spec=2:core.ServiceSpec status=3:core.ServiceStatus
core.ServiceAccount metadata=1:meta.ObjectMeta secrets=2*:core.ObjectReference imagePullSecrets=3*:core.LocalObjectReference automountServiceAccountToken=4?b
core.ServiceAccountTokenProjection audience=1s expirationSeconds=2?i path=3s
core.ServicePort name=1s protocol=2s port=3i targetPort=4I nodePort=5i appProtocol=6?s
core.ServiceSpec ports=1*:core.ServicePort selector=2%s clusterIP=3s type=4s externalIPs=5*s sessionAffinity=7s loadBalancerIP=8s loadBalancerSourceRanges=9*s externalName=10s externalTrafficPolicy=11s healthCheckNodePort=12i publishNotReadyAddresses=13b sessionAffinityConfig=14?:core.SessionAffinityConfig ipFamilyPolicy=17?s clusterIPs=18*s ipFamilies=19*s allocateLoadBalancerNodePorts=20?b loadBalancerClass=21?s internalTrafficPolicy=22?s trafficDistribution=23?s
core.ServiceStatus loadBalancer=1:core.LoadBalancerStatus conditions=2*:meta.Condition
core.SessionAffinityConfig clientIP=1?:core.ClientIPConfig
core.SleepAction seconds=1i
core.StorageOSPersistentVolumeSource volumeName=1s volumeNamespace=2s fsType=3s readOnly=4b secretRef=5?:core.ObjectReference
core.StorageOSVolumeSource volumeName=1s volumeNamespace=2s fsType=3s readOnly=4b secretRef=5?:core.LocalObjectReference
core.Sysctl name=1s value=2s
core.TCPSocketAction port=1I host=2s
core.Taint key=1s value=2s effect=3s timeAdded=4?T
core.Toleration key=1s operator=2s value=3s effect=4s tolerationSeconds=5?i
core.TopologySelectorLabelRequirement key=1s values=2*s
core.TopologySelectorTerm matchLabelExpressions=1*:core.TopologySelectorLabelRequirement
core.TopologySpreadConstraint maxSkew=1i topologyKey=2s whenUnsatisfiable=3s labelSelector=4?:meta.LabelSelector minDomains=5?i nodeAffinityPolicy=6?s nodeTaintsPolicy=7?s matchLabelKeys=8*s
core.TypedLocalObjectReference apiGroup=1?s kind=2s name=3s
core.TypedObjectReference apiGroup=1?s kind=2s name=3s namespace=4?s
core.Volume name=1s =2:core.VolumeSource
core.VolumeDevice name=1s devicePath=2s
core.VolumeMount name=1s readOnly=2b mountPath=3s subPath=4s mountPropagation=5?s subPathExpr=6s recursiveReadOnly=7?s
core.VolumeMountStatus name=1s mountPath=2s readOnly=3b recursiveReadOnly=4?s
core.VolumeNodeAffinity required=1?:core.NodeSelector
core.VolumeProjection secret=1?:core.SecretProjection downwardAPI=2?:core.DownwardAPIProjection configMap=3?:core.ConfigMapProjection serviceAccountToken=4?:core.ServiceAccountTokenProjection clusterTrustBundle=5?:core.ClusterTrustBundleProjection podCertificate=6?:core.PodCertificateProjection
core.VolumeResourceRequirements limits=1%Q requests=2%Q
core.VolumeSource hostPath=1?:core.HostPathVolumeSource emptyDir=2?:core.EmptyDirVolumeSource gcePersistentDisk=3?:core.GCEPersistentDiskVolumeSource awsElasticBlockStore=4?:core.AWSElasticBlockStoreVolumeSource gitRepo=5?:core.GitRepoVolumeSource secret=6?:core.SecretVolumeSource nfs=7?:core.NFSVolumeSource iscsi=8?:core.ISCSIVolumeSource glusterfs=9?:core.GlusterfsVolumeSource persistentVolumeClaim=10?:core.PersistentVolumeClaimVolumeSource rbd=11?:core.RBDVolumeSource flexVolume=12?:core.FlexVolumeSource cinder=13?:core.CinderVolumeSource cephfs=14?:core.CephFSVolumeSource flocker=15?:core.FlockerVolumeSource downwardAPI=16?:core.DownwardAPIVolumeSource fc=17?:core.FCVolumeSource azureFile=18?:core.AzureFileVolumeSource configMap=19?:core.ConfigMapVolumeSource vsphereVolume=20?:core.VsphereVirtualDiskVolumeSource quobyte=21?:core.QuobyteVolumeSource azureDisk=22?:core.AzureDiskVolumeSource photonPersistentDisk=23?:core.PhotonPersistentDiskVolumeSource portworxVolume=24?:core.PortworxVolumeSource scaleIO=25?:core.ScaleIOVolumeSource projected=26?:core.ProjectedVolumeSource storageos=27?:core.StorageOSVolumeSource csi=28?:core.CSIVolumeSource ephemeral=29?:core.EphemeralVolumeSource image=30?:core.ImageVolumeSource
core.VsphereVirtualDiskVolumeSource volumePath=1s fsType=2s storagePolicyName=3s storagePolicyID=4s
core.WeightedPodAffinityTerm weight=1i podAffinityTerm=2:core.PodAffinityTerm
core.WindowsSecurityContextOptions gmsaCredentialSpecName=1?s gmsaCredentialSpec=2?s runAsUserName=3?s hostProcess=4?b
core.WorkloadReference name=1s podGroup=2s podGroupReplicaKey=3s
`;
