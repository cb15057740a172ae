import type { ContainerHost } from './containerRun.ts';

/** The time that a pod may be active for. */
export interface Deadline {
  /** `seconds` after `startTime`, both as the pod says them; without either there is none yet. */
  watch(seconds: number | undefined, startTime: string | undefined): void;
  cancel(): void;
}

export function createDeadline(host: Pick<ContainerHost, 'now' | 'later'>, exceeded: () => void): Deadline {
  let watched: { at: number; cancel: () => void } | undefined;
  return {
    watch(seconds, startTime) {
      if (seconds === undefined || startTime === undefined) return;
      const at = Date.parse(startTime) + seconds * 1000;
      if (watched?.at === at) return;
      watched?.cancel();
      watched = { at, cancel: host.later(Math.max(0, at - host.now()), exceeded) };
    },
    cancel: () => watched?.cancel(),
  };
}
