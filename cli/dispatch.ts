import type { Host } from './host.ts';
import { commands } from './command/commands.ts';
import { runCommand } from './command/run-command.ts';

/** The command line: selects a command, runs it and returns the exit code. Never rejects, whatever the input. */
export async function main(host: Host, args: readonly string[]): Promise<number> {
  return runCommand(host, args, commands);
}
