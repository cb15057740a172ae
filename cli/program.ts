import { main } from './dispatch.ts';
import { runHere } from './machine/run-here.ts';

/** Runs a command on this machine. */
export async function run(args: readonly string[]): Promise<void> {
  await runHere((host) => main(host, args));
}
