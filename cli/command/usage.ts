import type { Command, Commands, Option } from './command.ts';

/** The page of `kruise --help`. */
export function mainHelp(commands: Commands): string {
  const names = Object.keys(commands);
  const width = Math.max(...names.map((name) => name.length));
  const groups = new Map<string, string[]>();
  for (const [name, { group, summary }] of Object.entries(commands)) {
    groups.set(group, [...(groups.get(group) ?? []), `  ${name.padEnd(width)}  ${summary}`]);
  }
  return [
    'kruise plans rollouts of OpenKruise workloads in git and executes the plans in the cluster.',
    '',
    'Usage: kruise COMMAND [OPTIONS]',
    '',
    ...[...groups].flatMap(([group, lines]) => [`${group}:`, ...lines, '']),
    "'kruise COMMAND --help' shows the options of a command. 'kruise --version' prints the version.",
    '',
  ].join('\n');
}

/** The page of `kruise COMMAND --help`. */
export function commandHelp(name: string, command: Command): string {
  const rows: [string, string][] = Object.entries(command.options).map(([flag, option]) => [
    flagText(flag, option),
    option.default === undefined ? option.help : `${option.help} (default: ${option.default})`,
  ]);
  rows.push(['-h, --help', 'show this page']);
  const width = Math.max(...rows.map(([flag]) => flag.length));
  return [
    `${command.summary}.`,
    '',
    `Usage: kruise ${name} ${command.operands} [OPTIONS]`.replace(/ {2,}/g, ' '),
    '',
    'Options:',
    ...rows.map(([flag, help]) => `  ${flag.padEnd(width)}  ${help}`),
    ...(command.notes === undefined ? [] : ['', ...command.notes]),
    '',
  ].join('\n');
}

function flagText(flag: string, option: Option): string {
  const short = option.short === undefined ? '    ' : `-${option.short}, `;
  return `${short}--${flag}${option.value === undefined ? '' : ` ${option.value}`}`;
}
