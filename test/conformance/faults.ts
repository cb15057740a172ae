import type { VirtualClock } from '../../sandbox/clock/virtual.ts';
import { ApiError, type Cluster, type WatchHandle } from '../../schemas/wire/cluster.ts';
import { intercepting, isWrite } from './port.ts';
import { randomOf } from '../random.ts';

/** What may happen to a request, and to a watch at each of its events. */
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
  /** Errors that were made here; any other is the runtime's own. */
  errors: WeakSet<object>;
  counts: Partial<Record<Fault, number>>;
}

/** Faults end after so many: what comes then must still end well. */
const MOST_FAULTS = 60;

/**
 * The cluster with faults that a seed draws: which kinds there are at all (about half of them), and how often each
 * strikes (1 to 20 of a hundred times).
 */
export function faulty(cluster: Cluster, clock: VirtualClock, seed: number, injected: Injected): Cluster {
  const random = randomOf(seed);
  const rates = new Map<Fault, number>();
  for (const fault of faultKinds) rates.set(fault, random() < 0.5 ? 0 : 0.01 + random() * 0.19);
  let left = MOST_FAULTS;
  const strikes = (fault: Fault): boolean => {
    if (random() >= (rates.get(fault) ?? 0) || left <= 0) return false;
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

  // A history that is forgotten stays so: no watch begins where the last one ended, until a list says what is there.
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
      /** In order, at once unless something before it is late. */
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
            // The transport fails, and the event with it: what the runtime knows is old until it watches again.
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
