import type { Command } from '../command/command.ts';

/** An option of a command, as shells need it. */
export interface OptionWords {
  /** `--output`, and `-o` where there is one. */
  flags: readonly string[];
  /** The placeholder of its value; undefined: it takes none. */
  value: string | undefined;
  /** The accepted values; none: any. */
  choices: readonly string[];
  help: string;
}

/** The options of a command, `--help` among them. */
export function optionsOf({ options }: Command): OptionWords[] {
  const own = Object.entries(options).map(([name, { type, short, value, choices = [], help }]) => ({
    flags: [`--${name}`, ...(short === undefined ? [] : [`-${short}`])],
    value: type === 'boolean' ? undefined : (value ?? 'VALUE'),
    choices,
    help,
  }));
  return [...own, { flags: ['--help', '-h'], value: undefined, choices: [], help: 'show the help' }];
}

/** The words that a command takes as operands, such as `install|check`; none: files, or what only a cluster knows. */
export function operandsOf({ operands }: Command): readonly string[] {
  return /^[a-z]+(\|[a-z]+)+$/.test(operands) ? operands.split('|') : [];
}

/** A text in single quotes, for all three shells. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
