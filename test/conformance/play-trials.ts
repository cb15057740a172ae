import { coalesced, delayed, type Fate, isWrite } from 'kruise-sandbox';
import { expect } from 'vitest';
import { createRuntime, type RuntimeOptions } from '../../runtime/runtime.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import { blinded } from './blinded.ts';
import { isConflict } from './compare.ts';
import { refusingAt, refusingFirst, restored } from './disturbances.ts';
import { electedPair } from './elected.ts';
import { faulty, type Injected } from './faults.ts';
import type { KindPlay, Start } from './plays.ts';
import { noStops, stoppedAt } from './stopping.ts';

/** A runtime, or several, under one disturbance. */
export interface PlayTrial {
  title: string;
  start: Start;
  /** Whether an error of a runtime is one of the disturbance. Default: only conflicts are. */
  isExpected?(error: unknown): boolean;
  /** The runtime is away for so long that times of the ending differ. */
  takesLong?: true;
}

/** The disturbances of plays: the trials of each, for a play that writes this, as texts. */
export type TrialsOf = (writes: readonly (readonly [number, string])[]) => PlayTrial[];

/** How many writes each runtime of a series lives for. */
const LIFETIMES = [1, 2, 3, 5, 8];
const FATES: readonly Exclude<Fate, 'lives'>[] = ['unsent', 'unanswered', { arrivesAfterMs: 900 }];
const SEEDS = 30;
const BLIND_MS = 12_000;
/** Every third write is tried: in between, a leader is away for a minute. */
const APART = 3;

const injected = (code: number, reason: string, details: object = {}): ApiError =>
  new ApiError({ code, reason, message: `injected ${reason}`, ...details });
const refusals = [
  injected(409, 'Conflict'),
  injected(429, 'TooManyRequests', { details: { retryAfterSeconds: 1 } }),
  injected(500, 'InternalError'),
];
const isRefusal = (error: unknown): boolean => refusals.some((each) => each === error);

/** One runtime behind a cluster that is made of the real one. */
const behind =
  (wrap: (cluster: Cluster, options: RuntimeOptions) => Cluster): Start =>
  (options) =>
    createRuntime({ ...options, cluster: wrap(options.cluster, options) });

const crashes: TrialsOf = (writes) => [
  ...writes.flatMap(([k, text]) =>
    FATES.map((fate): PlayTrial => ({
      title: `the runtime ends at call ${k} (${text}): ${JSON.stringify(fate)}`,
      start(options) {
        let made = 0;
        return restored(options, () => ((made += 1) === k ? fate : 'lives'));
      },
    })),
  ),
  ...LIFETIMES.map((most): PlayTrial => ({
    title: `every runtime ends after ${most} writes`,
    takesLong: true,
    start(options) {
      let written = 0;
      return restored(options, (call, made) => {
        if (made === 1) written = 0;
        if (isWrite(call)) written += 1;
        return written === most ? 'unanswered' : 'lives';
      });
    },
  })),
];

const faults: TrialsOf = () =>
  Array.from({ length: SEEDS }, (_, seed): PlayTrial => {
    const found: Injected = { errors: new WeakSet(), counts: {} };
    return {
      title: `faults of seed ${seed}`,
      takesLong: true,
      start: behind((cluster, { clock }) => faulty(cluster, clock, seed, found)),
      isExpected: (error) =>
        isConflict(error) || (typeof error === 'object' && error !== null && found.errors.has(error)),
    };
  });

const refused: TrialsOf = (writes) =>
  refusals.flatMap((refusal): PlayTrial[] => [
    {
      title: `every first try gets ${refusal.status.code}`,
      takesLong: true,
      start: behind((cluster) => refusingFirst(cluster, refusal, { refused: 0 })),
      isExpected: isRefusal,
    },
    ...writes.map(([, text], index): PlayTrial => ({
      title: `write ${index + 1} (${text}) gets ${refusal.status.code}`,
      takesLong: true,
      start: behind((cluster) => refusingAt(cluster, index + 1, refusal)),
      isExpected: isRefusal,
    })),
  ]);

