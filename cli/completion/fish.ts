import type { Commands } from '../command/command.ts';
import { operandsOf, optionsOf, quoted } from './words.ts';

/** Completes words in fish; where a value or an operand may be anything, fish completes files. */
export function fishScript(commands: Commands): string {
  const names = Object.entries(commands);
  const first = names.map(
    ([name, { summary }]) =>
      `complete -c kruise -n __fish_use_subcommand -f -a ${name} -d ${quotedForFish(summary)}`,
  );
  const rest = names.flatMap(([name, command]) => {
    const seen = `complete -c kruise -n '__fish_seen_subcommand_from ${name}'`;
    const operands = operandsOf(command);
    return [
      ...(operands.length === 0 ? [] : [`${seen} -f -a '${operands.join(' ')}'`]),
      ...optionsOf(command).map(({ flags, value, choices, help }) => {
        const words = flags.map((flag) =>
          flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
        );
        const takes =
          value === undefined ? '' : choices.length === 0 ? ' -r' : ` -x -a '${choices.join(' ')}'`;
        return `${seen} ${words.join(' ')}${takes} -d ${quotedForFish(help)}`;
      }),
    ];
  });
  return `# Completion of kruise for fish: kruise completion fish | source\n${[...first, ...rest].join('\n')}\n`;
}

/** In single quotes fish reads a backslash before a backslash or a quote. */
function quotedForFish(text: string): string {
  return quoted(text.replaceAll('\\', '\\\\'));
}
