/** The nouns for the units that a plan counts. */
export interface UnitNouns {
  unit: string;
  units: string;
}
