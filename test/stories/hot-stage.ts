import { containerStatus } from '../../semantics/pod/in-place.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { deployment, DEPLOYMENT, SET } from './sidecar-stage.ts';
import type { StoryCluster } from './stage.ts';

const EMPTY = 'empty:1';
const HALVES = ['mesh-1', 'mesh-2'];

/** The SidecarSet `mesh`, whose container is upgraded without a gap. */
export function meshSet(image: string): string {
  return `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: mesh}
spec:
  selector:
    matchLabels: {app: web}
  updateStrategy:
    maxUnavailable: 2
  containers:
  - name: mesh
    image: ${image}
    upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: '${EMPTY}'}
    lifecycle: {postStart: {exec: {command: [/take-over]}}}
    readinessProbe: {exec: {command: [/is-ready]}}
`;
}

/** Two pods of ten, a soak, and the rest. */
export const hotFiles = {
  'kruise.yaml': `steps:
- match: {kind: SidecarSet}
  batches: [{to: 25%}, {to: 100%}]
  between: {soak: 5m}
`,
  [SET]: meshSet('mesh:1'),
  [DEPLOYMENT]: deployment(),
};

const imageOf = ({ spec }: Pod, half: string): string =>
  spec.containers.find(({ name }) => name === half)?.image ?? '';

/** How many pods have which images in the two containers. */
export async function meshImages(stage: StoryCluster): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const pod of await stage.pods()) {
    const text = HALVES.map((half) => imageOf(pod, half)).join(' + ');
    counts[text] = (counts[text] ?? 0) + 1;
  }
  return counts;
}

/** Collects the pods in which, from now on, no container that is ready has the image of the sidecar. */
export function watchMesh(stage: StoryCluster): string[] {
  const outages: string[] = [];
  stage.world.onCommit(({ resource, object }) => {
    if (resource !== 'pods') return;
    const pod = object as Pod;
    const works = HALVES.some((half) => {
      const status = containerStatus(pod, half);
      return status?.ready === true && status.image === imageOf(pod, half) && status.image !== EMPTY;
    });
    if (!works) outages.push(pod.metadata.name);
  });
  return outages;
}
