import type { Command, Option } from '../../cli/command/command.ts';
import { commands } from '../../cli/command/commands.ts';
import { markdownTable } from './markdown.ts';

const HEADER = `# Commands

_Reference._ Every command of \`kruise\` with its options, as \`kruise COMMAND --help\` shows them. Generated from
\`cli/command/commands.ts\`.
`;

/** The options that come with every command of this section, and the commands that share them. */
interface Section {
  names: string[];
  options: [string, Option, string[]][];
}

/** The page of all commands: those that speak to a rollout share a section, as they share nearly all options. */
export function commandsPage(): string {
  const groups = new Map<string, Section[]>();
  for (const [name, command] of Object.entries(commands)) {
    const sections = groups.get(command.group) ?? [];
    groups.set(command.group, sections);
    const shared = sections.find(({ names: [first = ''] }) => isAlike(commands[first], command));
    if (shared === undefined) sections.push({ names: [name], options: optionsOf(name, command) });
    else add(shared, name, command);
  }
  const texts = [...groups].flatMap(([group, sections]) => [`## ${group}`, ...sections.map(sectionText)]);
  return [HEADER, ...texts].join('\n\n');
}

function optionsOf(name: string, { options }: Command): Section['options'] {
  return Object.entries(options).map(([flag, option]) => [flag, option, [name]]);
}

/** Their operand is the same and has to be there: they are about one target. */
function isAlike(one: Command | undefined, other: Command): boolean {
  return one?.operands === other.operands && /^[A-Z]+$/.test(other.operands);
}

function add(section: Section, name: string, command: Command): void {
  section.names.push(name);
  for (const [flag, option] of Object.entries(command.options)) {
    const known = section.options.find(([each]) => each === flag);
    if (known === undefined) section.options.push([flag, option, [name]]);
    else known[2].push(name);
  }
}

function sectionText({ names, options }: Section): string {
  const own = (of: readonly string[]): string =>
    of.length === names.length ? '' : `of ${of.map((name) => `\`${name}\``).join(', ')}: `;
  const rows = options.map(([flag, option, of]) => {
    const [help, value] = withoutDefault(option);
    return [flagText(flag, option), value, `${own(of)}${help}`];
  });
  const [first = ''] = names;
  const command = commands[first];
  return [
    `### ${names.map((name) => `kruise ${name}`).join(', ')}`,
    ...names.map(
      (name) =>
        `- \`kruise ${name} ${commands[name]?.operands ?? ''}`.trimEnd() +
        `\`: ${commands[name]?.summary ?? ''}.`,
    ),
    '',
    ...(rows.length === 0 ? [] : [markdownTable(['option', 'default', 'meaning'], rows)]),
    '',
    ...(command?.notes ?? []).map((note) => escaped(note)),
    ...names.slice(1).flatMap((name) => ownNotes(name, command?.notes ?? [])),
  ].join('\n');
}

/** What the page of help of a command says beyond that of the first of its section. */
function ownNotes(name: string, shared: readonly string[]): string[] {
  const notes = (commands[name]?.notes ?? []).filter(
    (note) => !shared.includes(note) && !note.includes(`kruise ${name} `),
  );
  return notes.length === 0 ? [] : ['', `\`${name}\`: ${notes.map(escaped).join(' ')}`];
}

const escaped = (text: string): string => text.replaceAll('<', '\\<').replaceAll('*', '\\*');

/** The meaning without the default that it ends with, and that default. */
function withoutDefault({ help, default: value }: Option): [string, string] {
  const [, text = help, named = ''] = / *^(.*) \(default: (.*)\)$/.exec(help) ?? [];
  return [escaped(text), value === undefined ? named : `\`${value}\``];
}

function flagText(flag: string, { short, value, repeated }: Option): string {
  const long = `\`--${flag}${value === undefined ? '' : ` ${value}`}\``;
  return `${short === undefined ? '' : `\`-${short}\`, `}${long}${repeated === true ? ' …' : ''}`;
}
