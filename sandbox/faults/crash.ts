import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster, WatchHandle } from '../../schemas/wire/cluster.ts';
import { intercepting, type Call } from './intercept.ts';

/**
 * What happens to a process at a call: it continues (`lives`); it ends before the call is sent (`unsent`), or after the server
 * has executed it and before the response (`unanswered`); or it ends with the request in flight, which arrives later.
 */
export type Fate = 'lives' | 'unsent' | 'unanswered' | { arrivesAfterMs: number };

/**
 * The cluster of a process that may crash at any call: it gets no answer then, and later calls are never sent.
 *
 * @param fate decides what happens at a call
 * @param onCrash is called once, at the crash
 */
export function crashing(
  cluster: Cluster,
  clock: Clock,
  fate: (call: Call) => Fate,
  onCrash: () => void,
): Cluster {
  const never = new Promise<never>(() => undefined);
  const nothing: WatchHandle = { stop: () => undefined };
  let crashed = false;
  const decide = (call: Call): Fate => {
    const decided = fate(call);
    if (decided === 'lives') return decided;
    crashed = true;
    return decided;
  };
  return intercepting(cluster, {
    async request(call, send) {
      if (crashed) return never;
      const decided = decide(call);
      if (decided === 'lives') return send();
      const sent = (): void => void send().catch(() => undefined);
      if (decided === 'unanswered') sent();
      else if (decided !== 'unsent') clock.after(decided.arrivesAfterMs, sent);
      onCrash();
      return never;
    },
    watch(call, open, sink) {
      if (crashed) return nothing;
      if (decide(call) === 'lives') return open(sink);
      onCrash();
      return nothing;
    },
  });
}
