import type { KubeObject } from '../../schemas/wire/object.ts';

/** A pod with it shows a static one. */
export const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/**
 * Whether a pod only shows a static one, which runs by a file on its node: the kubelet takes no change of it from the
 * API.
 */
export function isMirror({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.annotations?.[MIRROR_ANNOTATION] !== undefined;
}
