package main

import (
	"context"
	"encoding/json"
	"fmt"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

func ptr[T any](value T) *T { return &value }

// stored is one object, with the client and the path of its group.
type stored struct {
	client   rest.Interface
	resource string
	object   runtime.Object
	cluster  bool
}

func deployment(name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	port := intstr.FromString("http")
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr(int32(0)),
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Strategy: appsv1.DeploymentStrategy{RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: ptr(intstr.FromString("10%")), MaxUnavailable: ptr(intstr.FromInt32(0))}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					InitContainers: []corev1.Container{{Name: "log", Image: "log:1", RestartPolicy: ptr(corev1.ContainerRestartPolicyAlways)}},
					Containers: []corev1.Container{{
						Name: "main", Image: "nginx:1.27", Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
						ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: port}}},
						Resources:      corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("1500m"), "memory": resource.MustParse("1Gi")}},
						Env:            []corev1.EnvVar{{Name: "POD", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}}},
						VolumeMounts:   []corev1.VolumeMount{{Name: "tmp", MountPath: "/tmp"}},
					}},
					Volumes:     []corev1.Volume{{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: ptr(resource.MustParse("64Mi"))}}}},
					Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr(int64(0))}},
				},
			},
		},
	}
}

func objects(client *kubernetes.Clientset, namespace string) []stored {
	meta := metav1.ObjectMeta{Name: namespace, Labels: map[string]string{"made-by": "go-client"}}
	template := deployment("web").Spec.Template
	job := template
	job.Spec.InitContainers = nil
	job.Spec.RestartPolicy = corev1.RestartPolicyNever
	core, apps, admission := client.CoreV1().RESTClient(), client.AppsV1().RESTClient(), client.AdmissionregistrationV1().RESTClient()
	networking, storage, rbac := client.NetworkingV1().RESTClient(), client.StorageV1().RESTClient(), client.RbacV1().RESTClient()
	jobs, flow := client.BatchV1().RESTClient(), client.FlowcontrolV1().RESTClient()
	rule := admissionv1.RuleWithOperations{
		Operations: []admissionv1.OperationType{admissionv1.Create},
		Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}, Scope: ptr(admissionv1.NamespacedScope)},
	}
	nowhere := &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "nowhere"}}
	sideEffects, ignore := ptr(admissionv1.SideEffectClassNone), ptr(admissionv1.Ignore)
	service := admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Namespace: namespace, Name: "hook", Path: ptr("/mutate")}}
	reference := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "default", Namespace: namespace}}
	rules := []rbacv1.PolicyRule{{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods"}, ResourceNames: []string{"web-0"}}}
	backend := &networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "web", Port: networkingv1.ServiceBackendPort{Number: 80}}}
	return []stored{
		{core, "configmaps", &corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{"a": "", "b": "c"}, BinaryData: map[string][]byte{"raw": {0, 1, 255}}}, false},
		{core, "secrets", &corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{"key": []byte("value")}}, false},
		{core, "serviceaccounts", &corev1.ServiceAccount{ObjectMeta: meta, AutomountServiceAccountToken: ptr(false)}, false},
		{core, "limitranges", &corev1.LimitRange{ObjectMeta: meta, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypePod, Max: corev1.ResourceList{"cpu": resource.MustParse("2")}}}}}, false},
		{core, "resourcequotas", &corev1.ResourceQuota{ObjectMeta: meta, Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"requests.storage": resource.MustParse("1Ti")}}}, false},
		{core, "persistentvolumes", &corev1.PersistentVolume{ObjectMeta: meta, Spec: corev1.PersistentVolumeSpec{Capacity: corev1.ResourceList{"storage": resource.MustParse("1Gi")}, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/data"}}}}, true},
		{core, "persistentvolumeclaims", &corev1.PersistentVolumeClaim{ObjectMeta: meta, Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: ptr(""), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1Gi")}}}}, false},
		{core, "podtemplates", &corev1.PodTemplate{ObjectMeta: meta, Template: template}, false},
		{apps, "deployments", named(deployment("web"), meta), false},
		{apps, "statefulsets", &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Replicas: ptr(int32(0)), ServiceName: "web", Selector: &metav1.LabelSelector{MatchLabels: template.Labels}, Template: template, Ordinals: &appsv1.StatefulSetOrdinals{Start: 3}}}, false},
		{apps, "daemonsets", &appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: metav1.LabelSelectorOpIn, Values: []string{"web"}}}}, Template: onNoNode(template)}}, false},
		{apps, "controllerrevisions", &appsv1.ControllerRevision{ObjectMeta: meta, Revision: 7, Data: runtime.RawExtension{Raw: []byte(`{"spec":{"a":[1,2.5,null]}}`)}}, false},
		{jobs, "jobs", &batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Suspend: ptr(true), Template: job, PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{Action: batchv1.PodFailurePolicyActionFailJob, OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{1, 42}}}}}}}, false},
		{jobs, "cronjobs", &batchv1.CronJob{ObjectMeta: meta, Spec: batchv1.CronJobSpec{Schedule: "0 3 * * *", TimeZone: ptr("Etc/UTC"), Suspend: ptr(true), JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: job}}}}, false},
		{client.AutoscalingV2().RESTClient(), "horizontalpodautoscalers", &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: meta, Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MaxReplicas: 5, ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}, Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{Name: "cpu", Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: ptr(int32(60))}}}}}}, false},
		{client.PolicyV1().RESTClient(), "poddisruptionbudgets", &policyv1.PodDisruptionBudget{ObjectMeta: meta, Spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: ptr(intstr.FromString("30%")), Selector: &metav1.LabelSelector{}}}, false},
		{client.DiscoveryV1().RESTClient(), "endpointslices", &discoveryv1.EndpointSlice{ObjectMeta: meta, AddressType: discoveryv1.AddressTypeIPv4, Endpoints: []discoveryv1.Endpoint{{Addresses: []string{"10.1.2.3"}, Conditions: discoveryv1.EndpointConditions{Ready: ptr(false)}}}, Ports: []discoveryv1.EndpointPort{{Name: ptr(""), Port: ptr(int32(80))}}}, false},
		{networking, "networkpolicies", &networkingv1.NetworkPolicy{ObjectMeta: meta, Spec: networkingv1.NetworkPolicySpec{Ingress: []networkingv1.NetworkPolicyIngressRule{{From: []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8", Except: []string{"10.1.0.0/16"}}}}, Ports: []networkingv1.NetworkPolicyPort{{Port: ptr(intstr.FromInt32(80))}}}}}}, false},
		{networking, "ingresses", &networkingv1.Ingress{ObjectMeta: meta, Spec: networkingv1.IngressSpec{DefaultBackend: backend, TLS: []networkingv1.IngressTLS{{Hosts: []string{"example.com"}}}}}, false},
		{networking, "ingressclasses", &networkingv1.IngressClass{ObjectMeta: meta, Spec: networkingv1.IngressClassSpec{Controller: "example.com/controller", Parameters: &networkingv1.IngressClassParametersReference{Kind: "ConfigMap", Name: "web", Scope: ptr("Namespace"), Namespace: ptr(namespace)}}}, true},
		{rbac, "roles", &rbacv1.Role{ObjectMeta: meta, Rules: rules}, false},
		{rbac, "rolebindings", &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: reference, Subjects: subjects}, false},
		{rbac, "clusterroles", &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules}, true},
		{rbac, "clusterrolebindings", &rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: reference, Subjects: subjects}, true},
		{client.SchedulingV1().RESTClient(), "priorityclasses", &schedulingv1.PriorityClass{ObjectMeta: meta, Value: -7, PreemptionPolicy: ptr(corev1.PreemptNever)}, true},
		{client.NodeV1().RESTClient(), "runtimeclasses", &nodev1.RuntimeClass{ObjectMeta: meta, Handler: "gvisor", Overhead: &nodev1.Overhead{PodFixed: corev1.ResourceList{"memory": resource.MustParse("64Mi")}}}, true},
		{storage, "storageclasses", &storagev1.StorageClass{ObjectMeta: meta, Provisioner: "example.com/disk", Parameters: map[string]string{"type": "fast"}, AllowVolumeExpansion: ptr(true), AllowedTopologies: []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{Key: "zone", Values: []string{"a"}}}}}}, true},
		{storage, "csidrivers", &storagev1.CSIDriver{ObjectMeta: meta, Spec: storagev1.CSIDriverSpec{PodInfoOnMount: ptr(true), TokenRequests: []storagev1.TokenRequest{{Audience: "vault", ExpirationSeconds: ptr(int64(600))}}}}, true},
		{storage, "csinodes", &storagev1.CSINode{ObjectMeta: meta, Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{Name: "example.com", NodeID: "1", Allocatable: &storagev1.VolumeNodeResources{Count: ptr(int32(9))}}}}}, true},
		{storage, "volumeattachments", &storagev1.VolumeAttachment{ObjectMeta: meta, Spec: storagev1.VolumeAttachmentSpec{Attacher: "example.com", NodeName: "node-1", Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: ptr("disk")}}}, true},
		{flow, "flowschemas", &flowcontrolv1.FlowSchema{ObjectMeta: meta, Spec: flowcontrolv1.FlowSchemaSpec{MatchingPrecedence: 900, PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "global-default"}, Rules: []flowcontrolv1.PolicyRulesWithSubjects{{Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: "ann"}}}, NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{"get"}, NonResourceURLs: []string{"/healthz"}}}}}}}, true},
		{admission, "mutatingwebhookconfigurations", &admissionv1.MutatingWebhookConfiguration{ObjectMeta: meta, Webhooks: []admissionv1.MutatingWebhook{{Name: "a.example.com", ClientConfig: service, Rules: []admissionv1.RuleWithOperations{rule}, FailurePolicy: ignore, SideEffects: sideEffects, AdmissionReviewVersions: []string{"v1"}, NamespaceSelector: nowhere, ReinvocationPolicy: ptr(admissionv1.IfNeededReinvocationPolicy), MatchConditions: []admissionv1.MatchCondition{{Name: "all", Expression: "true"}}}}}, true},
		{admission, "validatingwebhookconfigurations", &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: meta, Webhooks: []admissionv1.ValidatingWebhook{{Name: "b.example.com", ClientConfig: service, Rules: []admissionv1.RuleWithOperations{rule}, FailurePolicy: ignore, SideEffects: sideEffects, AdmissionReviewVersions: []string{"v1"}, NamespaceSelector: nowhere, TimeoutSeconds: ptr(int32(3))}}}, true},
		{admission, "validatingadmissionpolicies", &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: meta, Spec: admissionv1.ValidatingAdmissionPolicySpec{MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: rule}}}, Variables: []admissionv1.Variable{{Name: "n", Expression: "1"}}, Validations: []admissionv1.Validation{{Expression: "variables.n == 1", Message: "one"}}}}, true},
		{admission, "validatingadmissionpolicybindings", &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: meta, Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: namespace, ValidationActions: []admissionv1.ValidationAction{admissionv1.Audit}, MatchResources: &admissionv1.MatchResources{NamespaceSelector: nowhere}}}, true},
	}
}

