/** The parts of a CloneSet that differ between stories. */
export interface Web {
  name?: string;
  image?: string;
  replicas?: number;
  partition?: number | string;
  maxUnavailable?: number | string;
  maxSurge?: number | string;
  policy?: 'ReCreate' | 'InPlaceIfPossible';
  /** In v1beta1, without a window. */
  onDelete?: true;
  env?: string;
  labels?: Record<string, string>;
  paused?: boolean;
  /** A readiness gate of the user. */
  gate?: string;
  /** Resource requests of each pod. */
  cpu?: string;
  /** Changed requests are resized in place. */
  resizes?: true;
  /** The storage size of each pod's claim. */
  storage?: string;
  /** Claims are not reused. */
  reuse?: false;
  /** Hooks, as a flow mapping. */
  lifecycle?: string;
  /** Seconds until its rollout fails. */
  deadline?: number;
}

/** The manifest of CloneSet `web`, or of one with another name, in namespace `shop`. */
export function web(parts: Web = {}): string {
  const name = parts.name ?? 'web';
  const labels = { app: name, ...parts.labels };
  return [
    `apiVersion: apps.kruise.io/${parts.onDelete ? 'v1beta1' : 'v1alpha1'}`,
    'kind: CloneSet',
    'metadata:',
    `  name: ${name}`,
    '  namespace: shop',
    ...(parts.resizes === undefined ? [] : ['  annotations: {plan.kruise.io/resize-in-place: "true"}']),
    'spec:',
    `  replicas: ${parts.replicas ?? 5}`,
    '  selector:',
    `    matchLabels: {app: ${name}}`,
    '  updateStrategy:',
    ...(parts.onDelete
      ? ['    type: OnDelete']
      : [
          `    type: ${parts.policy ?? 'InPlaceIfPossible'}`,
          `    maxUnavailable: ${parts.maxUnavailable ?? 2}`,
        ]),
    ...(parts.maxSurge === undefined ? [] : [`    maxSurge: ${parts.maxSurge}`]),
    ...(parts.partition === undefined ? [] : [`    partition: ${parts.partition}`]),
    ...(parts.paused === undefined ? [] : [`    paused: ${parts.paused}`]),
    ...(parts.storage === undefined
      ? []
      : [
          '  volumeClaimTemplates:',
          '  - metadata: {name: data}',
          `    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: ${parts.storage}}}}`,
        ]),
    ...(parts.lifecycle === undefined ? [] : [`  lifecycle: ${parts.lifecycle}`]),
    ...(parts.deadline === undefined ? [] : [`  progressDeadlineSeconds: ${parts.deadline}`]),
    ...(parts.reuse === undefined ? [] : ['  scaleStrategy: {enablePVCReuse: false}']),
    '  template:',
    '    metadata:',
    `      labels: {${Object.entries(labels)
      .map(([key, value]) => `${key}: ${value}`)
      .join(', ')}}`,
    '    spec:',
    ...(parts.gate === undefined ? [] : ['      readinessGates:', `      - conditionType: ${parts.gate}`]),
    '      containers:',
    '      - name: nginx',
    `        image: ${parts.image ?? 'nginx:1.25-alpine'}`,
    ...(parts.cpu === undefined ? [] : ['        resources:', `          requests: {cpu: ${parts.cpu}}`]),
    ...(parts.storage === undefined
      ? []
      : ['        volumeMounts:', '        - {name: data, mountPath: /data}']),
    ...(parts.env === undefined
      ? []
      : ['        env:', '        - name: LOG_LEVEL', `          value: ${parts.env}`]),
    '',
  ].join('\n');
}
