/** So long a name counts as taken that an object of another owner has, milliseconds: nothing says when that object is gone. */
export const TAKEN_MS = 60_000;
