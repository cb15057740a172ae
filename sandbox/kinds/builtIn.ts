import { groupResource } from '../api/errors.ts';
import type { Conversion, ResourceType, ScalePaths, ServedVersion } from '../api/registry.ts';
import { autoscalerConversion } from './autoscalerVersions.ts';
import { eventConversion } from './eventVersions.ts';
import { kindRules } from './rules.ts';
import { shapeOf } from './shapes.ts';

/**
 * Group and version, plural, kind, short names, marks: c cluster-scoped, s status, g generation, r scale, a and x
 * for the categories `all` and `api-extensions`; `-` for none.
 */
const rows = `
v1 configmaps ConfigMap cm -
v1 endpoints Endpoints ep -
v1 events Event ev -
v1 limitranges LimitRange limits -
v1 namespaces Namespace ns cs
v1 nodes Node no cs
v1 persistentvolumeclaims PersistentVolumeClaim pvc s
v1 persistentvolumes PersistentVolume pv cs
v1 pods Pod po sga
v1 podtemplates PodTemplate - g
v1 replicationcontrollers ReplicationController rc sgra
v1 resourcequotas ResourceQuota quota s
v1 secrets Secret - -
v1 serviceaccounts ServiceAccount sa -
v1 services Service svc sa
admissionregistration.k8s.io/v1 mutatingwebhookconfigurations MutatingWebhookConfiguration - cgx
admissionregistration.k8s.io/v1 validatingadmissionpolicies ValidatingAdmissionPolicy - csgx
admissionregistration.k8s.io/v1 validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding - cgx
admissionregistration.k8s.io/v1 validatingwebhookconfigurations ValidatingWebhookConfiguration - cgx
apiregistration.k8s.io/v1 apiservices APIService - csx
apps/v1 controllerrevisions ControllerRevision - -
apps/v1 daemonsets DaemonSet ds sga
apps/v1 deployments Deployment deploy sgra
apps/v1 replicasets ReplicaSet rs sgra
apps/v1 statefulsets StatefulSet sts sgra
autoscaling/v2 horizontalpodautoscalers HorizontalPodAutoscaler hpa sa
batch/v1 cronjobs CronJob cj sga
batch/v1 jobs Job - sga
certificates.k8s.io/v1 certificatesigningrequests CertificateSigningRequest csr cs
coordination.k8s.io/v1 leases Lease - -
events.k8s.io/v1 events Event ev -
discovery.k8s.io/v1 endpointslices EndpointSlice - g
flowcontrol.apiserver.k8s.io/v1 flowschemas FlowSchema - csg
flowcontrol.apiserver.k8s.io/v1 prioritylevelconfigurations PriorityLevelConfiguration - csg
networking.k8s.io/v1 ipaddresses IPAddress ip c
networking.k8s.io/v1 servicecidrs ServiceCIDR - cs
networking.k8s.io/v1 ingressclasses IngressClass - cg
networking.k8s.io/v1 ingresses Ingress ing sg
networking.k8s.io/v1 networkpolicies NetworkPolicy netpol g
node.k8s.io/v1 runtimeclasses RuntimeClass - c
policy/v1 poddisruptionbudgets PodDisruptionBudget pdb sg
rbac.authorization.k8s.io/v1 clusterrolebindings ClusterRoleBinding - c
rbac.authorization.k8s.io/v1 clusterroles ClusterRole - c
rbac.authorization.k8s.io/v1 rolebindings RoleBinding - -
rbac.authorization.k8s.io/v1 roles Role - -
scheduling.k8s.io/v1 priorityclasses PriorityClass pc cg
storage.k8s.io/v1 csidrivers CSIDriver - c
storage.k8s.io/v1 csinodes CSINode - c
storage.k8s.io/v1 csistoragecapacities CSIStorageCapacity - -
storage.k8s.io/v1 storageclasses StorageClass sc c
storage.k8s.io/v1 volumeattachments VolumeAttachment - cs
apiextensions.k8s.io/v1 customresourcedefinitions CustomResourceDefinition crd,crds csgx
`;

/** The kinds that a server has only where it is asked for them. */
const mutatingPolicyRows = `
admissionregistration.k8s.io/v1beta1 mutatingadmissionpolicies MutatingAdmissionPolicy - cgx
admissionregistration.k8s.io/v1beta1 mutatingadmissionpolicybindings MutatingAdmissionPolicyBinding - cgx
`;

const nativeScale: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
};

function builtIn(row: string): ResourceType {
  const [groupVersion = '', plural = '', kind = '', shortNames = '-', marks = ''] = row.split(' ');
  const [version = '', group = ''] = groupVersion.split('/').reverse();
  const id = groupResource({ group, plural });
  const schema = shapeOf(group, version, kind);
  return {
    id,
    group,
    kind,
    plural,
    singular: kind.toLowerCase(),
    shortNames: shortNames === '-' ? [] : shortNames.split(','),
    categories: [...(marks.includes('a') ? ['all'] : []), ...(marks.includes('x') ? ['api-extensions'] : [])],
    namespaced: !marks.includes('c'),
    storageVersion: version,
    versions: new Map([
      [
        version,
        {
          version,
          ...(schema === undefined ? {} : { schema }),
          hasStatus: marks.includes('s'),
          ...(marks.includes('r') ? { scale: nativeScale } : {}),
        },
      ],
    ]),
    custom: false,
    tracksGeneration: marks.includes('g'),
    rules: kindRules[id] ?? {},
  };
}

/** A served version of a kind that is stored in another version. */
function converted(type: ResourceType, version: string, conversion: Conversion): ServedVersion {
  const schema = shapeOf(type.group, version, type.kind);
  const hasStatus = [...type.versions.values()].some((each) => each.hasStatus);
  return { version, conversion, hasStatus, ...(schema === undefined ? {} : { schema }) };
}

/** The built-in kinds; `mutatingPolicies`: with those of MutatingAdmissionPolicies. */
export function builtInTypes({ mutatingPolicies = false } = {}): ResourceType[] {
  const all = mutatingPolicies ? rows.trimEnd() + mutatingPolicyRows : rows;
  const types = new Map(
    all
      .trim()
      .split('\n')
      .map(builtIn)
      .map((type) => [groupResource(type), type]),
  );
  const autoscalers = types.get('horizontalpodautoscalers.autoscaling');
  const events = types.get('events');
  const newEvents = types.get('events.events.k8s.io');
  if (autoscalers !== undefined)
    types.set(autoscalers.id, {
      ...autoscalers,
      versions: new Map([
        ...autoscalers.versions,
        ['v1', converted(autoscalers, 'v1', autoscalerConversion)],
      ]),
    });
  if (events !== undefined && newEvents !== undefined) {
    types.set('events.events.k8s.io', {
      ...newEvents,
      id: events.id,
      storedAs: 'v1',
      versions: new Map([['v1', converted(newEvents, 'v1', eventConversion)]]),
    });
  }
  return [...types.values()];
}
