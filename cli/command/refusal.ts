/** Why a person is not given what was asked for, and what to do about it. */
export interface Refusal {
  problem: string;
  help: string;
}
