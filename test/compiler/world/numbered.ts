/** Parts of a valid StatefulSet; each can be replaced. */
export interface NumberedParts {
  replicas?: number;
  /** Empty: left out. */
  policy?: 'OrderedReady' | 'Parallel' | '';
  serviceName?: string;
  image?: string;
  /** Name of a variable of the container. */
  env?: string;
  policyOfPods?: string;
  labels?: string;
  selector?: string;
  type?: 'RollingUpdate' | 'OnDelete';
  /** Fields of `rollingUpdate`, as in braces. */
  rolling?: string;
  /** Lines below `spec:`, indented by two. */
  spec?: string;
}

/** The manifest of a StatefulSet with ten pods, which are updated in place, three at a time. */
export function numbered({
  replicas = 10,
  policy = 'Parallel',
  serviceName = 'web',
  image = 'nginx:1.25',
  env,
  policyOfPods = 'InPlaceIfPossible',
  labels = 'app: web',
  selector = 'app: web',
  type = 'RollingUpdate',
  rolling,
  spec,
}: NumberedParts = {}): string {
  const isParallel = policy === 'Parallel';
  const fields = [
    `podUpdatePolicy: ${policyOfPods}`,
    ...(isParallel && rolling?.includes('maxUnavailable') !== true ? ['maxUnavailable: 3'] : []),
    ...(rolling === undefined ? [] : [rolling]),
  ];
  return [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: StatefulSet',
    'metadata: {name: web, namespace: shop}',
    'spec:',
    `  replicas: ${replicas}`,
    `  serviceName: ${serviceName}`,
    ...(policy === '' ? [] : [`  podManagementPolicy: ${policy}`]),
    '  selector:',
    `    matchLabels: {${selector}}`,
    '  updateStrategy:',
    `    type: ${type}`,
    ...(type === 'OnDelete' ? [] : [`    rollingUpdate: {${fields.join(', ')}}`]),
    '  template:',
    `    metadata: {labels: {${labels}}}`,
    '    spec:',
    '      readinessGates: [{conditionType: InPlaceUpdateReady}]',
    '      containers:',
    `      - {name: nginx, image: '${image}'${env === undefined ? '' : `, env: [{name: ${env}}]`}}`,
    ...(spec === undefined ? [] : [spec]),
    '',
  ].join('\n');
}
