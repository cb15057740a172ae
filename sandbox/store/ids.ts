/** The source of uids and generated name suffixes. */
export interface IdSource {
  /** A new uid in UUID version 4 format. */
  uid(): string;
  /** A five-character suffix for `generateName`, from Kubernetes' alphabet. */
  nameSuffix(): string;
}

const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** The pseudo-random generator "mulberry32": 32-bit values determined by the seed. */
function createSequence(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/**
 * Ids determined by the seed and the number of earlier draws. `after`: the last revision of a restored world, so
 * that its ids are not repeated.
 */
export function createIdSource(seed = 1, after = 0): IdSource {
  if (after > 0) return createIdSource(createSequence(seed ^ Math.imul(after, 0x9e3779b1))());
  return idsFrom(createSequence(seed), createSequence(seed ^ 0x5bd1e995));
}

/** The number of ids that our definitions used when the goldens were recorded; each new kind would change it. */
const RECORDED_DEFINITIONS = 3;

/**
 * Ids for a world with our own definitions: uids of definitions come from a separate sequence, so a new definition
 * changes no other uid and no derived pod name.
 */
export function createWorldIds(seed = 1, after = 0): { ids: IdSource; definitionsMade: () => void } {
  const ids = createIdSource(seed, after);
  // Restored worlds already have their definitions.
  if (after === 0) for (let drawn = 0; drawn < RECORDED_DEFINITIONS; drawn += 1) ids.uid();
  let uids = createIdSource(seed ^ 0x2545f491, after);
  return {
    ids: { uid: () => uids.uid(), nameSuffix: () => ids.nameSuffix() },
    definitionsMade() {
      uids = ids;
    },
  };
}

/** Creates ids from 32-bit values: `uids` and `names` return the next one. */
export function idsFrom(uids: () => number, names: () => number): IdSource {
  const word = () => uids().toString(16).padStart(8, '0');
  return {
    uid() {
      const hex = word() + word() + word() + word();
      const variant = '89ab'[parseInt(hex[16] ?? '0', 16) & 3];
      // join creates a flat string; concatenation would retain a rope.
      return [
        hex.slice(0, 8),
        hex.slice(8, 12),
        `4${hex.slice(13, 16)}`,
        `${variant}${hex.slice(17, 20)}`,
        hex.slice(20),
      ].join('-');
    },
    nameSuffix() {
      let suffix = '';
      for (let index = 0; index < 5; index += 1) suffix += nameAlphabet[names() % nameAlphabet.length];
      return suffix;
    },
  };
}
