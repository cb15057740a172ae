import { requiredNode } from '../../semantics/node/affinity.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { isActive } from '../../semantics/pod/readiness.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { compareCodePoints } from '../../semantics/values/canonical-json.ts';
import type { StoryCluster } from './stage.ts';
import { MANIFEST, type Story } from './story.ts';

export const NATIVE = 'apps/v1';
export const OURS = 'apps.kruise.io/v1beta1';
export const OLD = 'log:1';
export const NEW = 'log:2';

/** The parts of a DaemonSet that differ between stories. */
export interface Agent {
  apiVersion?: typeof NATIVE | typeof OURS;
  image?: string;
  /** Fields of `rollingUpdate`, as in braces; `OnDelete`: the strategy of this name. */
  strategy?: string;
}

/** The manifest of DaemonSet `web` in namespace `shop`. */
export function agent({
  apiVersion = OURS,
  image = OLD,
  strategy = 'maxUnavailable: 1',
}: Agent = {}): string {
  return [
    `apiVersion: ${apiVersion}`,
    'kind: DaemonSet',
    'metadata:',
    '  name: web',
    '  namespace: shop',
    'spec:',
    '  selector:',
    '    matchLabels: {app: web}',
    '  updateStrategy:',
    ...(strategy === 'OnDelete' ? ['    type: OnDelete'] : [`    rollingUpdate: {${strategy}}`]),
    '  template:',
    '    metadata:',
    '      labels: {app: web}',
    '    spec:',
    '      containers:',
    '      - name: log',
    `        image: ${image}`,
    '',
  ].join('\n');
}

/** One node, a soak, and the rest. */
export const waves = `steps:
- match: {kind: DaemonSet, namespace: shop}
  batches:
  - {to: 1}
  - {to: 100%}
  between: {soak: 10m}
assume: {nodes: 5}
`;

export const files = { 'kruise.yaml': waves, [MANIFEST]: agent() };

/** Five nodes, of which `node-2` and `node-4` are those of the canary. */
export const fiveNodes: Story['prepare'] = async ({ user }) => {
  for (const name of ['node-4', 'node-5'])
    await user.create(resources.Node, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
  for (const name of ['node-2', 'node-4'])
    await user.patch(
      resources.Node,
      { name },
      { type: 'merge', body: { metadata: { labels: { pool: 'canary' } } } },
    );
};

/** The image of the pod on each node, without those that are being deleted; of several pods all images, the older first. */
export async function imagesOn(stage: StoryCluster): Promise<Record<string, string>> {
  const found = new Map<string, string[]>();
  const byAge = (await stage.pods())
    .filter(isActive)
    .sort((a, b) =>
      compareCodePoints(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''),
    );
  for (const { spec } of byAge) {
    const node = requiredNode(spec) ?? '';
    found.set(node, [...(found.get(node) ?? []), spec.containers[0]?.image ?? '']);
  }
  return Object.fromEntries([...found].map(([node, images]) => [node, images.join(', ')]));
}

/** What `imagesOn` has of these five nodes: the old image, but for those with the new one. */
export function newOn(...nodes: readonly number[]): Record<string, string> {
  return Object.fromEntries(
    [1, 2, 3, 4, 5].map((number) => [`node-${number}`, nodes.includes(number) ? NEW : OLD]),
  );
}

/** The uid and the restarts of the pod on each node. */
export async function podsOn(stage: StoryCluster): Promise<Record<string, [uid: string, restarts: number]>> {
  const rows = (await stage.pods()).map(({ metadata, spec, status }) => {
    const { restartCount = 0 } = status?.containerStatuses?.[0] ?? {};
    return [requiredNode(spec) ?? '', [metadata.uid ?? '', restartCount]] as const;
  });
  return Object.fromEntries(rows) as Record<string, [string, number]>;
}

/** Records the highest number of nodes that have two pods at a time from now on. */
export function watchDoubled(stage: StoryCluster): { most: number } {
  const nodes = new Map<string, string>();
  const doubled = { most: 0 };
  stage.world.onCommit(({ resource, type, object }) => {
    if (resource !== 'pods') return;
    const { metadata, spec } = object as Pod;
    if (type === 'DELETED') nodes.delete(metadata.uid ?? '');
    else nodes.set(metadata.uid ?? '', requiredNode(spec) ?? '');
    doubled.most = Math.max(doubled.most, nodes.size - new Set(nodes.values()).size);
  });
  return doubled;
}

/** `kubectl delete pod` of the pod on a node. */
export async function dropOn(stage: StoryCluster, node: string): Promise<void> {
  const pod = (await stage.pods()).find(({ spec }) => requiredNode(spec) === node);
  if (pod === undefined) throw new Error(`${node} has no pod`);
  const { name } = pod.metadata;
  stage.transcript.note(`kubectl delete pod ${name} -n shop, which is on ${node}`);
  await stage.user.delete(resources.Pod, { namespace: 'shop', name });
}

/** A new node joins. */
export async function join({ world, transcript, run }: StoryCluster, name: string): Promise<void> {
  transcript.note(`${name} joins`);
  world.nodes.add(name);
  await run(10_000);
}
