import { isCI } from '../command/ci.ts';
import type { Options } from '../command/command.ts';
import { shellWord } from '../../compiler/text/shell-word.ts';
import type { Host } from '../host.ts';
import { filesOf } from './files.ts';
import type { Compared } from './states.ts';

/** What writes the plans that a check misses, for a person in a clone of the repository. */
export interface Fix {
  command: string;
  /** Commands that have to be run before it. */
  before: readonly (readonly string[])[];
  /** The folder of the repository to run it in; undefined: its root, or the one of the run. */
  folder: string | undefined;
  /** It repeats or continues plans already. */
  isRepeat: boolean;
}

export function fixCommand(
  host: Pick<Host, 'env'>,
  {
    baseName,
    folder,
    isWritable,
    isMergeOfBase,
  }: Pick<Compared, 'baseName' | 'folder' | 'isWritable' | 'isMergeOfBase'>,
  operands: readonly string[],
  options: Options,
): Fix {
  const {
    out,
    again,
    continue: isContinued,
    'going-back': goingBack,
    budget,
    target,
    base,
    'base-dir': baseDir,
    'base-file': baseFile,
    staged,
    head,
    strict,
  } = options;
  const args = ['kruise', 'plan', ...operands, ...filesOf(options).flatMap((file) => ['-f', file])];
  if (typeof baseFile === 'string') args.push('--base-file', baseFile);
  if (typeof base === 'string') args.push('--base', base);
  else if (typeof baseDir === 'string') args.push('--base-dir', baseDir);
  // In CI the base follows from variables that a person does not have.
  else if (isCI(host.env) && baseName !== undefined) args.push('--base', baseName);
  if (out !== 'plans') args.push('--out', String(out));
  if (staged === true) args.push('--staged');
  if (options['allow-render'] === true) args.push('--allow-render');
  if (typeof budget === 'string') args.push('--budget', budget);
  if (strict === true) args.push('--strict');
  if (again === true) args.push('--again');
  if (isContinued === true) args.push('--continue');
  if (typeof goingBack === 'string') args.push('--going-back', goingBack);
  if (typeof target === 'string') args.push('--target', target);
  const before = isWritable || head === 'HEAD' ? [] : [['git', 'switch', String(head)]];
  // A branch that has the base already is left as it is.
  if (isCI(host.env) && isMergeOfBase === true && baseName !== undefined)
    before.push(['git', 'merge', baseName]);
  return {
    command: textOf(args),
    before,
    folder: isCI(host.env) && folder !== '' ? folder : undefined,
    isRepeat: again === true || isContinued === true,
  };
}

/** The help of a problem of a check. */
export function fixHelp({ command, before, folder }: Fix): string {
  const [remote] = before.flatMap((words) => words.filter((word) => word.startsWith('origin/')));
  // A clone of a person may not have what CI has fetched.
  const fetch = remote === undefined ? [] : [['git', 'fetch', 'origin']];
  const commands = [...[...fetch, ...before].map(textOf), command].join(' && ');
  return `run${folder === undefined ? '' : ` in ${shellWord(folder)}`} and commit: ${commands}`;
}

function textOf(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}
