/** Why there is no connection, and what to do about it: a sentence each. */
export interface ConnectionProblem {
  problem: string;
  help: string;
}

/** Credentials that could not be had: a plugin that failed, a file that is gone. */
export class CredentialsError extends Error {
  readonly help: string;
  constructor({ problem, help }: ConnectionProblem) {
    super(problem);
    this.name = 'CredentialsError';
    this.help = help;
  }
}
