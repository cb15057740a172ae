import { expect, test } from 'vitest';
import { sampled } from '../lanes.ts';
import { randomOf } from '../random.ts';
import {
  type Candidate,
  createCandidate,
  createLeaseServer,
  createTrueTime,
  type NetworkDelay,
} from './lead-world.ts';

const ALL = Array.from({ length: 10_000 }, (_, index) => index + 1);
const WORLDS = sampled('worlds', ALL, 400);
const STORM_MS = 45_000;
/** After the storm: an expired lease, a pause and a try. */
const CALM_MS = 22_000;

interface World {
  /** True times at which more than one process could have written. */
  doubles: number[];
  leaders: number;
  terms: number;
}

/**
 * Two or three processes with clocks that differ by up to a tenth either way, and for each of them: requests that are
 * slow, lost, or done and never answered, pauses, jumps of the wall clock, a stop in order or a kill and a new process;
 * and the Lease is deleted. The seed decides all of it.
 */
async function playWorld(seed: number): Promise<World> {
  const random = randomOf(seed);
  const below = (most: number): number => Math.floor(random() * most);
  const time = createTrueTime();
  const server = createLeaseServer(time);
  let stormy = true;
  // Each world has some of the faults only.
  const [slow, lossy, pausing, jumping, ending, deleting] = Array.from(
    { length: 6 },
    () => random() < 0.5,
  ) as [boolean, boolean, boolean, boolean, boolean, boolean];
  const passage = (): NetworkDelay => {
    const quick = !stormy || random() < 0.6;
    const lost = stormy && lossy && random() < 0.3;
    return {
      thereMs: quick || !slow ? 1 + below(20) : below(9_000),
      backMs: quick || !slow ? 1 + below(20) : below(9_000),
      ...(lost && { fails: (['before', 'after', 'never answered'] as const)[below(3)] ?? 'before' }),
    };
  };
  let deleted = false;
  const present: Candidate[] = [];
  const past: Candidate[] = [];
  let made = 0;
  const join = (): void => {
    made += 1;
    const rate = 0.9 + random() * 0.2;
    present.push(createCandidate(time, server, `p${made}`, { rate, wallAt: 1e12, passage, random }));
  };
  const size = 2 + below(2);
  for (let count = 0; count < size; count += 1) time.after(below(3_000), join);

  const doubles: number[] = [];
  const observe = (): void => {
    const writing = [...present, ...past].filter(({ leadership }) => leadership.leading);
    if (writing.length > 1) doubles.push(time.now());
  };
  const disturb = (candidate: Candidate): void => {
    const kind = below(4);
    if (kind === 0 && pausing) candidate.machine.pause(1_000 + below(25_000));
    else if (kind === 1 && jumping) candidate.machine.jump((below(2) * 2 - 1) * 3_600_000);
    else if (kind === 2 && ending) {
      present.splice(present.indexOf(candidate), 1);
      if (random() < 0.5) candidate.machine.kill();
      else void candidate.leadership.stop();
      past.push(candidate);
      time.after(below(4_000), join);
      // A killed process writes nothing, whatever `leading` returns.
      if (candidate.leadership.leading) past.pop();
    } else if (kind === 3 && deleting && !ending && !deleted) {
      // A process that never observed the Lease, or missed that it was recreated and deleted, cannot know of a holder.
      if (made < size || server.shownTo.size < size) return;
      deleted = true;
      server.set(undefined);
    }
  };
  for (let at = 1_000; at < STORM_MS; at += 500 + below(6_000)) {
    time.after(at, () => {
      const candidate = present[below(present.length)];
      if (candidate !== undefined) disturb(candidate);
    });
  }
  await time.advance(STORM_MS, observe);
  stormy = false;
  // Whatever was under way, or stood still, comes to an end before the calm is counted.
  await time.advance(27_000, observe);
  await time.advance(CALM_MS, observe);
  const leaders = present.filter(({ leadership }) => leadership.leading).length;
  const terms = [...present, ...past].flatMap(({ reported }) =>
    reported.filter((t) => t.endsWith('leads')),
  ).length;
  return { doubles, leaders, terms };
}

test(
  `no two lead at once in ${WORLDS.length} worlds, and one leads in the end (I20)`,
  { timeout: 300_000 },
  async () => {
    const failures: string[] = [];
    let terms = 0;
    for (const seed of WORLDS) {
      if (failures.length >= 5) break;
      const world = await playWorld(seed);
      terms += world.terms;
      if (world.doubles.length > 0) failures.push(`seed ${seed}: two at ${world.doubles[0]} ms`);
      if (world.leaders !== 1) failures.push(`seed ${seed}: ${world.leaders} lead in the end`);
    }
    expect(failures).toEqual([]);
    // The worlds are stormy enough for leadership to change hands.
    expect(terms).toBeGreaterThan(WORLDS.length * 1.5);
  },
);
