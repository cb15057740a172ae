/** One step of the plan. The numbers are pods on the new revision when the step is done; none for a gate, nor where no
 * pod will move. */
export interface ForecastRow {
  id: string;
  gate: boolean;
  what: string;
  pods: { lowest: number; expected: number; highest: number } | undefined;
}
