import type { KindFacts } from '../kinds/facts.ts';

/** What code outside of this folder may ask. */
export const sidecarSetFacts: KindFacts = {
  nouns: { unit: 'pod', units: 'pods' },
};
