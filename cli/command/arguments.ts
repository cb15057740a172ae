import { parseArgs } from 'node:util';
import { suggest } from '../../compiler/text/suggest.ts';
import type { Command, Options } from './command.ts';
import { optionHint } from './option-owners.ts';

export type Parsed =
  | { kind: 'run'; operands: string[]; options: Options }
  | { kind: 'help' }
  /** What is wrong, and a hint. */
  | { kind: 'wrong'; message: string; hint: string | undefined };

function wrong(message: string, hint?: string): Parsed {
  return { kind: 'wrong', message, hint };
}

/** Parses the arguments after the name of a command by its options. Never throws. */
export function parseArguments(command: Command, args: readonly string[]): Parsed {
  const known = Object.fromEntries(
    Object.entries(command.options).map(([name, { type, short }]) => [
      name,
      short === undefined ? { type } : { type, short },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...known, help: { type: 'boolean', short: 'h' } },
    strict: false,
    tokens: true,
  });
  const operands: string[] = [];
  const options: Record<string, string | boolean | readonly string[] | undefined> = {};
  for (const [name, option] of Object.entries(command.options)) options[name] = option.default;
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    if (token.name === 'help') return { kind: 'help' };
    const option = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined;
    if (option === undefined) {
      const own = [...Object.keys(command.options), 'help'];
      return wrong(`unknown option ${token.rawName}`, optionHint(token.name, own));
    }
    if (option.type === 'boolean') {
      if (token.value !== undefined) return wrong(`--${token.name} takes no value`);
      options[token.name] = true;
      continue;
    }
    const { value } = token;
    // A negative number is a value; any other argument that starts with a dash is the next option.
    const isNext = value?.startsWith('-') === true && value !== '-' && !/^-[0-9.]/.test(value);
    // In a script, the value of a variable that is not set.
    if (value === undefined || value === '' || (isNext && token.inlineValue !== true)) {
      return wrong(`--${token.name} needs a value`);
    }
    if (option.choices !== undefined && !option.choices.includes(value)) {
      const suggestion = suggest(value, option.choices);
      const hint =
        suggestion === undefined ? `use ${option.choices.join(', ')}` : `did you mean ${suggestion}?`;
      return wrong(`--${token.name} cannot be '${value}'`, hint);
    }
    if (option.repeated === true) {
      const before = options[token.name];
      options[token.name] = [...(Array.isArray(before) ? (before as string[]) : []), value];
    } else options[token.name] = value;
  }
  return { kind: 'run', operands, options };
}
