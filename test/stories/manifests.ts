/** The parts of a CloneSet that the stories change; everything else stays the same from story to story. */
export interface Web {
  image?: string;
  replicas?: number;
  partition?: number | string;
  maxUnavailable?: number | string;
  maxSurge?: number | string;
  policy?: 'ReCreate' | 'InPlaceIfPossible';
  env?: string;
  labels?: Record<string, string>;
  paused?: boolean;
}

/** The manifest of CloneSet `web` in namespace `shop`. */
export function web(parts: Web = {}): string {
  const labels = { app: 'web', ...parts.labels };
  return [
    'apiVersion: apps.kruise.io/v1alpha1',
    'kind: CloneSet',
    'metadata:',
    '  name: web',
    '  namespace: shop',
    'spec:',
    `  replicas: ${parts.replicas ?? 5}`,
    '  selector:',
    '    matchLabels: {app: web}',
    '  updateStrategy:',
    `    type: ${parts.policy ?? 'InPlaceIfPossible'}`,
    `    maxUnavailable: ${parts.maxUnavailable ?? 2}`,
    ...(parts.maxSurge === undefined ? [] : [`    maxSurge: ${parts.maxSurge}`]),
    ...(parts.partition === undefined ? [] : [`    partition: ${parts.partition}`]),
    ...(parts.paused === undefined ? [] : [`    paused: ${parts.paused}`]),
    '  template:',
    '    metadata:',
    `      labels: {${Object.entries(labels)
      .map(([key, value]) => `${key}: ${value}`)
      .join(', ')}}`,
    '    spec:',
    '      containers:',
    '      - name: nginx',
    `        image: ${parts.image ?? 'nginx:1.25-alpine'}`,
    ...(parts.env === undefined
      ? []
      : ['        env:', '        - name: LOG_LEVEL', `          value: ${parts.env}`]),
    '',
  ].join('\n');
}
