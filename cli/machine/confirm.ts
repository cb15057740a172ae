import { forScreen } from '../../compiler/text/escape.ts';

/** The streams of a terminal: where the user types, and where the question is shown. */
export interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/**
 * Asks a question at a terminal. Everything but `y` and `yes` means no, also an empty line, Ctrl-D and Ctrl-C. Further
 * output always starts at a new line.
 */
export async function confirmAt({ input, output }: Terminal, question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input, output });
  const answer = await new Promise<string | undefined>((resolve) => {
    lines.on('SIGINT', () => lines.close());
    lines.on('close', () => resolve(undefined));
    lines.question(forScreen(`${question} [y/N] `), resolve);
  });
  lines.close();
  // Without an answer the cursor is still in the line of the question.
  if (answer === undefined) output.write('\n');
  return answer !== undefined && /^y(es)?$/i.test(answer.trim());
}
