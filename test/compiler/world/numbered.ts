/** Parts of a valid StatefulSet; each can be replaced. */
export interface NumberedParts {
  replicas?: number;
  policy?: 'OrderedReady' | 'Parallel';
  serviceName?: string;
  image?: string;
  labels?: string;
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
  labels = 'app: web',
  type = 'RollingUpdate',
  rolling,
  spec,
}: NumberedParts = {}): string {
  const isParallel = policy === 'Parallel';
  const fields = [
    'podUpdatePolicy: InPlaceIfPossible',
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
    `  podManagementPolicy: ${policy}`,
    '  selector:',
    '    matchLabels: {app: web}',
    '  updateStrategy:',
    `    type: ${type}`,
    ...(type === 'OnDelete' ? [] : [`    rollingUpdate: {${fields.join(', ')}}`]),
    '  template:',
    `    metadata: {labels: {${labels}}}`,
    '    spec:',
    '      readinessGates: [{conditionType: InPlaceUpdateReady}]',
    '      containers:',
    `      - {name: nginx, image: '${image}'}`,
    ...(spec === undefined ? [] : [spec]),
    '',
  ].join('\n');
}
