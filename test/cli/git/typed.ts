import type { Clone, Ran } from './clone.ts';

/** The words of a command, without the quotes of a shell. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** Types the commands of `git` and `kruise` that a message joins by `&&`. Returns what the last `kruise` printed. */
export async function typeAll(clone: Clone, commands: string, at = '.'): Promise<Ran> {
  let ran: Ran | undefined;
  for (const command of commands.split(' && ')) {
    const [program = '', ...words] = wordsOf(command);
    if (program === 'git') clone.git(...words);
    else if (program === 'kruise') ran = await clone.kruise(words, at);
    else throw new Error(`no command of kruise or git: ${command}`);
    if (ran !== undefined && ran.code !== 0) throw new Error(`${command}: ${ran.err}`);
  }
  if (ran === undefined) throw new Error(`no command of kruise: ${commands}`);
  return ran;
}
