/** An owner reference. */
export interface Owner {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
}

interface Meta {
  name: string;
  namespace?: string;
  owners?: Owner[];
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
}

/** What the restricted level of pod security asks for: kruise-system has it. */
const restricted = { securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } } };
const contained = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };

/** The uids of CloneSet web, AdvancedCronJob tidy and UnitedDeployment zones: the garbage collector deletes what names another. */
export interface Owners {
  web: string;
  tidy: string;
  zones: string;
}

/** The spec of a CloneSet without pods. */
export function workloadSpec(podSpec: object = {}): object {
  const labels = { app: 'zones' };
  return {
    replicas: 0,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: 'main', image: 'nginx:1' }], ...podSpec },
    },
  };
}

/** Objects in a namespace, by default controlled by CloneSet web. */
export function objectsIn(shop: string, { web: uid, tidy, zones }: Owners) {
  const owner = (parts: Partial<Owner> = {}): Owner => ({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    name: 'web',
    uid,
    controller: true,
    ...parts,
  });
  const stateful = (): Owner => owner({ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' });

  const metadata = ({ name, namespace = shop, owners = [owner()], ...more }: Meta) => ({
    name,
    namespace,
    ownerReferences: owners,
    ...more,
  });
  const revision = (meta: Meta) => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: metadata(meta),
    revision: 1,
    data: {},
  });
  const pod = (meta: Meta, spec: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadata(meta),
    spec: {
      ...restricted,
      containers: [{ name: 'main', image: 'nginx:1', securityContext: contained }],
      ...spec,
    },
  });
  /** Whose containers start in an order. */
  const launched = (meta: Meta) => {
    const configMapKeyRef = { name: `${meta.name}-barrier`, key: 'p_0' };
    const env = [{ name: 'KRUISE_CONTAINER_BARRIER', valueFrom: { configMapKeyRef } }];
    return pod(meta, {
      containers: [{ name: 'main', image: 'nginx:1', securityContext: contained, env }],
    });
  };
  /** Into which a SidecarSet has put the container `log`. */
  const selected = (meta: Meta) => {
    const image = { image: 'nginx:1', securityContext: contained };
    const env = [{ name: 'IS_INJECTED', value: 'true' }];
    const annotations = { 'kruise.io/sidecarset-injected-list': 'log' };
    return pod(
      { ...meta, annotations },
      {
        containers: [
          { name: 'main', ...image },
          { name: 'log', ...image, env },
        ],
      },
    );
  };
  const claim = (meta: Meta) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: metadata(meta),
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  /** Of nobody; as a schedule creates them with `scheduled`. */
  const run = (meta: Meta, spec: object = {}) => ({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'BroadcastJob',
    metadata: metadata(meta),
    spec: {
      template: {
        spec: {
          ...restricted,
          restartPolicy: 'Never',
          containers: [{ name: 'main', image: 'tidy:1', securityContext: contained }],
        },
      },
      ...spec,
    },
  });
  const scheduled: Partial<Meta> = {
    owners: [owner({ kind: 'AdvancedCronJob', name: 'tidy', uid: tidy })],
    annotations: { 'plan.kruise.io/waves': '[{"id":"one","run":{"to":1}}]' },
  };
  const united = owner({ kind: 'UnitedDeployment', name: 'zones', uid: zones });
  /** A CloneSet, by default a child of UnitedDeployment zones with a share. */
  const workload = (meta: Meta, spec: object = {}) => ({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: metadata({ owners: [united], annotations: { 'plan.kruise.io/share': '{"share":1}' }, ...meta }),
    spec: workloadSpec(spec),
  });
  const event = (involved: object, component = 'kruise', reason = 'Test') => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'web.1', namespace: shop },
    involvedObject: {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'CloneSet',
      name: 'web',
      namespace: shop,
      ...involved,
    },
    source: { component },
    reason,
    message: 'test',
    type: 'Normal',
  });
  const lease = (name: string) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'kruise-system' },
    spec: {},
  });

  return {
    owner,
    stateful,
    revision,
    pod,
    launched,
    selected,
    claim,
    run,
    scheduled,
    united,
    workload,
    event,
    lease,
  };
}
