/** Parts of a valid DaemonSet; each can be replaced. */
export interface OnNodesParts {
  apiVersion?: string;
  image?: string;
}

/** The manifest of a DaemonSet of OpenKruise, or of Kubernetes: all else is the same. */
export function onNodes({
  apiVersion = 'apps.kruise.io/v1beta1',
  image = 'log:1',
}: OnNodesParts = {}): string {
  return [
    `apiVersion: ${apiVersion}`,
    'kind: DaemonSet',
    'metadata: {name: log, namespace: shop}',
    'spec:',
    '  selector:',
    '    matchLabels: {app: log}',
    '  updateStrategy:',
    '    rollingUpdate: {maxUnavailable: 1}',
    '  template:',
    '    metadata: {labels: {app: log}}',
    '    spec:',
    '      containers:',
    `      - {name: main, image: '${image}'}`,
    '',
  ].join('\n');
}
