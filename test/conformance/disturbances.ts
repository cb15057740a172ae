import type { ApiError, Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../runtime/runtime.ts';
import {
  authorized,
  type Call,
  callText,
  coalesced,
  crashing,
  delayed,
  type Fate,
  intercepting,
  isWrite,
} from 'kruise-sandbox';
import { grant } from '../deploy/scenario.ts';
import { FAULTY_MS, faulty, type Injected } from './faults.ts';
import { ACCOUNT, RUNTIME } from './ledger.ts';
import type { Disturbance, Running } from './play.ts';
import type { Setup } from './subject.ts';
import { alone, naming } from './requests.ts';
import { randomOf } from '../random.ts';
import { targetKey } from '../../runtime/observe/target-key.ts';

/** Between the end of a process and the start of the next, milliseconds. */
const AWAY_MS = 5_000;

/** No correct runtime sends this many calls at one time. */
const CALLS_OF_AN_INSTANT = 400;

/** A runtime that is stopped, with an error, if it calls the API in an endless loop. */
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
    cluster: wrap(crashing(cluster, clock, fate, () => void runtime.stop())),
  });
  return runtime;
}

/** A series of runtimes: each starts without memory, some time after the one before has ended. `made`: its calls so far. */
export function restored(
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
      crashing(cluster, clock, (call) => fate(call, ++made), onDeath),
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

export type Here = Pick<Setup, 'subject' | 'sandbox' | 'clock'>;

/** The options of an undisturbed runtime. */
export function optionsOf({ subject, sandbox, clock }: Here, errors: unknown[]): RuntimeOptions {
  return {
    cluster: naming(sandbox.cluster(RUNTIME), errors),
    clock,
    policy: 'Required',
    kinds: [subject.kind],
    onError: (_key, error) => errors.push(error),
  };
}

/** One undisturbed runtime; every call that it makes is added to `calls`. */
export function undisturbed(calls: Call[] = []): Disturbance {
  return lives((call) => {
    calls.push(call);
    return 'lives';
  }, alone);
}

/** The runtime ends at its k-th call, the first being 1, and another starts without memory. */
export function endsAt(k: number, how: Exclude<Fate, 'lives'>): Disturbance {
  let made = 0;
  return lives(() => (++made === k ? how : 'lives'));
}

/** Every runtime ends after `writes` writes, right after the server has executed the last one. */
export function shortLived(writes: number): Disturbance {
  let written = 0;
  return lives((call, made) => {
    if (made === 1) written = 0;
    if (isWrite(call)) written += 1;
    return written === writes ? 'unanswered' : 'lives';
  });
}

function lives(
  fate: (call: Call, made: number) => Fate,
  wrap: (cluster: Cluster, errors: unknown[]) => Cluster = (same) => same,
): Disturbance {
  return {
    start(here, errors) {
      const options = optionsOf(here, errors);
      const runtime = restored({ ...options, cluster: wrap(options.cluster, errors) }, fate);
      runtime.start();
      return runtime;
    },
  };
}

type Range = readonly [least: number, most: number];

/** How late watch events come, milliseconds; `of`: those of some resources, by their plural. */
export interface Lateness {
  ms: Range;
  of?: Readonly<Record<string, Range>>;
}

/**
 * Several runtimes at once, nobody elected, one for each lateness.
 *
 * @param areNamed each has a name of its own, by which the others notice it
 */
export function together(latenesses: readonly Lateness[], seed: number, areNamed = false): Disturbance {
  return {
    leniencyMs: 10_000,
    start(here, errors) {
      const random = randomOf(seed);
      const runtimes = latenesses.map((lateness, index) => {
        const options = optionsOf(here, errors);
        const own = latenesses.length > 1 ? options.cluster : alone(options.cluster, errors);
        const named = { ...options, cluster: own, ...(areNamed && { identity: `runtime-${index}` }) };
        return watched(named, (cluster) => seenLate(cluster, here, lateness, random));
      });
      runtimes.forEach((runtime) => runtime.start());
      return { stop: () => runtimes.forEach((runtime) => void runtime.stop()) };
    },
  };
}

function seenLate(
  cluster: Cluster,
  { clock }: Here,
  { ms, of = {} }: Lateness,
  random: () => number,
): Cluster {
  if (ms[1] === 0) return cluster;
  return delayed(cluster, clock, ({ plural }) => {
    const [least, most] = of[plural] ?? ms;
    return least + Math.floor(random() * (most - least));
  });
}

/** One runtime whose requests fail and whose watches end, as the seed determines. */
export function faults(seed: number, injected: Injected): Disturbance {
  return {
    leniencyMs: 30_000,
    lastsMs: FAULTY_MS,
    start: (here, errors) => one(here, errors, (cluster) => faulty(cluster, here.clock, seed, injected)),
  };
}

/** A cluster that refuses the k-th write, the first being 1. */
export function refusingAt(cluster: Cluster, k: number, refusal: ApiError): Cluster {
  let written = 0;
  return intercepting(cluster, {
    async request(call, send) {
      if (isWrite(call) && ++written === k) throw refusal;
      return send();
    },
    watch: (_call, open, sink) => open(sink),
  });
}

/** A cluster that refuses the first try of everything that is written. `counts.refused`: how many refusals there were. */
export function refusingFirst(cluster: Cluster, refusal: ApiError, counts: { refused: number }): Cluster {
  const refused = new Set<string>();
  return intercepting(cluster, {
    async request(call, send) {
      const text = callText(call);
      // What is written to the same object the next time is its second try.
      if (!isWrite(call) || refused.delete(text)) return send();
      refused.add(text);
      counts.refused += 1;
      throw refusal;
    },
    watch: (_call, open, sink) => open(sink),
  });
}

/** One runtime whose k-th write, the first being 1, is refused; nothing else happens to it. */
export function refusedAt(k: number, refusal: ApiError): Disturbance {
  return {
    leniencyMs: 10_000,
    start: (here, errors) => one(here, errors, (cluster) => refusingAt(cluster, k, refusal)),
  };
}

/** One runtime that is refused the first try of everything it writes, and nothing else happens to it. */
export function refusedFirst(refusal: ApiError, counts: { refused: number }): Disturbance {
  return {
    leniencyMs: 10_000,
    start: (here, errors) => one(here, errors, (cluster) => refusingFirst(cluster, refusal, counts)),
  };
}

/** One runtime whose creates of these pods the server refuses, each time. */
export function refusingPods(isRefused: (pod: KubeObject) => boolean, refusal: ApiError): Disturbance {
  return {
    start: (here, errors) =>
      one(here, errors, (cluster) =>
        intercepting(cluster, {
          async request(call, send) {
            const isCreated = call.verb === 'create' && call.resource.kind === 'Pod';
            if (isCreated && isRefused(call.sends as KubeObject)) throw refusal;
            return send();
          },
          watch: (_call, open, sink) => open(sink),
        }),
      ),
  };
}

/** One runtime whose watch events are coalesced over so many milliseconds. */
export function seldom(everyMs: number): Disturbance {
  return {
    leniencyMs: everyMs + 10_000,
    start: (here, errors) =>
      one(here, errors, (cluster) => coalesced(alone(cluster, errors), here.clock, everyMs)),
  };
}

/** No runtime runs during user actions, nor for so many milliseconds after each. */
export function absent(awayMs: number): Disturbance {
  return {
    awayMs,
    start(here, errors) {
      const begin = (): Running => one(here, errors, (cluster) => alone(cluster, errors));
      let present: Running | undefined = begin();
      const stop = (): void => {
        present?.stop();
        present = undefined;
      };
      return { stop, away: stop, back: () => (present ??= begin()) };
    },
  };
}

/** One runtime with its installed role; refused requests are among the errors. */
export function underRole(): Disturbance {
  return {
    start(here, errors) {
      grant(here.sandbox, here.subject.roles);
      return one(here, errors, () =>
        authorized(here.sandbox, ACCOUNT, ({ verb, resource, subresource }, allowed) => {
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
