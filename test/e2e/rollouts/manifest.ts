/** The parts of the CloneSet `web` in which cases differ. */
export interface Web {
  image?: string;
  replicas?: number;
  policy?: 'Required' | 'Auto';
  type?: 'InPlaceIfPossible' | 'InPlaceOnly' | 'ReCreate';
  partition?: number | string;
  paused?: boolean;
  /** Lines of the strategy. */
  strategy?: string[];
  /** Lines of the spec. */
  spec?: string[];
  env?: string;
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
  spec = [],
  env,
}: Web = {}): string {
  return [
    'apiVersion: apps.kruise.io/v1alpha1',
    'kind: CloneSet',
    'metadata:',
    '  name: web',
    `  annotations: { plan.kruise.io/policy: ${policy} }`,
    'spec:',
    `  replicas: ${replicas}`,
    ...spec.map((line) => `  ${line}`),
    '  selector: { matchLabels: { app: web } }',
    '  updateStrategy:',
    `    type: ${type}`,
    '    maxUnavailable: 2',
    ...(partition === undefined ? [] : [`    partition: ${partition}`]),
    ...(paused === undefined ? [] : [`    paused: ${paused}`]),
    ...strategy.map((line) => `    ${line}`),
    '  template:',
    '    metadata: { labels: { app: web } }',
    '    spec:',
    '      terminationGracePeriodSeconds: 1',
    '      containers:',
    '        - name: nginx',
    `          image: ${image}`,
    ...(env === undefined
      ? []
      : ['          env:', '            - name: LEVEL', `              value: ${env}`]),
    '',
  ].join('\n');
}
