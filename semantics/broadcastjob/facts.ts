import type { KindFacts } from '../kinds/facts.ts';

/** What code outside of this folder may ask. */
export const broadcastJobFacts: KindFacts = {
  nouns: { unit: 'node', units: 'nodes' },
};
