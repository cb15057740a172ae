import type { TableRows } from './table-rows.ts';

/** Table rows of nodes, volumes, configuration, Events and roles. */
export const otherKinds: TableRows = {
  configmaps: [['data', { data: { a: 'b', c: 'd' }, binaryData: { x: 'aGk=' } }, 'data | 3 | 10m']],
  secrets: [['sec', { data: { a: 'b', c: 'd' } }, 'sec |  | 2 | 10m']],
  nodes: [
    [
      'kt-node',
      {
        metadata: {
          labels: {
            'node-role.kubernetes.io/worker': '',
            'node-role.kubernetes.io/control-plane': '',
            'kubernetes.io/role': 'infra',
          },
        },
        spec: { unschedulable: true },
        status: {
          conditions: [{ type: 'Ready', status: 'True' }],
          addresses: [
            { type: 'InternalIP', address: '10.1.1.1' },
            { type: 'Hostname', address: 'x' },
          ],
          nodeInfo: {
            kubeletVersion: 'v1.35.4',
            osImage: 'Debian',
            kernelVersion: '6.1',
            containerRuntimeVersion: 'containerd://2',
            architecture: 'amd64',
            bootID: 'x',
            machineID: 'x',
            systemUUID: 'x',
            kubeProxyVersion: '',
            operatingSystem: 'linux',
          },
        },
      },
      'kt-node | Ready,SchedulingDisabled | control-plane,infra,worker | 10m | v1.35.4 | 10.1.1.1 | <none> | Debian | 6.1 | containerd://2',
    ],
    [
      'kt-node2',
      {},
      'kt-node2 | Unknown | <none> | 10m |  | <none> | <none> | <unknown> | <unknown> | <unknown>',
    ],
    [
      'kt-node3',
      {
        metadata: { labels: { 'node-role.kubernetes.io/': '' } },
        status: {
          conditions: [{ type: 'Ready', status: 'False' }],
          addresses: [{ type: 'ExternalIP', address: '1.1.1.1' }],
        },
      },
      'kt-node3 | NotReady | <none> | 10m |  | <none> | 1.1.1.1 | <unknown> | <unknown> | <unknown>',
    ],
  ],
  persistentvolumeclaims: [
    [
      'c1',
      { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      'c1 |  |  |  |  |  | <unset> | 10m | <unset>',
    ],
    [
      'c2',
      {
        spec: {
          accessModes: ['ReadWriteMany', 'ReadWriteOnce', 'ReadOnlyMany'],
          volumeMode: 'Block',
          storageClassName: 'fast',
          volumeName: 'v1',
          resources: { requests: { storage: '1Gi' } },
        },
        status: {
          phase: 'Bound',
          accessModes: ['ReadWriteMany', 'ReadWriteOnce', 'ReadOnlyMany'],
          capacity: { storage: '2Gi' },
        },
      },
      'c2 | Bound | v1 | 2Gi | RWO,ROX,RWX | fast | <unset> | 10m | Block',
    ],
    [
      'c3',
      {
        metadata: { deletionTimestamp: '2026-11-21T21:55:00Z' },
        spec: {
          accessModes: ['ReadWriteOncePod'],
          storageClassName: '',
          volumeName: 'v2',
          resources: { requests: { storage: '1Gi' } },
        },
      },
      'c3 | Terminating | v2 | 0 |  |  | <unset> | 10m | <unset>',
    ],
  ],
  persistentvolumes: [
    [
      'kt-v1',
      {
        spec: {
          accessModes: ['ReadWriteOncePod'],
          capacity: { storage: '1024Mi' },
          storageClassName: 'fast',
          hostPath: { path: '/x' },
          claimRef: { namespace: 'q', name: 'w' },
        },
      },
      'kt-v1 | 1024Mi | RWOP |  |  | q/w | fast | <unset> |  | 10m | <unset>',
    ],
    [
      'kt-v2',
      {
        metadata: { deletionTimestamp: '2026-11-21T21:55:00Z' },
        spec: {
          accessModes: ['ReadOnlyMany'],
          capacity: { storage: '1Gi' },
          persistentVolumeReclaimPolicy: 'Delete',
          hostPath: { path: '/x' },
        },
      },
      'kt-v2 | 1Gi | ROX | Delete | Terminating |  |  | <unset> |  | 10m | <unset>',
    ],
    [
      'kt-v3',
      {
        spec: {
          accessModes: ['ReadWriteOnce'],
          volumeMode: 'Block',
          volumeAttributesClassName: 'vac',
          capacity: { storage: '1073741825' },
          csi: { driver: 'a', volumeHandle: 'h' },
        },
      },
      'kt-v3 | 1073741825 | RWO |  |  |  |  | vac |  | 10m | Block',
    ],
  ],
  'storageclasses.storage.k8s.io': [
    [
      'kt-sc',
      {
        metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
        provisioner: 'a/b',
      },
      'kt-sc (default) | a/b | Delete | Immediate | false | 10m',
    ],
    [
      'kt-sc2',
      {
        provisioner: 'a/b',
        allowVolumeExpansion: true,
        reclaimPolicy: 'Retain',
        volumeBindingMode: 'WaitForFirstConsumer',
      },
      'kt-sc2 | a/b | Retain | WaitForFirstConsumer | true | 10m',
    ],
  ],
  resourcequotas: [
    [
      'q1',
      {
        spec: {
          hard: {
            pods: '10',
            'requests.cpu': '1',
            'limits.cpu': '2',
            'limits.memory': '1Gi',
            'requests.memory': '1Gi',
            services: 5,
          },
        },
      },
      'q1 |  |  | 10m',
    ],
  ],
  limitranges: [['lr', { spec: { limits: [{ type: 'Container' }] } }, 'lr | 2026-11-21T21:50:00Z']],
  serviceaccounts: [['sa', {}, 'sa | 10m']],
  events: [
    [
      'e1',
      {
        involvedObject: {
          kind: 'Pod',
          name: 'pp',
          namespace: 'kt-tab',
          apiVersion: 'v1',
          fieldPath: 'spec.containers{a}',
        },
        reason: 'Because',
        message: '  multi\nline  ',
        type: 'Warning',
        count: 7,
        firstTimestamp: '2026-11-21T20:00:00Z',
        lastTimestamp: '2026-11-21T21:00:00Z',
        source: { component: 'comp', host: 'hosty' },
      },
      '60m | Warning | Because | pod/pp | spec.containers{a} | comp, hosty | multi\nline | 120m | 7 | e1',
    ],
    [
      'e2',
      {
        involvedObject: {
          kind: 'CloneSet',
          name: 'pp',
          namespace: 'kt-tab',
          apiVersion: 'apps.kruise.io/v1alpha1',
        },
        reason: 'Because',
        message: 'x',
        type: 'Normal',
        eventTime: '2026-11-21T21:00:00.000000Z',
        action: 'do',
        reportingComponent: 'rc',
        reportingInstance: 'ri',
        series: { count: 5, lastObservedTime: '2026-11-21T21:30:00.000000Z' },
      },
      '30m | Normal | Because | cloneset/pp |  | rc, ri | x | 60m | 5 | e2',
    ],
    [
      'e3',
      { involvedObject: { kind: 'Node', name: 'pp', namespace: 'kt-tab' } },
      '<unknown> |  |  | node/pp |  |  |  | <unknown> | 1 | e3',
    ],
  ],
  'leases.coordination.k8s.io': [
    ['l1', { spec: { holderIdentity: 'me' } }, 'l1 | me | 10m'],
    ['l2', {}, 'l2 |  | 10m'],
  ],
  'priorityclasses.scheduling.k8s.io': [
    ['kt-pc', { value: 5, globalDefault: true, preemptionPolicy: 'Never' }, 'kt-pc | 5 | true | 10m | Never'],
  ],
  'rolebindings.rbac.authorization.k8s.io': [
    [
      'rb',
      {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [
          { kind: 'User', name: 'u1', apiGroup: 'rbac.authorization.k8s.io' },
          { kind: 'User', name: 'u2', apiGroup: 'rbac.authorization.k8s.io' },
          { kind: 'Group', name: 'g1', apiGroup: 'rbac.authorization.k8s.io' },
          { kind: 'ServiceAccount', name: 's1', namespace: 'n1' },
        ],
      },
      'rb | ClusterRole/view | 10m | u1, u2 | g1 | n1/s1',
    ],
  ],
  'roles.rbac.authorization.k8s.io': [['rb', {}, 'rb | 2026-11-21T21:50:00Z']],
  'clusterrolebindings.rbac.authorization.k8s.io': [
    [
      'kt-crb',
      { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' } },
      'kt-crb | ClusterRole/view | 10m |  |  | ',
    ],
  ],
};
