/**
 * One step of the plan. The numbers are pods on the new revision when the step is done; undefined for a gate and if no pod
 * changes.
 */
export interface ForecastRow {
  id: string;
  gate: boolean;
  what: string;
  pods: { lowest: number; expected: number; highest: number } | undefined;
  /**
   * The units that the step updates, in that order, at the expected number of replicas: `web-4 to web-2, web-0`. Omitted
   * where git does not know them.
   */
  names?: string;
}
