import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { heldEventDraft, heldEvent, reportDelayMs } from '../../semantics/plan/held.ts';
import { sendEvents } from './events.ts';
import { heldSince } from './snapshot.ts';

/** The Events that a target is held. */
export interface HeldEvents {
  /**
   * Sends the Event that a target is held, once its status shows the reason: that keeps it from being sent again, and
   * what is on record comes before talk. What may be over in a moment is waited for first.
   *
   * @param isTold its status was written, and shows the reason
   * @returns when to look again, milliseconds since 1970; undefined: nothing is waited for
   */
  report(
    target: KubeObject,
    held: { reason: string; message: string } | undefined,
    isTold: boolean,
  ): Promise<number | undefined>;
}

export function createHeldEvents(cluster: Cluster, clock: Clock): HeldEvents {
  /** When an Event is due that was held back. */
  let dueAt: number | undefined;
  return {
    async report(target, held, isTold) {
      const waitMs = held === undefined ? 0 : reportDelayMs(held.reason);
      if (held === undefined || waitMs === 0) dueAt = undefined;
      if (held === undefined) return undefined;
      const now = clock.now();
      const event = heldEvent(target, held);
      // A runtime that was started meanwhile says what the one before it did not come to say; later it takes it for said.
      const at = waitMs === 0 ? now : (dueAt ?? heldSince(target, held.reason, now) + waitMs);
      if (at > now) {
        dueAt = at;
        return at;
      }
      // Where it showed the reason before, the Event is sent only if it was held back.
      if (event === undefined ? dueAt === undefined : !isTold) return undefined;
      dueAt = undefined;
      await sendEvents(cluster, target, [heldEventDraft(held)], now);
      return undefined;
    },
  };
}
