import { intercepting, isWrite, type VirtualClock } from 'kruise-sandbox';
import { ApiError, type Cluster, type WatchHandle } from '../../schemas/wire/cluster.ts';
import { randomOf } from '../random.ts';

/** The faults of requests, and of watches at each of their events. */
export const faultKinds = [
  'tooMany',
  'internal',
  'lost',
  'unanswered',
  'conflict',
  'late',
  'closed',
  'broken',
  'expired',
] as const;

type Fault = (typeof faultKinds)[number];

export interface Injected {
  /** Injected errors; any other error is one of the runtime. */
  errors: WeakSet<object>;
  counts: Partial<Record<Fault, number>>;
}

/** After this many faults no more are injected, and the rollout must complete. */
const MAX_FAULTS = 60;
/** Nor after so many milliseconds: a watch that is lost at each event is opened again every half minute, also after the end. */
export const FAULTY_MS = 180_000;

/** A cluster with faults. The seed determines which kinds occur (about half of them), and how often (1 to 20 percent). */
export function faulty(
  cluster: Cluster,
  clock: Pick<VirtualClock, 'now' | 'after'>,
  seed: number,
  injected: Injected,
): Cluster {
  const random = randomOf(seed);
  const rates = new Map<Fault, number>();
  for (const fault of faultKinds) rates.set(fault, random() < 0.5 ? 0 : 0.01 + random() * 0.19);
  const until = clock.now() + FAULTY_MS;
  let left = MAX_FAULTS;
  const strikes = (fault: Fault): boolean => {
    if (random() >= (rates.get(fault) ?? 0) || left <= 0 || clock.now() >= until) return false;
    left -= 1;
    injected.counts[fault] = (injected.counts[fault] ?? 0) + 1;
    return true;
  };
  const error = <Made extends Error>(made: Made): Made => {
    injected.errors.add(made);
    return made;
  };
  const refusal = (code: number, reason: string, details?: ApiError['status']['details']): ApiError =>
    error(new ApiError({ code, reason, message: `injected ${reason}`, ...(details && { details }) }));

  // Resources with an expired history: no watch can resume until the next list.
  const forgotten = new Set<string>();

  return intercepting(cluster, {
    async request(call, send) {
      if (strikes('tooMany')) throw refusal(429, 'TooManyRequests', { retryAfterSeconds: 1 });
      if (strikes('internal')) throw refusal(500, 'InternalError');
      if (strikes('lost')) throw error(new Error('injected: connection reset'));
      if (isWrite(call) && strikes('conflict')) throw refusal(409, 'Conflict');
      if (isWrite(call) && strikes('unanswered')) {
        await send();
        throw error(new Error('injected: timeout after the write'));
      }
      if (call.verb === 'list') forgotten.delete(call.resource.plural);
      return send();
    },
    watch({ resource }, open, sink) {
      if (forgotten.has(resource.plural)) {
        const cancel = clock.after(0, () => sink.onEnd(refusal(410, 'Expired')));
        return { stop: cancel };
      }
      let over = false;
      let free = 0;
      /** Delivers in order, and at once unless an earlier event is late. */
      const deliver = (delayMs: number, run: () => void): void => {
        free = Math.max(free, clock.now() + delayMs);
        const inTime = (): void => {
          if (!over) run();
        };
        if (free === clock.now()) inTime();
        else clock.after(free - clock.now(), inTime);
      };
      const end = (reason: Error | undefined): void => {
        over = true;
        handle.stop();
        sink.onEnd(reason);
      };
      const handle: WatchHandle = open({
        onOpen: () => deliver(0, () => sink.onOpen?.()),
        onEvent(event) {
          deliver(strikes('late') ? Math.floor(500 + random() * 4_500) : 0, () => {
            if (strikes('closed')) end(undefined);
            // The connection is lost, and the event with it: caches are stale until the next watch.
            else if (strikes('broken')) end(error(new Error('injected: connection lost')));
            else if (strikes('expired')) {
              forgotten.add(resource.plural);
              end(refusal(410, 'Expired'));
            } else sink.onEvent(event);
          });
        },
        onEnd: (reason) => deliver(0, () => end(reason)),
      });
      return {
        stop() {
          over = true;
          handle.stop();
        },
      };
    },
  });
}
