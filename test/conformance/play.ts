import type { KubeObject } from '../../schemas/wire/object.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { createRuntime } from '../../runtime/runtime.ts';
import { type Ending, endingOf } from './ending.ts';
import { keepLedger } from './ledger.ts';
import { stableHash } from './records.ts';
import { type Ledger, NAMESPACE, type Setup, type Subject, type PodChanges, type World } from './subject.ts';

/** One or several runtimes under a disturbance. */
export interface Running {
  stop(): void;
  /** Called before the first of several user actions in a row, and after the last. */
  away?(): void;
  back?(): void;
}

/** How the runtime is started, stopped or replaced while a world is played. */
export interface Disturbance {
  start(here: Pick<Setup, 'subject' | 'sandbox' | 'clock'>, errors: unknown[]): Running;
  /** Milliseconds by which the data of a decision may be old; bounds that depend on a time are as lenient. */
  leniencyMs?: number;
  /** Milliseconds after a user action before the runtime is back. Default: 0. */
  awayMs?: number;
  /** Milliseconds from its start after which it disturbs no more. Default: it has no bearing on when the runtime rests. */
  lastsMs?: number;
}

export interface Played {
  ending: Ending;
  podChanges: PodChanges;
  broken: readonly string[];
  errors: readonly unknown[];
  /** Milliseconds that the world took to its end. */
  tookMs: number;
  /** Milliseconds from the end of the world and of the disturbance to the last write of the runtime. */
  restlessMs: number;
}

const START = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
/** A target settles within this. */
const SETTLES_MS = 60_000;
/** After the end of a world and of what disturbs it, the runtime may write for this long … */
const SETTLE_MS = 90_000;
/** … and must then write nothing for this long. */
const QUIET_MS = 60_000;

/**
 * Plays a world on a settled target, with a runtime that starts at the same time, and returns how it ended.
 *
 * @param after what happens after the end of the world
 */
export async function play(
  subject: Subject,
  world: World,
  disturbance: Disturbance,
  after: (setup: Setup, running: Running) => Promise<void> = rest,
): Promise<Played> {
  const clock = createVirtualClock(START);
  const sandbox = createWorld({
    clock,
    namespaces: ['default', 'kruise-system', NAMESPACE],
    ...subject.world,
  });
  world.prepare?.(sandbox);
  const here = { subject, sandbox, clock };
  const user = sandbox.cluster('user');
  await settled(here, world.target);
  const ledger = await keepLedger(
    { ...here, user },
    {
      leniencyMs: disturbance.leniencyMs ?? 0,
      ...(world.reusesNames !== undefined && { reusesNames: world.reusesNames }),
    },
  );
  const when: Setup['when'] = (what, holds) =>
    clock.runUntil(() => holds(ledger), { what, limitMs: 2 * HOUR });
  const setup: Setup = { ...here, user, ledger, when };
  const errors: unknown[] = [];
  const began = clock.now();
  const running = disturbance.start(here, errors);
  await clock.settle();
  try {
    await doAll(setup, world, disturbance, running);
    await when(`the end: ${JSON.stringify(world.end)}`, () => hasEnded(world, ledger));
    const ended = clock.now();
    const undisturbedFrom = Math.max(ended, began + (disturbance.lastsMs ?? 0));
    await clock.advance(undisturbedFrom - ended);
    await after(setup, running);
    const ending = await endingOf(setup);
    const stable = stableHash(ledger.objects, ledger.target());
    if (world.end.stable !== undefined && stable !== world.end.stable)
      throw new Error(`the stable revision on record is ${stable ?? 'none'}, not ${world.end.stable}`);
    const [tookMs, restlessMs] = [ended - began, ledger.lastWrite - undisturbedFrom];
    return {
      ending,
      podChanges: { ...ledger.podChanges },
      broken: ledger.broken,
      errors,
      tookMs,
      restlessMs,
    };
  } catch (error) {
    // Errors of the runtime are the most likely cause.
    throw new Error([error, ...errors.slice(-3)].map(String).join('; '), { cause: error });
  } finally {
    running.stop();
    sandbox.stop();
    await clock.settle();
  }
}

/** Creates the target, and lets an undisturbed runtime settle it, which is stopped afterwards. */
async function settled(
  { subject, sandbox, clock }: Pick<Setup, 'subject' | 'sandbox' | 'clock'>,
  target: KubeObject,
): Promise<void> {
  const runtime = createRuntime({
    cluster: sandbox.cluster('kruise'),
    clock,
    policy: 'Required',
    kinds: [subject.kind],
    onError: (_key, error) => {
      throw error;
    },
  });
  runtime.start();
  await clock.settle();
  await sandbox.cluster('user').create(subject.kind.resource, target);
  await clock.advance(SETTLES_MS);
  await runtime.stop();
  await clock.settle();
}

async function doAll(
  setup: Setup,
  { script }: World,
  { awayMs }: Disturbance,
  running: Running,
): Promise<void> {
  for (const [index, step] of script.entries()) {
    const isAct = (at: number): boolean => script[at]?.acts === true;
    if (isAct(index) && !isAct(index - 1)) running.away?.();
    await step(setup);
    await (isAct(index) && awayMs !== undefined ? setup.clock.advance(awayMs) : setup.clock.settle());
    if (isAct(index) && !isAct(index + 1)) running.back?.();
  }
}

async function rest({ clock }: Setup): Promise<void> {
  await clock.advance(SETTLE_MS + QUIET_MS);
}

function hasEnded({ end }: World, ledger: Ledger): boolean {
  return phaseOf(ledger) === end.phase && sorted(unitsBy(ledger)) === sorted(end.units);
}

function sorted(counts: Readonly<Record<string, number>>): string {
  return JSON.stringify(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** How many units are on each revision. */
export function unitsBy(ledger: Ledger): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { revision } of ledger.units()) counts[revision] = (counts[revision] ?? 0) + 1;
  return counts;
}

/** The phase in the plan's status; undefined while the status is of an earlier generation. */
export function phaseOf(ledger: Ledger): string | undefined {
  const plan = ledger.plan();
  const status = (plan?.['status'] ?? {}) as { phase?: string; observedGeneration?: number };
  return status.observedGeneration === plan?.metadata.generation ? status.phase : undefined;
}
