import type { KindFacts } from '../kinds/facts.ts';
import { removalOfPods } from '../kinds/removal.ts';
import { statefulSetStatusFacts } from './status-facts.ts';

/** What code outside of this folder may ask. */
export const statefulSetFacts: KindFacts = {
  nouns: { unit: 'pod', units: 'pods' },
  removal: removalOfPods,
  noUpdates: { type: 'OnDelete', changes: 'Deleted' },
  status: statefulSetStatusFacts,
};
