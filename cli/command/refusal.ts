/** Why a command is refused, and what to do. */
export interface Refusal {
  problem: string;
  help: string;
}
