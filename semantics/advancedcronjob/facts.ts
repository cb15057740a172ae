import type { KindFacts } from '../kinds/facts.ts';
import { advancedCronJobStatusFacts } from './status-facts.ts';

/** What code outside of this folder may ask. */
export const advancedCronJobFacts: KindFacts = {
  nouns: { unit: 'tick', units: 'ticks' },
  removal: () => 'its children are deleted with it, and so are their pods',
  noUpdates: undefined,
  status: advancedCronJobStatusFacts,
};