func named(d *appsv1.Deployment, meta metav1.ObjectMeta) *appsv1.Deployment {
	d.ObjectMeta = meta
	return d
}

// onNoNode keeps a controller from creating pods, which no test waits for.
func onNoNode(template corev1.PodTemplateSpec) corev1.PodTemplateSpec {
	template.Spec.NodeSelector = map[string]string{"nowhere": "yes"}
	return template
}

// storeAll creates each object, updates it, prints it as it is stored, and deletes it.
func storeAll(ctx context.Context, client *kubernetes.Clientset, namespace string) {
	fmt.Println("# Objects of the built-in kinds, created and updated with protobuf bodies")
	for _, each := range objects(client, namespace) {
		name := func(request *rest.Request) *rest.Request {
			return request.NamespaceIfScoped(namespace, !each.cluster).Resource(each.resource)
		}
		created := each.object.DeepCopyObject()
		must("create "+each.resource, name(each.client.Post()).Body(each.object).Do(ctx).Into(created))
		accessor := created.(metav1.Object)
		// A controller may have written its status in between.
		must("update "+each.resource, retry.RetryOnConflict(retry.DefaultRetry, func() error {
			if err := name(each.client.Get()).Name(namespace).Do(ctx).Into(created); err != nil {
				return err
			}
			accessor.SetLabels(map[string]string{"made-by": "go-client", "updated": "yes"})
			return name(each.client.Put()).Name(namespace).Body(created).Do(ctx).Into(created)
		}))
		fmt.Printf("%s: %s\n", each.resource, textOf(created))
		options := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr(accessor.GetUID())}, PropagationPolicy: ptr(metav1.DeletePropagationBackground)}
		must("delete "+each.resource, name(each.client.Delete()).Name(namespace).Body(&options).Do(ctx).Error())
	}
}

