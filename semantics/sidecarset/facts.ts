import type { KindFacts } from '../kinds/facts.ts';
import { sidecarSetStatusFacts } from './status-facts.ts';

/** What code outside of this folder may ask. */
export const sidecarSetFacts: KindFacts = {
  nouns: { unit: 'pod', units: 'pods' },
  removal: () => 'its pods keep what was injected, and new pods get none of it',
  noUpdates: { type: 'NotUpdate', changes: 'New' },
  status: sidecarSetStatusFacts,
};
