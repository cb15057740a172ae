import { type Call, intercepting, isWrite } from 'kruise-sandbox';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../runtime/runtime.ts';

/** How long the server takes to answer a write, milliseconds. */
export const ANSWER_MS = 40;
/** Between the end of a process and the start of the next, milliseconds. */
const AWAY_MS = 5_000;

export interface Stops {
  calls: number;
  /** Writes that were sent after `stop()` was called, as texts. */
  sentAfterStop: string[];
  /** Milliseconds that `stop()` took, and its result. */
  took: number;
  rested: boolean | undefined;
  /** Writes without a response when `stop()` had returned. */
  open: number;
}

export const noStops = (): Stops => ({
  calls: 0,
  sentAfterStop: [],
  took: -1,
  rested: undefined,
  open: -1,
});

/** A runtime that is stopped while its k-th write is in flight, and another one that starts afterwards. */
export function stoppedAt(options: RuntimeOptions, k: number, stops: Stops): { start(): void; stop(): void } {
  const { clock, cluster } = options;
  let open = 0;
  let stopping = false;
  let present: Runtime | undefined;
  const begin = (): void => {
    present = createRuntime({
      ...options,
      cluster: intercepting(cluster, {
        async request(call: Call, send) {
          if (!isWrite(call)) return send();
          if (stopping) stops.sentAfterStop.push(`${call.verb} ${call.name}`);
          stops.calls += 1;
          open += 1;
          if (stops.calls === k) clock.after(ANSWER_MS / 2, stop);
          await new Promise<void>((resolve) => {
            clock.after(ANSWER_MS, resolve);
          });
          try {
            return await send();
          } finally {
            open -= 1;
          }
        },
        watch: (_call, opened, sink) => opened(sink),
      }),
    });
    present.start();
  };
  const stop = (): void => {
    const startedAt = clock.now();
    stopping = true;
    void present?.stop().then((rested) => {
      Object.assign(stops, { took: clock.now() - startedAt, rested, open });
      stopping = false;
      clock.after(AWAY_MS, begin);
    });
  };
  return { start: begin, stop: () => void present?.stop() };
}
