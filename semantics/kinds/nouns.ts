/** The nouns for the units that a plan counts. */
export interface UnitNouns {
  unit: string;
  units: string;
}

/** Those of every kind whose units are pods. */
export const podNouns: UnitNouns = { unit: 'pod', units: 'pods' };

/** Those of kinds whose units are nodes. */
export const nodeNouns: UnitNouns = { unit: 'node', units: 'nodes' };
