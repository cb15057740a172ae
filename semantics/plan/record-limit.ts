/** How many units a list of a record has by id at most. */
const MOST_NAMES = 2_000;
/**
 * How many bytes all lists of a record have together, as JSON. It is stored in an annotation, the server limits those of an object to 256
 * KiB, and the record has more than lists.
 */
const MOST_BYTES = 192 * 1024;
/** So many of these each list may have, whatever the others have. */
const SHARE_BYTES = 16 * 1024;
/** What one name may need: those of objects have 253 characters, and a number of restarts has some. */
const LONGEST_BYTES = 253 + 24;

/** What was broken before, as `Progress.baseline` has it. */
interface Broken {
  unavailable: string[];
  restarts: Record<string, number>;
  otherRestarts?: number;
}

/** The lists of a record that have units by id. */
export interface Lists {
  excused?: readonly string[];
  away?: readonly string[];
  down?: readonly string[];
  unreverted?: readonly string[];
  baseline?: Broken;
}
type List = 'unavailable' | 'restarts' | 'excused' | 'away' | 'down' | 'unreverted';
const LISTS: readonly List[] = ['unavailable', 'restarts', 'excused', 'away', 'down', 'unreverted'];

/**
 * The first of these names, as many as a list of a record has room for beside its other lists.
 *
 * Example: a record without other lists has room for 2,000 names of 50 characters, or for 453 of 250.
 *
 * @param record its list of this name does not count: it is replaced
 */
export function fitting(record: Lists, list: List, names: readonly string[]): string[] {
  const room = roomFor(record, list);
  let bytes = 0;
  let n = 0;
  while (n < names.length && n < MOST_NAMES && bytes + LONGEST_BYTES <= room) {
    bytes += bytesOf(names[n] ?? '', list);
    n += 1;
  }
  return names.slice(0, n);
}

/**
 * Restarts by unit, of the units with the most restarts; of the others, the highest number of restarts.
 *
 * @param record what else it has
 */
export function boundedRestarts(
  record: Lists,
  restarts: readonly (readonly [string, number])[],
  others = 0,
): Omit<Broken, 'unavailable'> {
  const most = restarts.filter(([, n]) => n > 0).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const names = most.map(([name]) => name);
  const { length } = fitting(record, 'restarts', names);
  const otherRestarts = Math.max(most[length]?.[1] ?? 0, others);
  const recorded = most.slice(0, length).sort(([a], [b]) => (a < b ? -1 : 1));
  return { restarts: Object.fromEntries(recorded), ...(otherRestarts === 0 ? {} : { otherRestarts }) };
}

/**
 * A record with room for each of its lists. Earlier versions have filled lists beyond that. Of most restarts their highest number says
 * enough; what is broken or excused stays by name, since it would fail the plan.
 */
export function withinLimit<Bounded extends Lists & { baseline: Broken }>(record: Bounded): Bounded {
  if (LISTS.every((list) => sizeOf(record, list) <= roomFor(record, list))) return record;
  const { unavailable, restarts, otherRestarts } = record.baseline;
  const bounded = boundedRestarts(record, Object.entries(restarts), otherRestarts);
  return { ...record, baseline: { unavailable, ...bounded } };
}

/** Whether a list has no room for any further name. One that `fitting` has cut has none. */
export function isFull(record: Lists, list: List): boolean {
  const names = namesIn(record, list);
  return names.length >= MOST_NAMES || sizeOf(record, list) + LONGEST_BYTES > roomFor(record, list);
}

/** How many bytes a list may have: what the others leave, each of which has its share. */
function roomFor(record: Lists, list: List): number {
  let others = 0;
  for (const each of LISTS) if (each !== list) others += Math.max(sizeOf(record, each), SHARE_BYTES);
  return MOST_BYTES - others;
}

function sizeOf(record: Lists, list: List): number {
  let bytes = 0;
  for (const name of namesIn(record, list)) bytes += bytesOf(name, list);
  return bytes;
}

/** Ids are names or uids of objects, which are ASCII: with their quotes and comma, and a number of restarts. */
function bytesOf(name: string, list: List): number {
  return name.length + (list === 'restarts' ? 14 : 3);
}

function namesIn({ baseline, ...lists }: Lists, list: List): readonly string[] {
  switch (list) {
    case 'unavailable':
      return baseline?.unavailable ?? [];
    case 'restarts':
      return Object.keys(baseline?.restarts ?? {});
    case 'excused':
    case 'away':
    case 'down':
    case 'unreverted':
      return lists[list] ?? [];
  }
}
