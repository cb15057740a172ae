import type { KindFacts } from '../kinds/facts.ts';
import { nodeNouns } from '../kinds/nouns.ts';
import { daemonSetStatusFacts } from './status-facts.ts';

/** What code outside of this folder may ask. */
export const daemonSetFacts: KindFacts = {
  nouns: nodeNouns,
  removal: () => 'its pods are deleted with it, on every node',
  noUpdates: { type: 'OnDelete', changes: 'Deleted' },
  status: daemonSetStatusFacts,
};
