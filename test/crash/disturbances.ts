import type { VirtualClock } from '../../sandbox/clock/virtual.ts';
import type { World } from '../../sandbox/world.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../runtime/runtime.ts';
import { faulty, type Injected } from './faults.ts';
import type { Disturbance } from './play.ts';
import { type Call, callText, type Fate, late, mortal } from './port.ts';
import { randomOf } from '../random.ts';
import { cloneSetKey } from '../runtime/keys.ts';

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
      cloneSetKey('', ''),
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

function optionsOf(world: World, clock: VirtualClock, errors: unknown[]): RuntimeOptions {
  return {
    cluster: world.cluster('kruise'),
    clock,
    policy: 'Required',
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

/** No runtime ever lives longer than `calls` calls: each ends right after the server did the last one. */
export function shortLived(calls: number): Disturbance {
  return lives((_call, made) => (made === calls ? 'unanswered' : 'lives'));
}

function lives(fate: (call: Call, made: number) => Fate): Disturbance {
  return {
    start(world, clock, errors) {
      const runtime = reborn(optionsOf(world, clock, errors), fate);
      runtime.start();
      return runtime;
    },
  };
}

/** Several runtimes at once, nobody elected. To each, watch events come late by up to so many milliseconds. */
export function together(delaysMs: readonly (readonly [number, number])[], seed: number): Disturbance {
  return {
    leniencyMs: 10_000,
    start(world: World, clock: VirtualClock, errors) {
      const random = randomOf(seed);
      const runtimes = delaysMs.map(([least, most]) =>
        watched(optionsOf(world, clock, errors), (cluster) =>
          most === 0 ? cluster : late(cluster, clock, () => least + Math.floor(random() * (most - least))),
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
    start(world, clock, errors) {
      const runtime = watched(optionsOf(world, clock, errors), (cluster) =>
        faulty(cluster, clock, seed, injected),
      );
      runtime.start();
      return { stop: () => void runtime.stop() };
    },
  };
}
