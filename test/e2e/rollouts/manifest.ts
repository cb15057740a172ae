/** The parts of the CloneSet `web` in which cases differ. */
export interface Web {
  image?: string;
  replicas?: number;
  policy?: 'Required' | 'Auto';
  type?: 'InPlaceIfPossible' | 'InPlaceOnly' | 'ReCreate';
  partition?: number | string;
  paused?: boolean;
  /** Lines of the strategy, instead of its limit of two. */
  strategy?: string[];
  env?: string;
  /** The cpu that containers request, which is resized in place. */
  cpu?: string;
  /** The storage class of a claim that each pod has; undefined: they have none. */
  storageClass?: string;
  /** What that claim requests, for which pods are recreated; undefined: 1Gi. */
  storage?: string;
  /** The field `lifecycle`, on one line. */
  lifecycle?: string;
  /** Labels of the pods besides `app`, on one line. */
  labels?: string;
}

/** The manifest of the CloneSet `web`, without a namespace: it is applied to that of its case. */
export function web({
  image = 'nginx:1.25',
  replicas = 3,
  policy = 'Required',
  type = 'InPlaceIfPossible',
  partition,
  paused,
  strategy = [],
  env,
  cpu,
  storageClass,
  storage,
  lifecycle,
  labels,
}: Web = {}): string {
  const annotations = [
    `plan.kruise.io/policy: ${policy}`,
    ...(cpu === undefined ? [] : ['plan.kruise.io/resize-in-place: "true"']),
    ...(storage === undefined ? [] : ['plan.kruise.io/recreate-for-claims: "true"']),
  ];
  return [
    'apiVersion: apps.kruise.io/v1alpha1',
    'kind: CloneSet',
    'metadata:',
    '  name: web',
    `  annotations: { ${annotations.join(', ')} }`,
    'spec:',
    `  replicas: ${replicas}`,
    '  selector: { matchLabels: { app: web } }',
    '  updateStrategy:',
    `    type: ${type}`,
    ...(strategy.length > 0 ? strategy : ['maxUnavailable: 2']).map((line) => `    ${line}`),
    ...(partition === undefined ? [] : [`    partition: ${partition}`]),
    ...(paused === undefined ? [] : [`    paused: ${paused}`]),
    ...(storageClass === undefined ? [] : claimTemplates(storageClass, storage)),
    ...(lifecycle === undefined ? [] : [`  lifecycle: ${lifecycle}`]),
    '  template:',
    `    metadata: { labels: { app: web${labels === undefined ? '' : `, ${labels}`} } }`,
    '    spec:',
    '      terminationGracePeriodSeconds: 1',
    '      containers:',
    '        - name: nginx',
    `          image: ${image}`,
    ...(cpu === undefined ? [] : [`          resources: { requests: { cpu: ${cpu} } }`]),
    ...(env === undefined
      ? []
      : ['          env:', '            - name: LEVEL', `              value: ${env}`]),
    ...(storageClass === undefined ? [] : ['          volumeMounts: [{ name: data, mountPath: /data }]']),
    '',
  ].join('\n');
}

/** A claim for each pod, as lines of the spec. */
export const claimTemplates = (storageClass: string, storage = '1Gi'): string[] => [
  '  volumeClaimTemplates:',
  '    - metadata: { name: data }',
  '      spec:',
  '        accessModes: [ReadWriteOnce]',
  `        storageClassName: ${storageClass}`,
  `        resources: { requests: { storage: ${storage} } }`,
];
