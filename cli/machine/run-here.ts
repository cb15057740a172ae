import type { Host } from '../host.ts';
import { nodeHost } from './node-host.ts';
import { codeOf, guardOutput } from './output-guard.ts';

/** Runs a program on the machine of the process, and sets its result as the exit code. */
export async function runHere(program: (host: Host) => Promise<number>): Promise<void> {
  guardOutput();
  // Not process.exit: it would cut off output that a pipe has not accepted yet.
  process.exitCode = codeOf(await program(nodeHost()));
}
