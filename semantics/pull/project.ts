import type { Pod } from '../pod/types.ts';

/**
 * What the rules read of a pod that pulls images, beyond what they read of any: when a kubelet has taken it up, and its own reason of an
 * end.
 *
 * @param projected the same pod as any other is cached
 */
export function projectPull({ status = {} }: Pod, projected: Pod): Pod {
  const { startTime, reason } = status;
  return {
    ...projected,
    status: {
      ...projected.status,
      ...(typeof startTime === 'string' && { startTime }),
      ...(typeof reason === 'string' && { reason }),
    },
  };
}
