/** A type of an update strategy with which the runtime updates no unit, and the units that get a change nevertheless. */
export interface NoUpdates {
  /** Its value in a manifest. */
  type: string;
  /**
   * `Deleted`: units that a user deletes, as the target makes them again. `New`: units that other owners create from then on; those
   * that exist stay as they are.
   */
  changes: 'Deleted' | 'New';
}
