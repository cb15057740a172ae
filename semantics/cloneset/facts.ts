import type { KindFacts } from '../kinds/facts.ts';

/** What code outside of this folder may ask. */
export const cloneSetFacts: KindFacts = {
  nouns: { unit: 'pod', units: 'pods' },
};
