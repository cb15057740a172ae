import type { UnitNouns } from './nouns.ts';

/** What code outside of the folder of a kind may ask about any kind. Every kind answers all of it: nothing has a default. */
export interface KindFacts {
  readonly nouns: UnitNouns;
}
