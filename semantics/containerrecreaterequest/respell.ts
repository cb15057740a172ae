import type { ContainerStatus } from '../pod/types.ts';
import { fullImageName, imageParts, LONGEST_IMAGE, plainImageId } from '../values/image-name.ts';

/**
 * Another spelling of the image of a container, for the same content: the kubelet compares the text, and restarts the container, without
 * asking a registry (OpenKruise container-recreate-request, 12.2 (1)). It names the digest of what runs, so that a tag that has moved
 * changes nothing.
 *
 * @param image the one in the spec of the pod
 * @param generation of the pod: 1: its spec has never changed
 * @returns the other spelling, or why there is none, as a clause
 */
export function respelled(
  image: string,
  status: Pick<ContainerStatus, 'image' | 'imageID'>,
  generation: number | undefined,
): { image: string } | { refused: string } {
  const longest = Math.max(image.length, (status.image ?? '').length, (status.imageID ?? '').length);
  if (longest > LONGEST_IMAGE)
    return { refused: `the name of its image has more than ${LONGEST_IMAGE} characters` };
  const { repository, tagged, name, digest } = imageParts(image);
  // With both the tag is ignored: a name without one gets any.
  if (digest !== undefined)
    return { image: tagged === name ? `${name}:restarted@${digest}` : `${name}@${digest}` };
  if (image.includes('@')) return { refused: `its image ${image} has a digest that is not sha256` };
  const running = imageParts(plainImageId(status.imageID ?? ''));
  if (running.digest === undefined)
    return { refused: `the digest of its image is unknown: the node reports ${status.imageID ?? 'none'}` };
  if (running.repository !== repository)
    return { refused: `the node knows its image by another repository, ${running.repository}` };
  const isOfSpec = fullImageName(status.image ?? '') === fullImageName(image) || generation === 1;
  if (!isOfSpec)
    return { refused: `the node reports ${status.image ?? 'no image'} in place of its image ${image}` };
  return { image: `${image}@${running.digest}` };
}
