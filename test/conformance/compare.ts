import { ApiError } from '../../schemas/wire/cluster.ts';
import { expect } from 'vitest';
import { essenceOf } from './ending.ts';
import { type Disturbance, play, type Played } from './play.ts';
import type { Subject, World } from './subject.ts';

/** A disturbance, and its title. */
export interface Trial {
  title: string;
  how: Disturbance;
  /** How much later than the undisturbed play it may end, milliseconds; asked after it was played. Default: much. */
  laterMs?: () => number;
  /** Where pods are created, their number is not compared, as in a world that hangs on moments. */
  mayRepeat?: true;
}

/** The part of two plays that is compared. */
export type Aspect = (played: Played, world: World) => object;

/** Everything, except what depends on timing in this world. */
export const everything: Aspect = (
  { ending, podChanges, broken, errors },
  { hangsOnMoments, mayBeMissed },
) => ({
  ...(mayBeMissed !== true && { podChanges }),
  ending: hangsOnMoments === true ? ended(ending, mayBeMissed) : ending,
  broken,
  errors: errors.map(String),
});

/** What must be equal if the disturbance causes refusals or races. Errors for which `isExpected` is true are left out. */
export function outcome(isExpected: (error: unknown) => boolean): Aspect {
  return (
    { ending, podChanges: { created, deleted, updatedInPlace }, broken, errors },
    { hangsOnMoments, mayBeMissed },
  ) => ({
    ...(hangsOnMoments !== true && { podChanges: { created, deleted, updatedInPlace } }),
    ending: ended(ending, mayBeMissed),
    broken,
    errors: errors.filter((error) => !isExpected(error)).map(String),
  });
}

/** The comparable end state. A state that no runtime observed has no revision. */
function ended(ending: Played['ending'], mayBeMissed = false): object {
  const { revisions, ...rest } = essenceOf(ending);
  return mayBeMissed ? rest : { ...rest, revisions };
}

/** Whether an error is a conflict: the write was decided on an outdated object. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status.code === 409;
}

/** How many failures are reported. */
const SHOWN = 3;
/** Milliseconds after the end of a world, and of what disturbs it, in which the runtime may still write. */
const RESTLESS_MS = 90_000;

/** Plays a world once for each trial, and compares it with the undisturbed play. */
export async function holdAgainst(
  subject: Subject,
  world: World,
  expected: Played,
  trials: readonly Trial[],
  aspect: Aspect,
): Promise<void> {
  // An error without any disturbance would be the same in every trial.
  expect([expected.broken, expected.errors.map(String)]).toEqual([[], []]);
  const failures: string[] = [];
  for (const { title, mayRepeat, ...trial } of trials) {
    const isLoose = mayRepeat === true && expected.podChanges.created > 0;
    const compared = isLoose ? { ...world, hangsOnMoments: true } : world;
    const failure = await differs(subject, compared, expected, trial, aspect);
    if (failure !== undefined) failures.push(`${title}:\n${failure}`);
    if (failures.length === SHOWN) break;
  }
  expect(failures.join('\n\n')).toBe('');
}

/** The differences of a disturbed play, one line each; undefined: none. */
export async function differs(
  subject: Subject,
  world: World,
  expected: Played,
  { how, laterMs = () => Infinity }: Pick<Trial, 'how' | 'laterMs'>,
  aspect: Aspect,
): Promise<string | undefined> {
  let played: Played;
  try {
    played = await play(subject, world, how);
  } catch (error) {
    return `  ${String(error)}`;
  }
  const lines = differences(aspect(expected, world), aspect(played, world), '');
  const later = played.tookMs - expected.tookMs;
  if (later > laterMs()) lines.push(`  it ends ${later} ms later, and ${laterMs()} are explained`);
  if (played.restlessMs > RESTLESS_MS) lines.push(`  the runtime still writes after ${played.restlessMs} ms`);
  return lines.length === 0 ? undefined : lines.slice(0, 20).join('\n');
}

/** `path: expected → actual` for every leaf that differs. */
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
