import type { KubeObject } from '../../schemas/wire/object.ts';
import { createVirtualClock } from '../../sandbox/clock/virtual.ts';
import { createWorld } from '../../sandbox/world.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { type Ending, endingOf } from './ending.ts';
import { keepLedger } from './ledger.ts';
import { stableHash } from './pod-bounds.ts';
import { type Ledger, NAMESPACE, type Scene, type Subject, type Toll, type World } from './subject.ts';

/** A runtime, or several, as something happens to it. */
export interface Running {
  stop(): void;
  /** Called before the first of several acts in a row, and after the last. */
  away?(): void;
  back?(): void;
}

/** What is done to the runtime while a world is played: it is started, and whatever ends or replaces it. */
export interface Disturbance {
  start(here: Pick<Scene, 'subject' | 'sandbox' | 'clock'>, errors: unknown[]): Running;
  /** How old may be what it decides on; bounds that hang on a moment are as lenient. */
  leniencyMs?: number;
  /** How long somebody who acts takes before the runtime is back. Default: no time. */
  awayMs?: number;
}

export interface Played {
  ending: Ending;
  toll: Toll;
  broken: readonly string[];
  errors: readonly unknown[];
  /** Milliseconds from the end of the world to the last write of the runtime. */
  restlessMs: number;
}

const START = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
/** A target settles within this. */
const SETTLES_MS = 60_000;
/** After the end the runtime has this long to finish what it is at … */
const SETTLE_MS = 90_000;
/** … and then says nothing any more for this long. */
const QUIET_MS = 60_000;

/**
 * Plays a world on a target that has settled, with a runtime that begins with it, and tells how it ended; `after`: what
 * happens once it has.
 */
export async function play(
  subject: Subject,
  world: World,
  disturbance: Disturbance,
  after: (scene: Scene, running: Running) => Promise<void> = rest,
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
  const ledger = await keepLedger({ ...here, user }, disturbance.leniencyMs ?? 0);
  const when: Scene['when'] = (what, holds) =>
    clock.runUntil(() => holds(ledger), { what, limitMs: 2 * HOUR });
  const scene: Scene = { ...here, user, ledger, when };
  const errors: unknown[] = [];
  const running = disturbance.start(here, errors);
  await clock.settle();
  try {
    await doAll(scene, world, disturbance, running);
    await when(`the end: ${JSON.stringify(world.end)}`, () => hasEnded(world, ledger));
    const ended = clock.now();
    await after(scene, running);
    const ending = await endingOf(scene);
    const stable = stableHash(ledger.objects, ledger.target());
    if (world.end.stable !== undefined && stable !== world.end.stable)
      throw new Error(`the stable revision on record is ${stable ?? 'none'}, not ${world.end.stable}`);
    const restlessMs = ledger.lastWrite - ended;
    return { ending, toll: { ...ledger.toll }, broken: ledger.broken, errors, restlessMs };
  } catch (error) {
    // What the runtime met on the way is most likely why.
    throw new Error([error, ...errors.slice(-3)].map(String).join('; '), { cause: error });
  } finally {
    running.stop();
    sandbox.stop();
    await clock.settle();
  }
}

/** The target as a runtime leaves it that nothing happens to, and that is gone afterwards. */
async function settled(
  { subject, sandbox, clock }: Pick<Scene, 'subject' | 'sandbox' | 'clock'>,
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
  scene: Scene,
  { deeds }: World,
  { awayMs }: Disturbance,
  running: Running,
): Promise<void> {
  for (const [index, deed] of deeds.entries()) {
    const isAct = (at: number): boolean => deeds[at]?.acts === true;
    if (isAct(index) && !isAct(index - 1)) running.away?.();
    await deed(scene);
    await (isAct(index) && awayMs !== undefined ? scene.clock.advance(awayMs) : scene.clock.settle());
    if (isAct(index) && !isAct(index + 1)) running.back?.();
  }
}

async function rest({ clock }: Scene): Promise<void> {
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

/** The phase that the plan shows of its present content; undefined while the status is about an earlier one. */
export function phaseOf(ledger: Ledger): string | undefined {
  const plan = ledger.plan();
  const status = (plan?.['status'] ?? {}) as { phase?: string; observedGeneration?: number };
  return status.observedGeneration === plan?.metadata.generation ? status.phase : undefined;
}
