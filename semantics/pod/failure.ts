import type { Pod } from './types.ts';

/** The reason of a container that was not there any more when its kubelet ended the pod: it may never have begun. */
export const LOST_REASON = 'ContainerStatusUnknown';

/** Why a pod has failed: its own reason, or the exit code of the first container that has one; undefined: it has not failed. */
export function failureOf({ status = {} }: Pod): string | undefined {
  if (status.phase !== 'Failed') return undefined;
  const reason = status['reason'];
  if (typeof reason === 'string' && reason !== '') return reason;
  for (const each of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
    const { terminated } = (each['state'] ?? {}) as { terminated?: { exitCode?: number } };
    const { exitCode = 0 } = terminated ?? {};
    if (exitCode !== 0) return `${each.name} exited with code ${exitCode}`;
  }
  return 'its phase is Failed';
}
