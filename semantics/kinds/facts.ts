import type { KubeObject } from '../../schemas/wire/object.ts';
import type { GitUnits } from './git-units.ts';
import type { UnitNouns } from './nouns.ts';
import type { NoUpdates } from './no-updates.ts';
import type { StandingStatusFacts, StatusFacts } from './status-facts.ts';

/** What code outside of the folder of a kind may ask about any kind with plans. Each answers all of it: nothing has a default. */
export interface KindFacts {
  readonly nouns: UnitNouns;
  /**
   * What the removal of a target does to its pods, as a clause: `its 5 pods are deleted with it`. Undefined: nothing.
   */
  removal(units: GitUnits): string | undefined;
  /** The type of an update strategy with which no unit is updated; undefined: the kind has none. */
  readonly noUpdates: NoUpdates | undefined;
  /** What is asked about a target in the cluster. */
  readonly status: StatusFacts;
}

/** The same of a kind whose targets are reconciled at once. */
export interface StandingFacts {
  /** What the removal of a target does, as a clause: `its 3 ConfigMaps are deleted with it`. Undefined: nothing. */
  removal(manifest: KubeObject): string | undefined;
  readonly status: StandingStatusFacts;
}
