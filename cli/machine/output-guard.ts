import { reasonOf } from './refused.ts';

/** The listeners of commands that must stop in order when the output is lost. */
const lossListeners = new Set<() => void>();
let lost: 1 | 141 | undefined;

/** Calls the listener when the output is lost, instead of ending the process. Returns a function that removes the listener. */
export function onOutputLost(listener: () => void): () => void {
  lossListeners.add(listener);
  return () => void lossListeners.delete(listener);
}

/** The exit code of the process: that of lost output, if it was lost, else that of the command. */
export function codeOf(code: number): number {
  return lost ?? code;
}

/**
 * Handles lost output: if the reader has closed the pipe, the program ends as SIGPIPE would end it; other errors, such as a
 * full disk, are printed. Listeners run first, so that commands can release and store what they hold.
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
      if (lossListeners.size === 0) process.exit(lost);
      for (const end of lossListeners) end();
    });
  }
}
