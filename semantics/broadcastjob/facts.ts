import type { KindFacts } from '../kinds/facts.ts';
import { nodeNouns } from '../kinds/nouns.ts';
import { broadcastJobStatusFacts } from './status-facts.ts';

/** What code outside of this folder may ask. */
export const broadcastJobFacts: KindFacts = {
  nouns: nodeNouns,
  removal: () => 'its pods are deleted with it, and a run under way ends',
  noUpdates: undefined,
  status: broadcastJobStatusFacts,
};
