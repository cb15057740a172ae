/** The messages of the other groups and of the common metadata, one per line; `read.ts` describes the notation. */
export const groupMessages = `
admission.AuditAnnotation key=1s valueExpression=2s
admission.ExpressionWarning fieldRef=2s warning=3s
admission.MatchCondition name=1s expression=2s
admission.MatchResources namespaceSelector=1?:meta.LabelSelector objectSelector=2?:meta.LabelSelector resourceRules=3*:admission.NamedRuleWithOperations excludeResourceRules=4*:admission.NamedRuleWithOperations matchPolicy=7?s
admission.MutatingWebhook name=1s clientConfig=2:admission.WebhookClientConfig rules=3*:admission.RuleWithOperations failurePolicy=4?s matchPolicy=9?s namespaceSelector=5?:meta.LabelSelector objectSelector=11?:meta.LabelSelector sideEffects=6?s timeoutSeconds=7?i admissionReviewVersions=8*s reinvocationPolicy=10?s matchConditions=12*:admission.MatchCondition
admission.MutatingWebhookConfiguration metadata=1:meta.ObjectMeta webhooks=2*:admission.MutatingWebhook
admission.NamedRuleWithOperations resourceNames=1*s =2:admission.RuleWithOperations
admission.ParamKind apiVersion=1s kind=2s
admission.ParamRef name=1s namespace=2s selector=3?:meta.LabelSelector parameterNotFoundAction=4?s
admission.Rule apiGroups=1*s apiVersions=2*s resources=3*s scope=4?s
admission.RuleWithOperations operations=1*s =2:admission.Rule
admission.ServiceReference namespace=1s name=2s path=3?s port=4?i
admission.TypeChecking expressionWarnings=1*:admission.ExpressionWarning
admission.ValidatingAdmissionPolicy metadata=1:meta.ObjectMeta spec=2:admission.ValidatingAdmissionPolicySpec status=3:admission.ValidatingAdmissionPolicyStatus
admission.ValidatingAdmissionPolicyBinding metadata=1:meta.ObjectMeta spec=2:admission.ValidatingAdmissionPolicyBindingSpec
admission.ValidatingAdmissionPolicyBindingSpec policyName=1s paramRef=2?:admission.ParamRef matchResources=3?:admission.MatchResources validationActions=4*s
admission.ValidatingAdmissionPolicySpec paramKind=1?:admission.ParamKind matchConstraints=2?:admission.MatchResources validations=3*:admission.Validation failurePolicy=4?s auditAnnotations=5*:admission.AuditAnnotation matchConditions=6*:admission.MatchCondition variables=7*:admission.Variable
admission.ValidatingAdmissionPolicyStatus observedGeneration=1i typeChecking=2?:admission.TypeChecking conditions=3*:meta.Condition
admission.ValidatingWebhook name=1s clientConfig=2:admission.WebhookClientConfig rules=3*:admission.RuleWithOperations failurePolicy=4?s matchPolicy=9?s namespaceSelector=5?:meta.LabelSelector objectSelector=10?:meta.LabelSelector sideEffects=6?s timeoutSeconds=7?i admissionReviewVersions=8*s matchConditions=11*:admission.MatchCondition
admission.ValidatingWebhookConfiguration metadata=1:meta.ObjectMeta webhooks=2*:admission.ValidatingWebhook
admission.Validation expression=1s message=2s reason=3?s messageExpression=4s
admission.Variable name=1s expression=2s
admission.WebhookClientConfig url=3?s service=1?:admission.ServiceReference caBundle=2y
apiregistration.APIService metadata=1:meta.ObjectMeta spec=2:apiregistration.APIServiceSpec status=3:apiregistration.APIServiceStatus
apiregistration.APIServiceCondition type=1s status=2s lastTransitionTime=3T reason=4s message=5s
apiregistration.APIServiceSpec service=1?:apiregistration.ServiceReference group=2s version=3s insecureSkipTLSVerify=4b caBundle=5y groupPriorityMinimum=7i versionPriority=8i
apiregistration.APIServiceStatus conditions=1*:apiregistration.APIServiceCondition
apiregistration.ServiceReference namespace=1s name=2s port=3?i
apps.ControllerRevision metadata=1:meta.ObjectMeta data=2R revision=3i
apps.DaemonSet metadata=1:meta.ObjectMeta spec=2:apps.DaemonSetSpec status=3:apps.DaemonSetStatus
apps.DaemonSetCondition type=1s status=2s lastTransitionTime=3T reason=4s message=5s
apps.DaemonSetSpec selector=1?:meta.LabelSelector template=2:core.PodTemplateSpec updateStrategy=3:apps.DaemonSetUpdateStrategy minReadySeconds=4i revisionHistoryLimit=6?i
apps.DaemonSetStatus currentNumberScheduled=1i numberMisscheduled=2i desiredNumberScheduled=3i numberReady=4i observedGeneration=5i updatedNumberScheduled=6i numberAvailable=7i numberUnavailable=8i collisionCount=9?i conditions=10*:apps.DaemonSetCondition
apps.DaemonSetUpdateStrategy type=1s rollingUpdate=2?:apps.RollingUpdateDaemonSet
apps.Deployment metadata=1:meta.ObjectMeta spec=2:apps.DeploymentSpec status=3:apps.DeploymentStatus
apps.DeploymentCondition type=1s status=2s lastUpdateTime=6T lastTransitionTime=7T reason=4s message=5s
apps.DeploymentSpec replicas=1?i selector=2?:meta.LabelSelector template=3:core.PodTemplateSpec strategy=4:apps.DeploymentStrategy minReadySeconds=5i revisionHistoryLimit=6?i paused=7b progressDeadlineSeconds=9?i
apps.DeploymentStatus observedGeneration=1i replicas=2i updatedReplicas=3i readyReplicas=7i availableReplicas=4i unavailableReplicas=5i terminatingReplicas=9?i conditions=6*:apps.DeploymentCondition collisionCount=8?i
apps.DeploymentStrategy type=1s rollingUpdate=2?:apps.RollingUpdateDeployment
apps.ReplicaSet metadata=1:meta.ObjectMeta spec=2:apps.ReplicaSetSpec status=3:apps.ReplicaSetStatus
apps.ReplicaSetCondition type=1s status=2s lastTransitionTime=3T reason=4s message=5s
apps.ReplicaSetSpec replicas=1?i minReadySeconds=4i selector=2?:meta.LabelSelector template=3:core.PodTemplateSpec
apps.ReplicaSetStatus replicas=1i fullyLabeledReplicas=2i readyReplicas=4i availableReplicas=5i terminatingReplicas=7?i observedGeneration=3i conditions=6*:apps.ReplicaSetCondition
apps.RollingUpdateDaemonSet maxUnavailable=1?I maxSurge=2?I
apps.RollingUpdateDeployment maxUnavailable=1?I maxSurge=2?I
apps.RollingUpdateStatefulSetStrategy partition=1?i maxUnavailable=2?I
apps.StatefulSet metadata=1:meta.ObjectMeta spec=2:apps.StatefulSetSpec status=3:apps.StatefulSetStatus
apps.StatefulSetCondition type=1s status=2s lastTransitionTime=3T reason=4s message=5s
apps.StatefulSetOrdinals start=1i
apps.StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted=1s whenScaled=2s
apps.StatefulSetSpec replicas=1?i selector=2?:meta.LabelSelector template=3:core.PodTemplateSpec volumeClaimTemplates=4*:core.PersistentVolumeClaim serviceName=5s podManagementPolicy=6s updateStrategy=7:apps.StatefulSetUpdateStrategy revisionHistoryLimit=8?i minReadySeconds=9i persistentVolumeClaimRetentionPolicy=10?:apps.StatefulSetPersistentVolumeClaimRetentionPolicy ordinals=11?:apps.StatefulSetOrdinals
apps.StatefulSetStatus observedGeneration=1i replicas=2i readyReplicas=3i currentReplicas=4i updatedReplicas=5i currentRevision=6s updateRevision=7s collisionCount=9?i conditions=10*:apps.StatefulSetCondition availableReplicas=11i
apps.StatefulSetUpdateStrategy type=1s rollingUpdate=2?:apps.RollingUpdateStatefulSetStrategy
authentication.BoundObjectReference kind=1s apiVersion=2s name=3s uid=4s
authentication.SelfSubjectReview metadata=1:meta.ObjectMeta status=2:authentication.SelfSubjectReviewStatus
authentication.SelfSubjectReviewStatus userInfo=1:authentication.UserInfo
authentication.TokenRequest metadata=1:meta.ObjectMeta spec=2:authentication.TokenRequestSpec status=3:authentication.TokenRequestStatus
authentication.TokenRequestSpec audiences=1*s expirationSeconds=4?i boundObjectRef=3?:authentication.BoundObjectReference
authentication.TokenRequestStatus token=1s expirationTimestamp=2T
authentication.TokenReview metadata=1:meta.ObjectMeta spec=2:authentication.TokenReviewSpec status=3:authentication.TokenReviewStatus
authentication.TokenReviewSpec token=1s audiences=2*s
authentication.TokenReviewStatus authenticated=1b user=2:authentication.UserInfo audiences=4*s error=3s
authentication.UserInfo username=1s uid=2s groups=3*s extra=4%E
authorization.FieldSelectorAttributes rawSelector=1s requirements=2*:meta.FieldSelectorRequirement
authorization.LabelSelectorAttributes rawSelector=1s requirements=2*:meta.LabelSelectorRequirement
authorization.LocalSubjectAccessReview metadata=1:meta.ObjectMeta spec=2:authorization.SubjectAccessReviewSpec status=3:authorization.SubjectAccessReviewStatus
authorization.NonResourceAttributes path=1s verb=2s
authorization.NonResourceRule verbs=1*s nonResourceURLs=2*s
authorization.ResourceAttributes namespace=1s verb=2s group=3s version=4s resource=5s subresource=6s name=7s fieldSelector=8?:authorization.FieldSelectorAttributes labelSelector=9?:authorization.LabelSelectorAttributes
authorization.ResourceRule verbs=1*s apiGroups=2*s resources=3*s resourceNames=4*s
authorization.SelfSubjectAccessReview metadata=1:meta.ObjectMeta spec=2:authorization.SelfSubjectAccessReviewSpec status=3:authorization.SubjectAccessReviewStatus
authorization.SelfSubjectAccessReviewSpec resourceAttributes=1?:authorization.ResourceAttributes nonResourceAttributes=2?:authorization.NonResourceAttributes
authorization.SelfSubjectRulesReview metadata=1:meta.ObjectMeta spec=2:authorization.SelfSubjectRulesReviewSpec status=3:authorization.SubjectRulesReviewStatus
authorization.SelfSubjectRulesReviewSpec namespace=1s
authorization.SubjectAccessReview metadata=1:meta.ObjectMeta spec=2:authorization.SubjectAccessReviewSpec status=3:authorization.SubjectAccessReviewStatus
authorization.SubjectAccessReviewSpec resourceAttributes=1?:authorization.ResourceAttributes nonResourceAttributes=2?:authorization.NonResourceAttributes user=3s groups=4*s extra=5%E uid=6s
authorization.SubjectAccessReviewStatus allowed=1b denied=4b reason=2s evaluationError=3s
authorization.SubjectRulesReviewStatus resourceRules=1*:authorization.ResourceRule nonResourceRules=2*:authorization.NonResourceRule incomplete=3b evaluationError=4s
autoscaling.CrossVersionObjectReference kind=1s name=2s apiVersion=3s
autoscaling.HorizontalPodAutoscaler metadata=1:meta.ObjectMeta spec=2:autoscaling.HorizontalPodAutoscalerSpec status=3:autoscaling.HorizontalPodAutoscalerStatus
autoscaling.HorizontalPodAutoscalerSpec scaleTargetRef=1:autoscaling.CrossVersionObjectReference minReplicas=2?i maxReplicas=3i targetCPUUtilizationPercentage=4?i
autoscaling.HorizontalPodAutoscalerStatus observedGeneration=1?i lastScaleTime=2?T currentReplicas=3i desiredReplicas=4i currentCPUUtilizationPercentage=5?i
autoscaling.Scale metadata=1:meta.ObjectMeta spec=2:autoscaling.ScaleSpec status=3:autoscaling.ScaleStatus
autoscaling.ScaleSpec replicas=1i
autoscaling.ScaleStatus replicas=1i selector=2s
autoscaling2.ContainerResourceMetricSource name=1s target=2:autoscaling2.MetricTarget container=3s
autoscaling2.ContainerResourceMetricStatus name=1s current=2:autoscaling2.MetricValueStatus container=3s
autoscaling2.CrossVersionObjectReference kind=1s name=2s apiVersion=3s
autoscaling2.ExternalMetricSource metric=1:autoscaling2.MetricIdentifier target=2:autoscaling2.MetricTarget
autoscaling2.ExternalMetricStatus metric=1:autoscaling2.MetricIdentifier current=2:autoscaling2.MetricValueStatus
autoscaling2.HPAScalingPolicy type=1s value=2i periodSeconds=3i
autoscaling2.HPAScalingRules stabilizationWindowSeconds=3?i selectPolicy=1?s policies=2*:autoscaling2.HPAScalingPolicy tolerance=4?Q
autoscaling2.HorizontalPodAutoscaler metadata=1:meta.ObjectMeta spec=2:autoscaling2.HorizontalPodAutoscalerSpec status=3:autoscaling2.HorizontalPodAutoscalerStatus
autoscaling2.HorizontalPodAutoscalerBehavior scaleUp=1?:autoscaling2.HPAScalingRules scaleDown=2?:autoscaling2.HPAScalingRules
autoscaling2.HorizontalPodAutoscalerCondition type=1s status=2s lastTransitionTime=3T reason=4s message=5s
autoscaling2.HorizontalPodAutoscalerSpec scaleTargetRef=1:autoscaling2.CrossVersionObjectReference minReplicas=2?i maxReplicas=3i metrics=4*:autoscaling2.MetricSpec behavior=5?:autoscaling2.HorizontalPodAutoscalerBehavior
autoscaling2.HorizontalPodAutoscalerStatus observedGeneration=1?i lastScaleTime=2?T currentReplicas=3i desiredReplicas=4i currentMetrics=5*:autoscaling2.MetricStatus conditions=6*:autoscaling2.HorizontalPodAutoscalerCondition
autoscaling2.MetricIdentifier name=1s selector=2?:meta.LabelSelector
autoscaling2.MetricSpec type=1s object=2?:autoscaling2.ObjectMetricSource pods=3?:autoscaling2.PodsMetricSource resource=4?:autoscaling2.ResourceMetricSource containerResource=7?:autoscaling2.ContainerResourceMetricSource external=5?:autoscaling2.ExternalMetricSource
autoscaling2.MetricStatus type=1s object=2?:autoscaling2.ObjectMetricStatus pods=3?:autoscaling2.PodsMetricStatus resource=4?:autoscaling2.ResourceMetricStatus containerResource=7?:autoscaling2.ContainerResourceMetricStatus external=5?:autoscaling2.ExternalMetricStatus
autoscaling2.MetricTarget type=1s value=2?Q averageValue=3?Q averageUtilization=4?i
autoscaling2.MetricValueStatus value=1?Q averageValue=2?Q averageUtilization=3?i
autoscaling2.ObjectMetricSource describedObject=1:autoscaling2.CrossVersionObjectReference target=2:autoscaling2.MetricTarget metric=3:autoscaling2.MetricIdentifier
autoscaling2.ObjectMetricStatus metric=1:autoscaling2.MetricIdentifier current=2:autoscaling2.MetricValueStatus describedObject=3:autoscaling2.CrossVersionObjectReference
autoscaling2.PodsMetricSource metric=1:autoscaling2.MetricIdentifier target=2:autoscaling2.MetricTarget
autoscaling2.PodsMetricStatus metric=1:autoscaling2.MetricIdentifier current=2:autoscaling2.MetricValueStatus
autoscaling2.ResourceMetricSource name=1s target=2:autoscaling2.MetricTarget
autoscaling2.ResourceMetricStatus name=1s current=2:autoscaling2.MetricValueStatus
batch.CronJob metadata=1:meta.ObjectMeta spec=2:batch.CronJobSpec status=3:batch.CronJobStatus
batch.CronJobSpec schedule=1s timeZone=8?s startingDeadlineSeconds=2?i concurrencyPolicy=3s suspend=4?b jobTemplate=5:batch.JobTemplateSpec successfulJobsHistoryLimit=6?i failedJobsHistoryLimit=7?i
batch.CronJobStatus active=1*:core.ObjectReference lastScheduleTime=4?T lastSuccessfulTime=5?T
batch.Job metadata=1:meta.ObjectMeta spec=2:batch.JobSpec status=3:batch.JobStatus
batch.JobCondition type=1s status=2s lastProbeTime=3T lastTransitionTime=4T reason=5s message=6s
batch.JobSpec parallelism=1?i completions=2?i activeDeadlineSeconds=3?i podFailurePolicy=11?:batch.PodFailurePolicy successPolicy=16?:batch.SuccessPolicy backoffLimit=7?i backoffLimitPerIndex=12?i maxFailedIndexes=13?i selector=4?:meta.LabelSelector manualSelector=5?b template=6:core.PodTemplateSpec ttlSecondsAfterFinished=8?i completionMode=9?s suspend=10?b podReplacementPolicy=14?s managedBy=15?s
batch.JobStatus conditions=1*:batch.JobCondition startTime=2?T completionTime=3?T active=4i succeeded=5i failed=6i terminating=11?i completedIndexes=7s failedIndexes=10?s uncountedTerminatedPods=8?:batch.UncountedTerminatedPods ready=9?i
batch.JobTemplateSpec metadata=1:meta.ObjectMeta spec=2:batch.JobSpec
batch.PodFailurePolicy rules=1*:batch.PodFailurePolicyRule
batch.PodFailurePolicyOnExitCodesRequirement containerName=1?s operator=2s values=3*i
batch.PodFailurePolicyOnPodConditionsPattern type=1s status=2s
batch.PodFailurePolicyRule action=1s onExitCodes=2?:batch.PodFailurePolicyOnExitCodesRequirement onPodConditions=3*:batch.PodFailurePolicyOnPodConditionsPattern
batch.SuccessPolicy rules=1*:batch.SuccessPolicyRule
batch.SuccessPolicyRule succeededIndexes=1?s succeededCount=2?i
batch.UncountedTerminatedPods succeeded=1*s failed=2*s
certificates.CertificateSigningRequest metadata=1:meta.ObjectMeta spec=2:certificates.CertificateSigningRequestSpec status=3:certificates.CertificateSigningRequestStatus
certificates.CertificateSigningRequestCondition type=1s status=6s reason=2s message=3s lastUpdateTime=4T lastTransitionTime=5T
certificates.CertificateSigningRequestSpec request=1y signerName=7s expirationSeconds=8?i usages=5*s username=2s uid=3s groups=4*s extra=6%E
certificates.CertificateSigningRequestStatus conditions=1*:certificates.CertificateSigningRequestCondition certificate=2y
coordination.Lease metadata=1:meta.ObjectMeta spec=2:coordination.LeaseSpec
coordination.LeaseSpec holderIdentity=1?s leaseDurationSeconds=2?i acquireTime=3?U renewTime=4?U leaseTransitions=5?i strategy=6?s preferredHolder=7?s
discovery.Endpoint addresses=1*s conditions=2:discovery.EndpointConditions hostname=3?s targetRef=4?:core.ObjectReference deprecatedTopology=5%s nodeName=6?s zone=7?s hints=8?:discovery.EndpointHints
discovery.EndpointConditions ready=1?b serving=2?b terminating=3?b
discovery.EndpointHints forZones=1*:discovery.ForZone forNodes=2*:discovery.ForNode
discovery.EndpointPort name=1?s protocol=2?s port=3?i appProtocol=4?s
discovery.EndpointSlice metadata=1:meta.ObjectMeta addressType=4s endpoints=2*:discovery.Endpoint ports=3*:discovery.EndpointPort
discovery.ForNode name=1s
discovery.ForZone name=1s
events.Event metadata=1:meta.ObjectMeta eventTime=2U series=3?:events.EventSeries reportingController=4s reportingInstance=5s action=6s reason=7s regarding=8:core.ObjectReference related=9?:core.ObjectReference note=10s type=11s deprecatedSource=12:core.EventSource deprecatedFirstTimestamp=13T deprecatedLastTimestamp=14T deprecatedCount=15i
events.EventSeries count=1i lastObservedTime=2U
flowcontrol.ExemptPriorityLevelConfiguration nominalConcurrencyShares=1?i lendablePercent=2?i
flowcontrol.FlowDistinguisherMethod type=1s
flowcontrol.FlowSchema metadata=1:meta.ObjectMeta spec=2:flowcontrol.FlowSchemaSpec status=3:flowcontrol.FlowSchemaStatus
flowcontrol.FlowSchemaCondition type=1s status=2s lastTransitionTime=3T reason=4s message=5s
flowcontrol.FlowSchemaSpec priorityLevelConfiguration=1:flowcontrol.PriorityLevelConfigurationReference matchingPrecedence=2i distinguisherMethod=3?:flowcontrol.FlowDistinguisherMethod rules=4*:flowcontrol.PolicyRulesWithSubjects
flowcontrol.FlowSchemaStatus conditions=1*:flowcontrol.FlowSchemaCondition
flowcontrol.GroupSubject name=1s
flowcontrol.LimitResponse type=1s queuing=2?:flowcontrol.QueuingConfiguration
flowcontrol.LimitedPriorityLevelConfiguration nominalConcurrencyShares=1?i limitResponse=2:flowcontrol.LimitResponse lendablePercent=3?i borrowingLimitPercent=4?i
flowcontrol.NonResourcePolicyRule verbs=1*s nonResourceURLs=6*s
flowcontrol.PolicyRulesWithSubjects subjects=1*:flowcontrol.Subject resourceRules=2*:flowcontrol.ResourcePolicyRule nonResourceRules=3*:flowcontrol.NonResourcePolicyRule
flowcontrol.PriorityLevelConfiguration metadata=1:meta.ObjectMeta spec=2:flowcontrol.PriorityLevelConfigurationSpec status=3:flowcontrol.PriorityLevelConfigurationStatus
flowcontrol.PriorityLevelConfigurationCondition type=1s status=2s lastTransitionTime=3T reason=4s message=5s
flowcontrol.PriorityLevelConfigurationReference name=1s
flowcontrol.PriorityLevelConfigurationSpec type=1s limited=2?:flowcontrol.LimitedPriorityLevelConfiguration exempt=3?:flowcontrol.ExemptPriorityLevelConfiguration
flowcontrol.PriorityLevelConfigurationStatus conditions=1*:flowcontrol.PriorityLevelConfigurationCondition
flowcontrol.QueuingConfiguration queues=1i handSize=2i queueLengthLimit=3i
flowcontrol.ResourcePolicyRule verbs=1*s apiGroups=2*s resources=3*s clusterScope=4b namespaces=5*s
flowcontrol.ServiceAccountSubject namespace=1s name=2s
flowcontrol.Subject kind=1s user=2?:flowcontrol.UserSubject group=3?:flowcontrol.GroupSubject serviceAccount=4?:flowcontrol.ServiceAccountSubject
flowcontrol.UserSubject name=1s
meta.Condition type=1s status=2s observedGeneration=3i lastTransitionTime=4T reason=5s message=6s
meta.DeleteOptions gracePeriodSeconds=1?i preconditions=2?:meta.Preconditions orphanDependents=3?b propagationPolicy=4?s dryRun=5*s ignoreStoreReadErrorWithClusterBreakingPotential=6?b
meta.FieldSelectorRequirement key=1s operator=2s values=3*s
meta.LabelSelector matchLabels=1%s matchExpressions=2*:meta.LabelSelectorRequirement
meta.LabelSelectorRequirement key=1s operator=2s values=3*s
meta.ManagedFieldsEntry manager=1s operation=2s apiVersion=3s time=4?T fieldsType=6s fieldsV1=7?F subresource=8s
meta.ObjectMeta name=1s generateName=2s namespace=3s selfLink=4s uid=5s resourceVersion=6s generation=7i creationTimestamp=8T deletionTimestamp=9?T deletionGracePeriodSeconds=10?i labels=11%s annotations=12%s ownerReferences=13*:meta.OwnerReference finalizers=14*s managedFields=17*:meta.ManagedFieldsEntry
meta.OwnerReference apiVersion=5s kind=1s name=3s uid=4s controller=6?b blockOwnerDeletion=7?b
meta.Preconditions uid=1?s resourceVersion=2?s
networking.HTTPIngressPath path=1s pathType=3?s backend=2:networking.IngressBackend
networking.HTTPIngressRuleValue paths=1*:networking.HTTPIngressPath
networking.IPAddress metadata=1:meta.ObjectMeta spec=2:networking.IPAddressSpec
networking.IPAddressSpec parentRef=1?:networking.ParentReference
networking.IPBlock cidr=1s except=2*s
networking.Ingress metadata=1:meta.ObjectMeta spec=2:networking.IngressSpec status=3:networking.IngressStatus
networking.IngressBackend service=4?:networking.IngressServiceBackend resource=3?:core.TypedLocalObjectReference
networking.IngressClass metadata=1:meta.ObjectMeta spec=2:networking.IngressClassSpec
networking.IngressClassParametersReference apiGroup=1?s kind=2s name=3s scope=4?s namespace=5?s
networking.IngressClassSpec controller=1s parameters=2?:networking.IngressClassParametersReference
networking.IngressLoadBalancerIngress ip=1s hostname=2s ports=4*:networking.IngressPortStatus
networking.IngressLoadBalancerStatus ingress=1*:networking.IngressLoadBalancerIngress
networking.IngressPortStatus port=1i protocol=2s error=3?s
networking.IngressRule host=1s =2:networking.IngressRuleValue
networking.IngressRuleValue http=1?:networking.HTTPIngressRuleValue
networking.IngressServiceBackend name=1s port=2:networking.ServiceBackendPort
networking.IngressSpec ingressClassName=4?s defaultBackend=1?:networking.IngressBackend tls=2*:networking.IngressTLS rules=3*:networking.IngressRule
networking.IngressStatus loadBalancer=1:networking.IngressLoadBalancerStatus
networking.IngressTLS hosts=1*s secretName=2s
networking.NetworkPolicy metadata=1:meta.ObjectMeta spec=2:networking.NetworkPolicySpec
networking.NetworkPolicyEgressRule ports=1*:networking.NetworkPolicyPort to=2*:networking.NetworkPolicyPeer
networking.NetworkPolicyIngressRule ports=1*:networking.NetworkPolicyPort from=2*:networking.NetworkPolicyPeer
networking.NetworkPolicyPeer podSelector=1?:meta.LabelSelector namespaceSelector=2?:meta.LabelSelector ipBlock=3?:networking.IPBlock
networking.NetworkPolicyPort protocol=1?s port=2?I endPort=3?i
networking.NetworkPolicySpec podSelector=1:meta.LabelSelector ingress=2*:networking.NetworkPolicyIngressRule egress=3*:networking.NetworkPolicyEgressRule policyTypes=4*s
networking.ParentReference group=1s resource=2s namespace=3s name=4s
networking.ServiceBackendPort name=1s number=2i
networking.ServiceCIDR metadata=1:meta.ObjectMeta spec=2:networking.ServiceCIDRSpec status=3:networking.ServiceCIDRStatus
networking.ServiceCIDRSpec cidrs=1*s
networking.ServiceCIDRStatus conditions=1*:meta.Condition
node.Overhead podFixed=1%Q
node.RuntimeClass metadata=1:meta.ObjectMeta handler=2s overhead=3?:node.Overhead scheduling=4?:node.Scheduling
node.Scheduling nodeSelector=1%s tolerations=2*:core.Toleration
policy.Eviction metadata=1:meta.ObjectMeta deleteOptions=2?:meta.DeleteOptions
policy.PodDisruptionBudget metadata=1:meta.ObjectMeta spec=2:policy.PodDisruptionBudgetSpec status=3:policy.PodDisruptionBudgetStatus
policy.PodDisruptionBudgetSpec minAvailable=1?I selector=2?:meta.LabelSelector maxUnavailable=3?I unhealthyPodEvictionPolicy=4?s
policy.PodDisruptionBudgetStatus observedGeneration=1i disruptedPods=2%T disruptionsAllowed=3i currentHealthy=4i desiredHealthy=5i expectedPods=6i conditions=7*:meta.Condition
rbac.AggregationRule clusterRoleSelectors=1*:meta.LabelSelector
rbac.ClusterRole metadata=1:meta.ObjectMeta rules=2*:rbac.PolicyRule aggregationRule=3?:rbac.AggregationRule
rbac.ClusterRoleBinding metadata=1:meta.ObjectMeta subjects=2*:rbac.Subject roleRef=3:rbac.RoleRef
rbac.PolicyRule verbs=1*s apiGroups=2*s resources=3*s resourceNames=4*s nonResourceURLs=5*s
rbac.Role metadata=1:meta.ObjectMeta rules=2*:rbac.PolicyRule
rbac.RoleBinding metadata=1:meta.ObjectMeta subjects=2*:rbac.Subject roleRef=3:rbac.RoleRef
rbac.RoleRef apiGroup=1s kind=2s name=3s
rbac.Subject kind=1s apiGroup=2s name=3s namespace=4s
scheduling.PriorityClass metadata=1:meta.ObjectMeta value=2i globalDefault=3b description=4s preemptionPolicy=5?s
storage.CSIDriver metadata=1:meta.ObjectMeta spec=2:storage.CSIDriverSpec
storage.CSIDriverSpec attachRequired=1?b podInfoOnMount=2?b volumeLifecycleModes=3*s storageCapacity=4?b fsGroupPolicy=5?s tokenRequests=6*:storage.TokenRequest requiresRepublish=7?b seLinuxMount=8?b nodeAllocatableUpdatePeriodSeconds=9?i serviceAccountTokenInSecrets=10?b
storage.CSINode metadata=1:meta.ObjectMeta spec=2:storage.CSINodeSpec
storage.CSINodeDriver name=1s nodeID=2s topologyKeys=3*s allocatable=4?:storage.VolumeNodeResources
storage.CSINodeSpec drivers=1*:storage.CSINodeDriver
storage.CSIStorageCapacity metadata=1:meta.ObjectMeta nodeTopology=2?:meta.LabelSelector storageClassName=3s capacity=4?Q maximumVolumeSize=5?Q
storage.StorageClass metadata=1:meta.ObjectMeta provisioner=2s parameters=3%s reclaimPolicy=4?s mountOptions=5*s allowVolumeExpansion=6?b volumeBindingMode=7?s allowedTopologies=8*:core.TopologySelectorTerm
storage.TokenRequest audience=1s expirationSeconds=2?i
storage.VolumeAttachment metadata=1:meta.ObjectMeta spec=2:storage.VolumeAttachmentSpec status=3:storage.VolumeAttachmentStatus
storage.VolumeAttachmentSource persistentVolumeName=1?s inlineVolumeSpec=2?:core.PersistentVolumeSpec
storage.VolumeAttachmentSpec attacher=1s source=2:storage.VolumeAttachmentSource nodeName=3s
storage.VolumeAttachmentStatus attached=1b attachmentMetadata=2%s attachError=3?:storage.VolumeError detachError=4?:storage.VolumeError
storage.VolumeError time=1T message=2s errorCode=3?i
storage.VolumeNodeResources count=1?i
`;
