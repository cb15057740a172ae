import type { Resource } from '../../schemas/wire/cluster.ts';
import type { StoryCluster } from './stage.ts';

export const SET = 'manifests/log.yaml';
export const DEPLOYMENT = 'manifests/web.yaml';
export const CANARY = 'manifests/web-canary.yaml';

export const DEPLOYMENTS: Resource = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};

export const WEBHOOKS: Resource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'mutatingwebhookconfigurations',
  kind: 'MutatingWebhookConfiguration',
  namespaced: false,
};

export interface LogSet {
  image?: string;
  /** Pods with the label `track: canary` come first, or no other pod is updated. */
  canary?: 'first' | 'only';
  /** How many of its pods it may make unavailable. */
  most?: number;
}

/** The SidecarSet `log`, for the pods of `app: web`. */
export function logSet({ image = 'log:1', canary, most = 2 }: LogSet = {}): string {
  return [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: SidecarSet',
    'metadata: {name: log}',
    'spec:',
    '  selector:',
    '    matchLabels: {app: web}',
    '  updateStrategy:',
    `    maxUnavailable: ${most}`,
    ...(canary === 'only' ? ['    selector: {matchLabels: {track: canary}}'] : []),
    ...(canary === 'first'
      ? [
          '    priorityStrategy:',
          '      weightPriority:',
          '      - {weight: 100, matchSelector: {matchLabels: {track: canary}}}',
        ]
      : []),
    '  containers:',
    '  - name: log',
    `    image: ${image}`,
    '    podInjectPolicy: AfterAppContainer',
    '',
  ].join('\n');
}

/** A Deployment of Kubernetes. */
export function deployment({
  name = 'web',
  replicas = 10,
  image = 'nginx:1.27-alpine',
  labels = '',
} = {}): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: shop}
spec:
  replicas: ${replicas}
  selector:
    matchLabels: {run: ${name}}
  template:
    metadata:
      labels: {app: web, run: ${name}${labels}}
    spec:
      containers:
      - {name: nginx, image: '${image}'}
`;
}

/** One pod, a soak, and the rest. */
export const waves = `steps:
- match: {kind: SidecarSet}
  batches:
  - {to: 5%}
  - {to: 100%}
  between: {soak: 10m}
`;

export const files = { 'kruise.yaml': waves, [SET]: logSet(), [DEPLOYMENT]: deployment() };

/** The label `track` of each pod with an image. */
export async function tracksWith(stage: StoryCluster, image: string): Promise<(string | undefined)[]> {
  const pods = await stage.pods();
  return pods
    .filter(({ spec }) => spec.containers.some((container) => container.image === image))
    .map(({ metadata }) => metadata.labels?.['track']);
}

/** How many pods have each image of the container `log`; `none`: they lack it. */
export async function logImages(stage: StoryCluster): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { spec } of await stage.pods()) {
    const image = spec.containers.find(({ name }) => name === 'log')?.image ?? 'none';
    counts[image] = (counts[image] ?? 0) + 1;
  }
  return counts;
}
