import type { Case } from './case.ts';
import type { ClusterSnapshot } from './snapshot.ts';

export const FIRST = 'nginx:1.25';
export const NEXT = 'nginx:1.27';
export const SUBSET = 'apps.kruise.io/subset-name';

/** Subset b, a person's word, and all others. */
export const bySubset = `steps:
  - match: {}
    batches: [{ to: 100%, subsets: [b] }, { to: 100% }]
    approve: [1]
`;

/** The strategy of children by the field that asks for them, as their spec has it. */
const STRATEGIES = {
  cloneSetTemplate: 'updateStrategy: { type: InPlaceIfPossible }',
  advancedStatefulSetTemplate: 'updateStrategy: { type: RollingUpdate }',
  deploymentTemplate: 'strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }',
};

export interface Parts {
  image?: string;
  replicas?: number;
  /** Default: CloneSets. */
  field?: keyof typeof STRATEGIES;
  /** How many pods of subset a the manifest keeps on the old revision. Default: it has no partitions. */
  retained?: number;
  /** Default: one pod in b, and the others in a. */
  topology?: readonly string[];
}

const BY_SIZE = ['subsets:', '  - { name: a }', '  - { name: b, replicas: 1 }'];

/** A subset whose nodes have a label, and one with room. */
export const byNodeLabel = (label: string, strategy: string): readonly string[] => [
  `scheduleStrategy: { type: Adaptive, adaptive: { ${strategy} } }`,
  'subsets:',
  '  - name: a',
  '    maxReplicas: 2',
  '    nodeSelectorTerm:',
  `      matchExpressions: [{ key: ${label}, operator: Exists }]`,
  '  - { name: b }',
];

/** The manifest of the UnitedDeployment `web`, without a namespace: two pods in a, and one in b. */
export function united({
  image = FIRST,
  replicas = 3,
  field = 'cloneSetTemplate',
  topology = BY_SIZE,
  retained,
}: Parts): string {
  return [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: UnitedDeployment',
    'metadata:',
    '  name: web',
    '  annotations: { plan.kruise.io/policy: Required }',
    'spec:',
    `  replicas: ${replicas}`,
    '  selector: { matchLabels: { app: web } }',
    ...(retained === undefined
      ? []
      : [`  updateStrategy: { manualUpdate: { partitions: { a: ${retained} } } }`]),
    '  topology:',
    ...topology.map((line) => `    ${line}`),
    '  template:',
    `    ${field}:`,
    '      spec:',
    '        selector: { matchLabels: { app: web } }',
    `        ${STRATEGIES[field]}`,
    '        template:',
    '          metadata: { labels: { app: web } }',
    '          spec:',
    '            terminationGracePeriodSeconds: 1',
    '            containers:',
    '              - name: nginx',
    `                image: ${image}`,
    '',
  ].join('\n');
}

export async function change(c: Case, parts: Parts): Promise<void> {
  await c.commit(united(parts));
  await c.sync();
}

/** Whether so many pods of each subset are there and ready, so many of all are updated, and the status says so. */
export function has(
  { targets: [target], pods }: ClusterSnapshot,
  a: number,
  b: number,
  updated = a + b,
): boolean {
  const status = target?.status ?? {};
  const countIn = (subset: string): number =>
    pods.filter(({ metadata }) => metadata.labels?.[SUBSET] === subset).length;
  return (
    status['observedGeneration'] === target?.metadata.generation &&
    status['readyReplicas'] === a + b &&
    status['updatedReadyReplicas'] === updated &&
    countIn('a') === a &&
    countIn('b') === b
  );
}
