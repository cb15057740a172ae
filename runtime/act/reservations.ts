import type { Clock } from '../../schemas/wire/clock.ts';
import type { Action } from '../../semantics/decision.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import type { TargetKey } from '../observe/target-key.ts';

/**
 * The pods that decisions are about to write, of all targets. A pod may belong to one target and be selected by others, and
 * each target waits for its own writes only. So a pod is reserved between the decision about it and the observation of its
 * write, and the other targets count it as unavailable.
 *
 * A write is bound to the version of the pod that it was decided on. While the observed pod has that version, the write may be
 * on its way. Afterwards it is observed, or has been refused as a conflict. In a new process this is empty: what the one before
 * has written is in its first lists.
 */
export interface Reservations {
  /** Reserves the pods of a decision. Those of the last decision about this target are observed, as far as they were written. */
  reserve(key: TargetKey, actions: readonly Action[]): void;
  /** The server accepted a write. */
  written(key: TargetKey, action: Action): void;
  /** A write was refused for good. */
  release(key: TargetKey, action: Action): void;
  /** Uids of those of the pods that a decision about another target is about to write. */
  among(lists: readonly (readonly Pod[])[], key: TargetKey): ReadonlySet<string>;
  /** The target is gone. */
  forget(key: TargetKey): void;
  /** How often pods were reserved. */
  readonly count: number;
}

/** The last write of a pod that one target has decided on. */
interface Reservation {
  version: string;
  isWritten: boolean;
  /** When it was decided on, by the monotonic clock. */
  at: number;
}

/** The writes of a decision are sent, and the server ends each of them, within this time: also one whose answer is lost. */
const LONGEST_MS = 120_000;

const NONE: ReadonlySet<string> = new Set();

export function createReservations(clock: Pick<Clock, 'monotonic'>): Reservations {
  /** By uid of the pod. */
  const reservations = new Map<string, Map<TargetKey, Reservation>>();
  const uids = new Map<TargetKey, Set<string>>();
  let count = 0;

  function remove(key: TargetKey, uid: string): void {
    const targets = reservations.get(uid);
    targets?.delete(key);
    if (targets?.size === 0) reservations.delete(uid);
    const own = uids.get(key);
    own?.delete(uid);
    if (own?.size === 0) uids.delete(key);
  }

  const isOver = ({ isWritten, at }: Reservation): boolean =>
    !isWritten && clock.monotonic() - at >= LONGEST_MS;

  /** Ends the reservations of the last decision, except those of writes whose result is in doubt. */
  function endLast(key: TargetKey): void {
    for (const uid of uids.get(key) ?? []) {
      const last = reservations.get(uid)?.get(key);
      if (last === undefined || last.isWritten || isOver(last)) remove(key, uid);
    }
  }

  return {
    reserve(key, actions) {
      endLast(key);
      let isAny = false;
      for (const action of actions) {
        const pod = reservedBy(action);
        if (pod === undefined) continue;
        const targets = reservations.get(pod.uid) ?? new Map<TargetKey, Reservation>();
        targets.set(key, { version: pod.version, isWritten: false, at: clock.monotonic() });
        reservations.set(pod.uid, targets);
        uids.set(key, (uids.get(key) ?? new Set()).add(pod.uid));
        isAny = true;
      }
      if (isAny) count += 1;
    },
    written(key, action) {
      const pod = reservedBy(action);
      const found = pod && reservations.get(pod.uid)?.get(key);
      if (found !== undefined) found.isWritten = true;
    },
    release(key, action) {
      const pod = reservedBy(action);
      if (pod !== undefined) remove(key, pod.uid);
    },
    among(lists, key) {
      if (reservations.size === 0) return NONE;
      const found = new Set<string>();
      for (const { metadata } of lists.flat())
        for (const [target, each] of reservations.get(metadata.uid ?? '') ?? [])
          if (target !== key && each.version === metadata.resourceVersion && !isOver(each))
            found.add(metadata.uid ?? '');
      return found;
    },
    forget(key) {
      for (const uid of uids.get(key) ?? []) remove(key, uid);
    },
    get count() {
      return count;
    },
  };
}

/** The pod that an action may take out of traffic, and the version that it was decided on; undefined: none. */
function reservedBy(action: Action): { uid: string; version: string } | undefined {
  if (action.kind !== 'Pod' || action.restoresTraffic === true) return undefined;
  if (action.do === 'create' || action.do === 'exec') return undefined;
  const { uid, resourceVersion } =
    action.do === 'delete'
      ? action
      : ((action.body['metadata'] ?? {}) as { uid?: string; resourceVersion?: string });
  return uid === undefined || resourceVersion === undefined ? undefined : { uid, version: resourceVersion };
}
