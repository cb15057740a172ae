/** Quotes a text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  // A tilde means a home at the begin of a word, and after `=` or `:` of an assignment.
  return /^(?:[A-Za-z0-9_./@%+=:,-]|(?<=[A-Za-z0-9_./-])~)+$/.test(text)
    ? text
    : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes a path as an operand of a command in a shell: one that begins with a dash is no option. */
export function shellPath(path: string): string {
  return shellWord(path.startsWith('-') ? `./${path}` : path);
}
