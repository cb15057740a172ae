import type { ShareRecords } from './share-records.ts';
import { shareDigest } from './shares.ts';

/** Most characters of the records of a root. The server limits all annotations of an object to 262,144 bytes. */
const MOST_CHARACTERS = 200_000;
/** Most of them before another child gets a share: those that have one can be given the next one all the same. */
const MOST_BEFORE_NEW = 150_000;
/** A digest and what separates it from what is before it. */
const DIGEST_LENGTH = 33;

/** What stands on a child, or is to, as the text of its share. */
export interface NamedShare {
  name: string;
  text: string;
}

/**
 * What a root has on record next: what stands on its children, and what these are to get, as far as that fits. It is written before
 * any of these shares is, so that a child whose next share is not among them waits. Once another one has its own, there is room.
 *
 * @param standing the shares on children that the root has on record
 * @param wanted the next share of each child, in the order in which they get them
 * @returns the records, and the names of the children whose next share is among them
 */
export function nextRecords(
  standing: readonly NamedShare[],
  wanted: readonly NamedShare[],
): { records: ShareRecords; fitting: ReadonlySet<string> } {
  const records = new Map(standing.map(({ name, text }) => [name, [shareDigest(text)]]));
  let length = standing.reduce((sum, { name }) => sum + lengthOf(name, 1), 0);
  const fitting = new Set<string>();
  for (const { name, text } of wanted) {
    const digest = shareDigest(text);
    const known = records.get(name);
    const isNew = known?.includes(digest) !== true;
    const more = !isNew ? 0 : known === undefined ? lengthOf(name, 1) : DIGEST_LENGTH;
    if (isNew && length + more > (known === undefined ? MOST_BEFORE_NEW : MOST_CHARACTERS)) continue;
    if (isNew) records.set(name, [...(known ?? []), digest]);
    length += more;
    fitting.add(name);
  }
  return { records, fitting };
}

/** Which rule children of these names break, as the rest of a sentence about their list; undefined: all can be on record. */
export function beyondRecords(names: readonly string[]): string | undefined {
  const length = names.reduce((sum, name) => sum + lengthOf(name, 1), 0);
  return length <= MOST_BEFORE_NEW
    ? undefined
    : `must have fewer items or shorter names: their records take ${length} characters, and at most ${MOST_BEFORE_NEW} fit`;
}

/** The characters of a child with this many digests, and of what separates it from the next one. */
function lengthOf(name: string, digests: number): number {
  return name.length + 1 + digests * DIGEST_LENGTH;
}
