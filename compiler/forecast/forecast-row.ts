/**
 * One step of the plan. The numbers are pods on the new revision when the step is done; undefined for a gate and if no pod
 * changes.
 */
export interface ForecastRow {
  id: string;
  gate: boolean;
  what: string;
  pods: { lowest: number; expected: number; highest: number } | undefined;
}
