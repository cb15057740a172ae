import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { heldEventDraft, heldEvent, reportDelayMs } from '../../semantics/plan/held-condition.ts';
import { sendEvents } from './events.ts';
import { heldSince } from './snapshot.ts';

/** The Events that a target is held. */
export interface HeldEvents {
  /**
   * Sends the Event that a target is held, after its status shows the reason: the status prevents a second Event. The
   * Event of a reason that often ends by itself is delayed (`reportDelayMs`).
   *
   * @param isPublished the status was written just now, and shows the reason
   * @returns when to reconcile again, milliseconds since 1970; undefined: no Event is delayed
   */
  report(
    target: KubeObject,
    held: { reason: string; message: string } | undefined,
    isPublished: boolean,
  ): Promise<number | undefined>;
}

export function createHeldEvents(cluster: Cluster, clock: Clock): HeldEvents {
  /** When the delayed Event is due. */
  let dueAt: number | undefined;
  return {
    async report(target, held, isPublished) {
      const waitMs = held === undefined ? 0 : reportDelayMs(held.reason);
      if (held === undefined || waitMs === 0) dueAt = undefined;
      if (held === undefined) return undefined;
      const now = clock.now();
      const event = heldEvent(target, held);
      // A runtime started within the delay sends the Event of its predecessor; one started later takes it for sent.
      const at = waitMs === 0 ? now : (dueAt ?? heldSince(target, held.reason, now) + waitMs);
      if (at > now) {
        dueAt = at;
        return at;
      }
      // If the status showed the reason before, only a delayed Event is still to be sent.
      if (event === undefined ? dueAt === undefined : !isPublished) return undefined;
      dueAt = undefined;
      await sendEvents(cluster, target, [heldEventDraft(held)], now);
      return undefined;
    },
  };
}
