import { type Call, callText, coalesced, crashing, delayed, type Fate, isWrite } from 'kruise-sandbox';
import { expect } from 'vitest';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../runtime/runtime.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { sampled } from '../lanes.ts';
import { restored } from './disturbances.ts';

/** Creates the runtime of a play. */
export type Start = (options: RuntimeOptions) => Pick<Runtime, 'start'> & { stop(): unknown };

/** Plays a whole rollout in a world of its own; returns how it ended. */
export type Play = (start: Start) => Promise<unknown>;

/** A play, and the end that it must have whatever becomes of the runtime. */
export interface Expectation {
  play: Play;
  expected: unknown;
}

/** A play of a kind whose units are no pods of its own, and which no `Subject` can count: nodes, times, pods of other owners. */
export interface KindPlay extends Expectation {
  kind: Kind;
  title: string;
  /** The only thing that it is played for. Default: every disturbance of a whole rollout. */
  trait?: 'ordered' | 'limits';
  /** What an undisturbed play writes, as texts: whether it tests what it is for. */
  sends?(writes: readonly string[]): boolean;
  /** Whether an error comes of the world itself, such as a quota of a namespace. Default: none does. */
  refuses?(error: unknown): boolean;
  /** What of an ending does not depend on how long the runtime was away. Default: all of it. */
  lasting?(ending: unknown): unknown;
}

/** What becomes of a write of a runtime that ends with it. */
const FATES: readonly Exclude<Fate, 'lives'>[] = ['unsent', 'unanswered', { arrivesAfterMs: 900 }];

/** The writes of an undisturbed play: the number of each among all calls, and its text. */
export async function writesOf({ play, expected }: Expectation): Promise<(readonly [number, string])[]> {
  const calls: Call[] = [];
  const fate = (call: Call): Fate => {
    calls.push(call);
    return 'lives';
  };
  const ending = await play((options) =>
    createRuntime({ ...options, cluster: crashing(options.cluster, options.clock, fate, () => {}) }),
  );
  expect(ending).toEqual(expected);
  return calls.flatMap((call, index) => (isWrite(call) ? [[index + 1, callText(call)] as const] : []));
}

/**
 * Ends the runtime at some of these writes, and another continues.
 *
 * @param most how many are drawn: in the usual lane, and in the full one
 */
export async function endAtWrites(
  { play, expected }: Expectation,
  writes: readonly (readonly [number, string])[],
  { name, most, fates = FATES }: { name: string; most: readonly [number, number]; fates?: typeof FATES },
): Promise<void> {
  const ends = writes.flatMap(([k, text]) => fates.map((fate) => [k, text, fate] as const));
  for (const [k, text, fate] of sampled(name, ends, ...most)) {
    let made = 0;
    const ending = await play((options) => restored(options, () => ((made += 1) === k ? fate : 'lives')));
    expect([k, text, fate, ending]).toEqual([k, text, fate, expected]);
  }
}

/** Watches that are late, and watches that lose events. */
export async function endWithPoorWatches({ play, expected }: Expectation): Promise<void> {
  const slow = await play((options) =>
    createRuntime({ ...options, cluster: delayed(options.cluster, options.clock, () => 3_000) }),
  );
  const sparse = await play((options) =>
    createRuntime({ ...options, cluster: coalesced(options.cluster, options.clock, 7_000) }),
  );
  expect([slow, sparse]).toEqual([expected, expected]);
}

/** Two runtimes at once. */
export async function endWithTwo({ play, expected }: Expectation): Promise<void> {
  const ending = await play((options) => {
    const both = ['a', 'b'].map((identity) => createRuntime({ ...options, identity, onError: () => {} }));
    return {
      start: () => both.forEach((each) => each.start()),
      stop: () => Promise.all(both.map((each) => each.stop())),
    };
  });
  expect(ending).toEqual(expected);
}
