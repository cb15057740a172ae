/** Where uids and the random part of generated names come from. */
export interface IdSource {
  /** A new uid, in the form of a version 4 UUID. */
  uid(): string;
  /** Five characters that complete a `generateName`, from Kubernetes' own alphabet. */
  nameSuffix(): string;
}

const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** The pseudo-random sequence "mulberry32": 32-bit values that depend on the seed alone. */
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
 * Ids that depend on the seed and on how many were drawn before, nothing else. `after`: the revision at which a former
 * world with this seed has ended; what that one has drawn is not drawn again.
 */
export function createIdSource(seed = 1, after = 0): IdSource {
  if (after > 0) return createIdSource(createSequence(seed ^ Math.imul(after, 0x9e3779b1))());
  return idsFrom(createSequence(seed), createSequence(seed ^ 0x5bd1e995));
}

/** Our own definitions drew so many ids when the first worlds were recorded; since then each kind has added some. */
const RECORDED_DEFINITIONS = 3;

/**
 * Ids of a world that serves our own definitions: until those are made, uids come from a sequence of their own. A definition
 * more, as of a new kind, changes no other uid, and none of the pod names that are derived from it.
 */
export function createWorldIds(seed = 1, after = 0): { ids: IdSource; definitionsMade: () => void } {
  const ids = createIdSource(seed, after);
  // A restored world has its definitions.
  if (after === 0) for (let drawn = 0; drawn < RECORDED_DEFINITIONS; drawn += 1) ids.uid();
  let uids = createIdSource(seed ^ 0x2545f491, after);
  return {
    ids: { uid: () => uids.uid(), nameSuffix: () => ids.nameSuffix() },
    definitionsMade() {
      uids = ids;
    },
  };
}

/** Ids out of 32-bit values: `uids` and `names` give the next one each. */
export function idsFrom(uids: () => number, names: () => number): IdSource {
  const word = () => uids().toString(16).padStart(8, '0');
  return {
    uid() {
      const hex = word() + word() + word() + word();
      const variant = '89ab'[parseInt(hex[16] ?? '0', 16) & 3];
      // Joined, it is one text in memory; concatenated, it would be a tree of its parts for as long as it is kept.
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
