import { ApiError } from '../../schemas/wire/cluster.ts';
import { expect } from 'vitest';
import { essenceOf } from './ending.ts';
import { type Disturbance, play, type Played } from './play.ts';
import type { Subject, World } from './subject.ts';

/** A disturbance, and how to say which. */
export interface Trial {
  title: string;
  how: Disturbance;
}

/** What two plays are compared by. */
export type Aspect = (played: Played, world: World) => object;

/** Everything; nothing of it hangs on a moment unless the world says so. */
export const everything: Aspect = ({ ending, toll, broken, errors }, { hangsOnMoments, mayBeMissed }) => ({
  ...(mayBeMissed !== true && { toll }),
  ending: hangsOnMoments === true ? ended(ending, mayBeMissed) : ending,
  broken,
  errors: errors.map(String),
});

/**
 * What must be equal where refusals and races are part of the play: `isExpected` errors are left out, and so is what was
 * done on the way where that hangs on moments.
 */
export function outcome(isExpected: (error: unknown) => boolean): Aspect {
  return (
    { ending, toll: { created, deleted, updatedInPlace }, broken, errors },
    { hangsOnMoments, mayBeMissed },
  ) => ({
    ...(hangsOnMoments !== true && { toll: { created, deleted, updatedInPlace } }),
    ending: ended(ending, mayBeMissed),
    broken,
    errors: errors.filter((error) => !isExpected(error)).map(String),
  });
}

/** A state that nobody saw leaves no revision. */
function ended(ending: Played['ending'], mayBeMissed = false): object {
  const { revisions, ...rest } = essenceOf(ending);
  return mayBeMissed ? rest : { ...rest, revisions };
}

/** The answer to somebody who acts on what is no longer so. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status.code === 409;
}

/** Failures beyond these say nothing new. */
const SHOWN = 3;
/** After the end of a world the runtime may say something for this long, and no longer. */
const RESTLESS_MS = 90_000;

/** Plays a world once for each trial and holds it against the undisturbed play. */
export async function holdAgainst(
  subject: Subject,
  world: World,
  expected: Played,
  trials: readonly Trial[],
  aspect: Aspect,
): Promise<void> {
  // What goes wrong without any disturbance would be equal in every trial.
  expect([expected.broken, expected.errors.map(String)]).toEqual([[], []]);
  const failures: string[] = [];
  for (const { title, how } of trials) {
    const failure = await differs(subject, world, expected, how, aspect);
    if (failure !== undefined) failures.push(`${title}:\n${failure}`);
    if (failures.length === SHOWN) break;
  }
  expect(failures.join('\n\n')).toBe('');
}

/** In lines, what a disturbed play did otherwise; undefined when nothing. */
export async function differs(
  subject: Subject,
  world: World,
  expected: Played,
  how: Disturbance,
  aspect: Aspect,
): Promise<string | undefined> {
  let played: Played;
  try {
    played = await play(subject, world, how);
  } catch (error) {
    return `  ${String(error)}`;
  }
  const lines = differences(aspect(expected, world), aspect(played, world), '');
  if (played.restlessMs > RESTLESS_MS) lines.push(`  the runtime still writes after ${played.restlessMs} ms`);
  return lines.length === 0 ? undefined : lines.slice(0, 20).join('\n');
}

/** `path: expected → actual` for every leaf that is another one. */
function differences(expected: unknown, actual: unknown, path: string): string[] {
  if (isObject(expected) && isObject(actual)) {
    return [...new Set([...Object.keys(expected), ...Object.keys(actual)])].flatMap((key) =>
      differences(expected[key], actual[key], `${path}/${key}`),
    );
  }
  const [before, after] = [JSON.stringify(expected), JSON.stringify(actual)];
  return before === after ? [] : [`  ${path}: ${before ?? 'nothing'} → ${after ?? 'nothing'}`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
