import { forTerminal, shorten } from '../compiler/text/escape.ts';
import { suggest } from '../compiler/text/suggest.ts';
import type { Host } from './host.ts';
import { parseArguments } from './command/arguments.ts';
import { exitCode } from './command/command.ts';
import { commands } from './command/commands.ts';
import { commandHelp, mainHelp } from './command/usage.ts';
import { versionText } from './version.ts';

/**
 * The command line: selects a command, runs it and returns the exit code. It never rejects, whatever the input.
 */
export async function main(host: Host, words: readonly string[]): Promise<number> {
  try {
    return await dispatch(host, words);
  } catch (error) {
    const message = forTerminal(error instanceof Error ? error.message : String(error));
    host.stderr(`kruise: internal error: ${message}\n`);
    const lines = error instanceof Error ? (error.stack ?? '').split('\n') : [];
    if (host.env['KRUISE_DEBUG'] === '1') for (const line of lines) host.stderr(`${forTerminal(line)}\n`);
    else host.stderr('This is a bug in kruise, please report it. KRUISE_DEBUG=1 prints the stack trace.\n');
    return exitCode.error;
  }
}

/** The spellings of the request for help. */
const HELP = new Set(['--help', '-h', 'help']);

async function dispatch(host: Host, words: readonly string[]): Promise<number> {
  const [name, ...rest] = words;
  const version = versionText(words);
  if (version !== undefined) {
    host.stdout(version);
    return exitCode.done;
  }
  // Users type `kruise --help plan` as often as `kruise help plan`.
  const isHelp = name !== undefined && HELP.has(name);
  const about = rest.find((word) => !word.startsWith('-'));
  if (name === undefined || (isHelp && about === undefined)) {
    host.stdout(mainHelp());
    return name === undefined ? exitCode.error : exitCode.done;
  }
  const asked = isHelp ? (about ?? '') : name;
  const command = Object.hasOwn(commands, asked) ? commands[asked] : undefined;
  if (command === undefined) {
    const isOption = asked.startsWith('-');
    const meant = suggest(asked, isOption ? ['--help', '--version'] : Object.keys(commands));
    const later = rest.find((word) => Object.hasOwn(commands, word));
    const hint =
      meant !== undefined
        ? `; did you mean '${meant}'?`
        : isOption && later !== undefined
          ? `; options follow the command: kruise ${later} …`
          : '';
    const what = isOption ? 'option' : 'command';
    host.stderr(`kruise: unknown ${what} '${forTerminal(shorten(asked, 60))}'${hint}\n`);
    host.stderr("Run 'kruise --help' for all commands.\n");
    return exitCode.error;
  }
  if (isHelp) {
    host.stdout(commandHelp(asked, command));
    return exitCode.done;
  }
  const parsed = parseArguments(command, rest);
  switch (parsed.kind) {
    case 'help':
      host.stdout(commandHelp(asked, command));
      return exitCode.done;
    case 'wrong': {
      const hint = parsed.hint === undefined ? '' : `; ${parsed.hint}`;
      // The whole help would scroll this line off the screen.
      host.stderr(`kruise ${asked}: ${forTerminal(shorten(parsed.message, 120) + hint)}\n`);
      host.stderr(`Run 'kruise ${asked} --help' for all options.\n`);
      return exitCode.error;
    }
    case 'run': {
      const run = await command.load();
      return run(host, parsed.operands, parsed.options);
    }
  }
}
