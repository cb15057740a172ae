import type { PodSpec } from '../../schemas/pods/pod.ts';
import { candidateOf, misfit } from '../node/fit.ts';
import type { Node } from '../node/node.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { fullImageName } from '../values/image-name.ts';

/**
 * The nodes that pods of this spec may run on now, by name: those that fit it and are ready. A node that is not ready pulls
 * nothing, and neither does a virtual kubelet (OpenKruise image-pull, section 5).
 */
export function nodesFor(podSpec: PodSpec, nodes: readonly Node[]): Node[] {
  const candidate = candidateOf(podSpec);
  return nodes
    .filter((node) => isReady(node) && misfit(candidate, node) === undefined)
    .sort((a, b) => compareCodePoints(a.metadata.name, b.metadata.name));
}

function isReady({ metadata, status }: Node): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    metadata.labels?.['type'] !== 'virtual-kubelet' &&
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true
  );
}

/**
 * Whether a node lists all of these images. It lists fifty at most: one that is missing may be there nevertheless, and is
 * pulled once more, which costs little.
 */
export function hasImages({ status }: Node, images: readonly string[]): boolean {
  const listed = status?.images ?? [];
  return images.every((image) => {
    const full = fullImageName(image);
    return listed.some(({ names }) => names?.some((name) => name === full || name === image) === true);
  });
}
