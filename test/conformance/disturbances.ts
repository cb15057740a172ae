import type { ApiError, Cluster } from '../../schemas/wire/cluster.ts';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../runtime/runtime.ts';
import { guarded } from '../deploy/guard.ts';
import { grant } from '../deploy/scenario.ts';
import { faulty, type Injected } from './faults.ts';
import { ACCOUNT, RUNTIME } from './ledger.ts';
import type { Disturbance, Running } from './play.ts';
import type { Scene } from './subject.ts';
import { type Call, callText, coalesced, type Fate, intercepting, isWrite, late, mortal } from './port.ts';
import { randomOf } from '../random.ts';
import { targetKey } from '../../runtime/observe/target-key.ts';

/** Between the end of a process and the start of the next, milliseconds. */
const AWAY_MS = 5_000;

/** No honest pass comes near so many calls in one instant. */
const CALLS_OF_AN_INSTANT = 400;

/** A runtime that is stopped, with an error, when it calls the API without end and without pause. */
function watched(options: RuntimeOptions, wrap: (cluster: Cluster) => Cluster): Runtime {
  const { cluster, clock } = options;
  let instant = { at: clock.now(), calls: 0 };
  const fate = (call: Call): Fate => {
    if (instant.at !== clock.now()) instant = { at: clock.now(), calls: 0 };
    instant.calls += 1;
    if (instant.calls < CALLS_OF_AN_INSTANT) return 'lives';
    options.onError?.(
      targetKey({ group: '', kind: '' }, '', ''),
      new Error(`the runtime calls without pause, the last time ${callText(call)}`),
    );
    return 'unsent';
  };
  const runtime = createRuntime({
    ...options,
    cluster: wrap(mortal(cluster, clock, fate, () => void runtime.stop())),
  });
  return runtime;
}

/** A row of runtimes, each started empty a while after the one before it met its fate. `made`: its calls so far. */
export function reborn(
  options: RuntimeOptions,
  fate: (call: Call, made: number) => Fate,
): Pick<Runtime, 'start'> & { stop(): void } {
  const { clock } = options;
  let stopped = false;
  let present: Runtime | undefined;
  const begin = (): void => {
    if (stopped) return;
    let made = 0;
    const onDeath = (): void => {
      void runtime.stop();
      clock.after(AWAY_MS, begin);
    };
    const runtime = watched(options, (cluster) =>
      mortal(cluster, clock, (call) => fate(call, ++made), onDeath),
    );
    present = runtime;
    runtime.start();
  };
  return {
    start: begin,
    stop() {
      stopped = true;
      void present?.stop();
    },
  };
}

export type Here = Pick<Scene, 'subject' | 'sandbox' | 'clock'>;

/** What a runtime is started with where nothing happens to it. */
export function optionsOf({ subject, sandbox, clock }: Here, errors: unknown[]): RuntimeOptions {
  return {
    cluster: sandbox.cluster(RUNTIME),
    clock,
    policy: 'Required',
    kinds: [subject.kind],
    onError: (_key, error) => errors.push(error),
  };
}

/** One runtime that nothing happens to; every call it makes is added to `calls`. */
export function undisturbed(calls: Call[] = []): Disturbance {
  return lives((call) => {
    calls.push(call);
    return 'lives';
  });
}

/** The runtime ends at its k-th call, the first being 1, and another starts with nothing in memory. */
export function endsAt(k: number, how: Exclude<Fate, 'lives'>): Disturbance {
  let made = 0;
  return lives(() => (++made === k ? how : 'lives'));
}

/** No runtime ever lives longer than `writes` writes: each ends right after the server did the last one. */
export function shortLived(writes: number): Disturbance {
  let written = 0;
  return lives((call, made) => {
    if (made === 1) written = 0;
    if (isWrite(call)) written += 1;
    return written === writes ? 'unanswered' : 'lives';
  });
}

function lives(fate: (call: Call, made: number) => Fate): Disturbance {
  return {
    start(here, errors) {
      const runtime = reborn(optionsOf(here, errors), fate);
      runtime.start();
      return runtime;
    },
  };
}

/** Several runtimes at once, nobody elected. To each, watch events come late by up to so many milliseconds. */
export function together(delaysMs: readonly (readonly [number, number])[], seed: number): Disturbance {
  return {
    leniencyMs: 10_000,
    start(here, errors) {
      const random = randomOf(seed);
      const runtimes = delaysMs.map(([least, most]) =>
        watched(optionsOf(here, errors), (cluster) =>
          most === 0
            ? cluster
            : late(cluster, here.clock, () => least + Math.floor(random() * (most - least))),
        ),
      );
      runtimes.forEach((runtime) => runtime.start());
      return { stop: () => runtimes.forEach((runtime) => void runtime.stop()) };
    },
  };
}

/** One runtime whose requests fail and whose watches end, as the seed draws it. */
export function faults(seed: number, injected: Injected): Disturbance {
  return {
    leniencyMs: 30_000,
    start: (here, errors) => one(here, errors, (cluster) => faulty(cluster, here.clock, seed, injected)),
  };
}

/** One runtime whose k-th write, the first being 1, is refused; nothing else happens to it. */
export function refusedAt(k: number, refusal: ApiError): Disturbance {
  let written = 0;
  return {
    leniencyMs: 10_000,
    start: (here, errors) =>
      one(here, errors, (cluster) =>
        intercepting(cluster, {
          async request(call, send) {
            if (isWrite(call) && ++written === k) throw refusal;
            return send();
          },
          watch: (_call, open, sink) => open(sink),
        }),
      ),
  };
}

/** One runtime that sees of everything that changed within so many milliseconds only what came of it. */
export function seldom(everyMs: number): Disturbance {
  return {
    leniencyMs: everyMs + 10_000,
    start: (here, errors) => one(here, errors, (cluster) => coalesced(cluster, here.clock, everyMs)),
  };
}

/** No runtime is there while somebody acts, nor for so many milliseconds after each act. */
export function absent(awayMs: number): Disturbance {
  return {
    awayMs,
    start(here, errors) {
      let present: Running | undefined = one(here, errors);
      const stop = (): void => {
        present?.stop();
        present = undefined;
      };
      return { stop, away: stop, back: () => (present ??= one(here, errors)) };
    },
  };
}

/** One runtime under the role that is installed for it; what it was refused is among the errors, too. */
export function underRole(): Disturbance {
  return {
    start(here, errors) {
      grant(here.sandbox, here.subject.roles);
      return one(here, errors, () =>
        guarded(here.sandbox, ACCOUNT, ({ verb, resource, subresource }, allowed) => {
          if (!allowed) errors.push(`refused: ${verb} ${resource} ${subresource}`);
        }),
      );
    },
  };
}

function one(here: Here, errors: unknown[], wrap: (cluster: Cluster) => Cluster = (same) => same): Running {
  const runtime = watched(optionsOf(here, errors), wrap);
  runtime.start();
  return { stop: () => void runtime.stop() };
}
