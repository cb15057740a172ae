/** What git cannot do for the user, and what the user can do about it. */
export class GitError extends Error {
  readonly help: string;
  constructor(message: string, help: string) {
    super(message);
    this.name = 'GitError';
    this.help = help;
  }
}

/** Objects that a partial clone has left out. Nothing fetches them here. */
export class MissingObjects extends GitError {}
