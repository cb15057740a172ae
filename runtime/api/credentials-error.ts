/** Why there is no connection, and what to do, one sentence each. */
export interface ConnectionProblem {
  problem: string;
  help: string;
}

/** Credentials could not be read: a plugin failed, or a file is missing. */
export class CredentialsError extends Error {
  readonly help: string;
  constructor({ problem, help }: ConnectionProblem) {
    super(problem);
    this.name = 'CredentialsError';
    this.help = help;
  }
}