// textOf is the object without what varies.
func textOf(object runtime.Object) string {
	kinds, _, err := scheme.Scheme.ObjectKinds(object)
	must("find the kind", err)
	bytes, err := json.Marshal(object)
	must("marshal", err)
	fields := map[string]interface{}{}
	must("unmarshal", json.Unmarshal(bytes, &fields))
	labels := fields["metadata"].(map[string]interface{})["labels"]
	delete(fields, "metadata")
	delete(fields, "status")
	fields["kind"], fields["labels"] = kinds[0].Kind, labels
	text, err := json.Marshal(fields)
	must("marshal", err)
	return string(text)
}

// reviewAll asks what is not stored.
func reviewAll(ctx context.Context, client *kubernetes.Clientset, namespace string) {
	fmt.Println("\n# Reviews")
	review, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User: "ann", Groups: []string{"system:masters"}, Extra: map[string]authorizationv1.ExtraValue{"team": {"a", "b"}},
			ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "delete", Resource: "pods", Namespace: namespace},
		},
	}, metav1.CreateOptions{})
	must("review access", err)
	fmt.Printf("ann of system:masters may delete pods: %t (extra %v)\n", review.Status.Allowed, review.Spec.Extra["team"])
	token, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, "default",
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr(int64(3600))}}, metav1.CreateOptions{})
	fmt.Printf("a token for an hour: %t\n", err == nil && token.Status.Token != "" && *token.Spec.ExpirationSeconds == 3600)
}