const blind: TrialsOf = (writes) => {
  const lost = new Error('injected: the connection is lost');
  return writes.map(([, text], index): PlayTrial => ({
    title: `nothing is observed for ${BLIND_MS} ms after write ${index + 1} (${text})`,
    takesLong: true,
    start(options) {
      let written = 0;
      const begins: Parameters<typeof blinded>[2]['begins'] = (call) =>
        isWrite(call) && ++written === index + 1;
      const { cluster, clock } = options;
      const blindness = { lost, begins, afterMs: 1_000, forMs: BLIND_MS };
      return createRuntime({ ...options, cluster: blinded(cluster, clock, blindness) });
    },
    isExpected: (error) => error === lost || isConflict(error),
  }));
};

const levels: TrialsOf = () => [
  {
    title: 'watch events are three seconds late',
    start: behind((cluster, { clock }) => delayed(cluster, clock, () => 3_000)),
  },
  // What pods are there for may be observed later than they are.
  ...([true, false] as const).map((arePods): PlayTrial => ({
    title: `watch events of ${arePods ? 'pods alone' : 'all but pods'} are three seconds late`,
    start: behind((cluster, { clock }) =>
      delayed(cluster, clock, ({ plural }) => ((plural === 'pods') === arePods ? 3_000 : 0)),
    ),
  })),
  ...[2_000, 7_000].map((everyMs): PlayTrial => ({
    title: `what changes within ${everyMs} ms is seen at once`,
    start: behind((cluster, { clock }) => coalesced(cluster, clock, everyMs)),
  })),
];

/** Two runtimes, nobody elected; `lateMs`: the events of the second one come so much later. */
const together: TrialsOf = () =>
  [0, 300, 2_000].map((lateMs): PlayTrial => ({
    title: `two runtimes, of which one sees everything ${lateMs} ms later`,
    start({ cluster, ...options }) {
      const late = lateMs === 0 ? cluster : delayed(cluster, options.clock, () => lateMs);
      const both = [
        createRuntime({ ...options, cluster, identity: 'a' }),
        createRuntime({ ...options, cluster: late, identity: 'b' }),
      ];
      return {
        start: () => both.forEach((each) => each.start()),
        stop: () => Promise.all(both.map((each) => each.stop())),
      };
    },
  }));

const elected: TrialsOf = (writes) => {
  const trial = (title: string, pause: Parameters<typeof electedPair>[1]['pause']): PlayTrial => ({
    title,
    ...(pause !== undefined && { takesLong: true as const }),
    start(options) {
      const observation = { writes: 0, terms: 0, unexpected: 0, delayed: 0 };
      const { clock, cluster } = options;
      return electedPair(options, { clock, leases: cluster, pause, observation });
    },
  });
  const paused = writes.flatMap((_, index) =>
    index % APART === 0
      ? (['queued', 'on the wire'] as const).map((how) =>
          trial(`the leader is paused for a minute at write ${index + 1}, with others ${how}`, {
            write: index + 1,
            how,
          }),
        )
      : [],
  );
  return [trial('two elected processes', undefined), ...paused];
};

const stopped: TrialsOf = (writes) =>
  writes.map(([, text], index): PlayTrial => ({
    title: `the runtime is stopped at write ${index + 1} (${text}), and another one starts`,
    takesLong: true,
    start: (options) => stoppedAt(options, index + 1, noStops()),
  }));

/** The disturbances that the plays of a kind are played under. */
export const playTrials = {
  crashes,
  faults,
  refusals: refused,
  blind,
  levels,
  together,
  elected,
  stopped,
} as const satisfies Record<string, TrialsOf>;

/** Plays under a disturbance: the end must be the expected one, and no error may come that is not of the disturbance. */
export async function endUnder(
  { play, expected, lasting = (ending) => ending, refuses = () => false }: KindPlay,
  { title, start, isExpected = isConflict, takesLong }: PlayTrial,
): Promise<void> {
  const errors: string[] = [];
  const onError: RuntimeOptions['onError'] = (_key, error) => {
    if (!isExpected(error) && !refuses(error)) errors.push(String(error));
  };
  const compared = takesLong === true ? lasting : (ending: unknown): unknown => ending;
  const ending = await play((options) => start({ ...options, onError }));
  expect([title, compared(ending), errors]).toEqual([title, compared(expected), []]);
}
