import { resources } from '../../schemas/wire/resources.ts';
import type { StoryCluster } from './stage.ts';
import { MANIFEST, type Story } from './story.ts';

const ZONE = 'topology.kubernetes.io/zone';

/** A BroadcastJob `web`, which runs on every node, and ends after five seconds. */
export function job(image = 'repair:1', parallelism = 2): string {
  return `apiVersion: apps.kruise.io/v1beta1
kind: BroadcastJob
metadata:
  name: web
  namespace: shop
spec:
  parallelism: ${parallelism}
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: repair, image: "${image}"}
`;
}

/** One node, a soak, and the rest, one zone at a time. */
export const waves = `steps:
- match: {kind: BroadcastJob, namespace: shop}
  batches:
  - {to: 1}
  - {to: 100%, spread: ${ZONE}}
  between: {soak: 10m}
assume: {nodes: 3}
`;

export const files = { [MANIFEST]: job(), 'kruise.yaml': waves };

/** `node-1` and `node-3` are in zone a, `node-2` is in zone b. */
export const zones: Story['prepare'] = async ({ user }) => {
  for (const [name, zone] of [
    ['node-1', 'a'],
    ['node-2', 'b'],
    ['node-3', 'a'],
  ] as const)
    await user.patch(
      resources.Node,
      { name },
      { type: 'merge', body: { metadata: { labels: { [ZONE]: zone } } } },
    );
};

/** How the repairs of this image end. */
export function ends(stage: StoryCluster, image: string, exitCode = 0): void {
  stage.world.images.set(image, { exitAfterMs: 5_000, exitCode });
}

/** The nodes in the order in which they get a pod from now on. */
export function watchNodes(stage: StoryCluster): string[] {
  const order: string[] = [];
  stage.world.onCommit(({ resource, object, previous }) => {
    const { nodeName } = (object['spec'] ?? {}) as { nodeName?: string };
    const before = (previous?.['spec'] ?? {}) as { nodeName?: string };
    if (resource === 'pods' && nodeName !== undefined && before.nodeName === undefined) order.push(nodeName);
  });
  return order;
}

export const counts = async (stage: StoryCluster): Promise<unknown> => (await stage.target())['status'];
