import { type Call, intercepting, type VirtualClock } from 'kruise-sandbox';
import type { Cluster, WatchSink } from '../../schemas/wire/cluster.ts';

/** When nothing is observed any more, and how long. */
export interface Blindness {
  /** Whether it begins some time after this call. */
  begins(call: Call): boolean;
  /** From that call to the end of all watches, milliseconds. */
  afterMs: number;
  /** How long nothing can be watched or listed, milliseconds. */
  forMs: number;
  /** The error of watches and lists. */
  lost: Error;
}

/** A cluster whose watches end once, and that can neither be watched nor listed for a while. */
export function blinded(
  cluster: Cluster,
  clock: Pick<VirtualClock, 'now' | 'after'>,
  { begins, afterMs, forMs, lost }: Blindness,
): Cluster {
  const open = new Set<WatchSink>();
  let seesFrom = -Infinity;
  let isOver = false;
  const goBlind = (): void => {
    seesFrom = clock.now() + forMs;
    for (const sink of open) {
      open.delete(sink);
      sink.onEnd(lost);
    }
  };
  return intercepting(cluster, {
    async request(call, send) {
      if (call.verb === 'list' && clock.now() < seesFrom) throw lost;
      if (!isOver && begins(call)) {
        isOver = true;
        clock.after(afterMs, goBlind);
      }
      return send();
    },
    watch(_call, begin, sink) {
      if (clock.now() < seesFrom) {
        const cancel = clock.after(0, () => sink.onEnd(lost));
        return { stop: cancel };
      }
      open.add(sink);
      const handle = begin({
        onOpen: () => sink.onOpen?.(),
        onEvent: (event) => open.has(sink) && sink.onEvent(event),
        onEnd: (error) => open.delete(sink) && sink.onEnd(error),
      });
      return {
        stop() {
          open.delete(sink);
          handle.stop();
        },
      };
    },
  });
}
