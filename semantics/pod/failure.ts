import { objectOf, textOf } from '../values/read.ts';
import { visibleText } from '../values/unsafe-text.ts';
import { exitText, quoted, runEnd } from './last-failure.ts';
import type { Pod } from './types.ts';

/** The reason of a container that was not there any more when its kubelet ended the pod: it may never have begun. */
export const LOST_REASON = 'ContainerStatusUnknown';

/**
 * Why a pod has failed: its own reason, or the exit code of the first container that has one, with the words of its kubelet and of
 * the container, quoted and cut; undefined: it has not failed.
 */
export function failureOf({ status = {} }: Pod): string | undefined {
  if (status.phase !== 'Failed') return undefined;
  const reason = status['reason'];
  if (typeof reason === 'string' && reason !== '') {
    const message = textOf(status['message']).trim();
    return `${visibleText(reason)}${message === '' ? '' : `: ${quoted(message, 'start')}`}`;
  }
  for (const each of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
    const end = runEnd(objectOf(each['state'])['terminated']);
    if (end !== undefined && end.exitCode !== 0) return `${each.name} ${exitText(end)}`;
  }
  return 'its phase is Failed';
}
