import { reasonOf } from './refused.ts';

/** Of those who have to end in order, when nobody reads what they say. */
const endings = new Set<() => void>();
let lost: 1 | 141 | undefined;

/** Calls the listener when the output is lost, instead of ending the process; what is returned takes it away. */
export function onOutputLost(listener: () => void): () => void {
  endings.add(listener);
  return () => void endings.delete(listener);
}

/** The exit code of a command: once its output was lost, that is what the process ends with. */
export function codeOf(code: number): number {
  return lost ?? code;
}

/**
 * A reader that went away ends the program as SIGPIPE would; a full disk is worth a line. Neither is our mistake, and who
 * has something to hand back or to put away does so first.
 */
export function guardOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: Error & { code?: string }) => {
      const isFirst = lost === undefined;
      lost ??= error.code === 'EPIPE' ? 141 : 1;
      if (isFirst && lost === 1 && stream === process.stdout) {
        const reason = error.code === undefined ? error.message : reasonOf(error.code);
        process.stderr.write(`kruise: the output cannot be written: ${reason}\n`);
      }
      if (endings.size === 0) process.exit(lost);
      for (const end of endings) end();
    });
  }
}
