import type { KubeObject } from '../../schemas/wire/object.ts';
import type { VirtualClock } from '../../sandbox/clock/virtual.ts';
import type { World } from '../../sandbox/world.ts';
import { createStage, type Stage } from '../runtime/stage.ts';
import { type Ending, endingOf } from './ending.ts';
import { keepLedger, type Ledger, type Toll } from './ledger.ts';

/** Where a story is played: the stage, and what its store has shown so far. */
export interface Scene {
  stage: Stage;
  ledger: Ledger;
  /** Runs until the store shows this, however long the runtime is away meanwhile. */
  when(what: string, holds: (ledger: Ledger) => boolean): Promise<void>;
}

/** A roll-out and what people do in the middle of it. */
export interface CrashStory {
  title: string;
  /** Settled before the story begins. */
  target: () => KubeObject;
  prepare?: (world: World) => void;
  /** One after the other; each waits with `when` for what must be there, never for a time to pass. */
  deeds: readonly ((scene: Scene) => Promise<void>)[];
  /** Containers go on while nobody is there: how often they start, and what is said of it, hangs on when somebody looks. */
  hangsOnMoments?: boolean;
  /** The size itself changes: whoever sees that late follows the old one for a while, as any controller does. */
  sizeChanges?: boolean;
  /** What `web` comes to: the plan's phase, and pods by image. */
  end: { phase: string; images: Readonly<Record<string, number>> };
}

/** What is done to the runtime while a story is played: it is started, and whatever ends or replaces it. */
export interface Disturbance {
  start(world: World, clock: VirtualClock, errors: unknown[]): { stop(): void };
  /** How old may be what it decides on; bounds that hang on a moment are as lenient. */
  leniencyMs?: number;
}

export interface Played {
  ending: Ending;
  toll: Toll;
  broken: readonly string[];
  errors: readonly unknown[];
  /** Milliseconds from the end of the story to the last write of the runtime. */
  restlessMs: number;
}

const HOUR = 3_600_000;
/** After the end the runtime has this long to finish what it is at … */
const SETTLE_MS = 90_000;
/** … and then says nothing any more for this long. */
const QUIET_MS = 60_000;

/** Plays a story on a target that has settled, with a runtime that begins with it, and tells how it ended. */
export async function play(story: CrashStory, disturbance: Disturbance): Promise<Played> {
  const stage = await createStage(story.target(), story.prepare ? { prepare: story.prepare } : {});
  await stage.runtime.stop();
  await stage.clock.settle();
  const { world, clock } = stage;
  const ledger = await keepLedger(stage, disturbance.leniencyMs ?? 0);
  const when: Scene['when'] = (what, holds) =>
    clock.runUntil(() => holds(ledger), { what, limitMs: 2 * HOUR });
  const errors: unknown[] = [];
  const running = disturbance.start(world, clock, errors);
  await clock.settle();
  const stop = async (): Promise<void> => {
    running.stop();
    await stage.stop();
  };
  try {
    for (const deed of story.deeds) await deed({ stage, ledger, when });
    await when(`the end: ${JSON.stringify(story.end)}`, () => hasEnded(story, ledger));
  } catch (error) {
    await stop();
    // What the runtime met on the way is most likely why.
    throw new Error([error, ...errors.slice(-3)].map(String).join('; '), { cause: error });
  }
  const ended = clock.now();
  await clock.advance(SETTLE_MS + QUIET_MS);
  const ending = await endingOf(stage);
  await stop();
  return {
    ending,
    toll: { ...ledger.toll },
    broken: ledger.broken,
    errors,
    restlessMs: ledger.lastWrite - ended,
  };
}

function hasEnded({ end }: CrashStory, ledger: Ledger): boolean {
  if (phaseOf(ledger) !== end.phase) return false;
  const counts: Record<string, number> = {};
  for (const pod of ledger.pods()) {
    const image = pod.spec.containers[0]?.image ?? '';
    counts[image] = (counts[image] ?? 0) + 1;
  }
  const sorted = (record: Readonly<Record<string, number>>): string =>
    JSON.stringify(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
  return sorted(counts) === sorted(end.images);
}

/** The phase the plan of `web` shows of its present content; undefined while the status is about an earlier one. */
export function phaseOf(ledger: Ledger): string | undefined {
  const plan = ledger.plan();
  const status = (plan?.['status'] ?? {}) as { phase?: string; observedGeneration?: number };
  return status.observedGeneration === plan?.metadata.generation ? status.phase : undefined;
}
