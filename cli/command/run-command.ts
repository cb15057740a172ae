import { forTerminal, shorten } from '../../compiler/text/escape.ts';
import { suggest } from '../../compiler/text/suggest.ts';
import type { Host } from '../host.ts';
import { versionText } from '../version.ts';
import { parseArguments } from './arguments.ts';
import { exitCode } from './command.ts';
import type { Commands } from './command.ts';
import { commandHelp, mainHelp } from './usage.ts';

/** Selects the command, runs it and returns the exit code. Never rejects, whatever the input. */
export async function runCommand(host: Host, args: readonly string[], commands: Commands): Promise<number> {
  try {
    return await dispatch(host, args, commands);
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

async function dispatch(host: Host, args: readonly string[], commands: Commands): Promise<number> {
  const [name, ...rest] = args;
  const version = versionText(args);
  if (version !== undefined) {
    host.stdout(version);
    return exitCode.done;
  }
  // Users type `kruise --help plan` as often as `kruise help plan`.
  const isHelp = name !== undefined && HELP.has(name);
  const topic = rest.find((word) => !word.startsWith('-'));
  if (name === undefined || (isHelp && topic === undefined)) {
    host.stdout(mainHelp(commands));
    return name === undefined ? exitCode.error : exitCode.done;
  }
  const requested = isHelp ? (topic ?? '') : name;
  const command = Object.hasOwn(commands, requested) ? commands[requested] : undefined;
  if (command === undefined) {
    const isOption = requested.startsWith('-');
    const suggestion = suggest(requested, isOption ? ['--help', '--version'] : Object.keys(commands));
    const later = rest.find((word) => Object.hasOwn(commands, word));
    const hint =
      suggestion !== undefined
        ? `; did you mean '${suggestion}'?`
        : isOption && later !== undefined
          ? `; options follow the command: kruise ${later} …`
          : '';
    const what = isOption ? 'option' : 'command';
    host.stderr(`kruise: unknown ${what} '${forTerminal(shorten(requested, 60))}'${hint}\n`);
    host.stderr("Run 'kruise --help' for all commands.\n");
    return exitCode.error;
  }
  if (isHelp) {
    host.stdout(commandHelp(requested, command));
    return exitCode.done;
  }
  const parsed = parseArguments(command, rest);
  switch (parsed.kind) {
    case 'help':
      host.stdout(commandHelp(requested, command));
      return exitCode.done;
    case 'wrong': {
      const hint = parsed.hint === undefined ? '' : `; ${parsed.hint}`;
      // The whole help would scroll this line off the screen.
      host.stderr(`kruise ${requested}: ${forTerminal(shorten(parsed.message, 120) + hint)}\n`);
      host.stderr(`Run 'kruise ${requested} --help' for all options.\n`);
      return exitCode.error;
    }
    case 'run': {
      const run = await command.load();
      return run(host, parsed.operands, parsed.options);
    }
  }
}
