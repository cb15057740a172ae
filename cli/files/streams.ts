import { HostError, TooMuch } from '../../compiler/host.ts';
import { fromCwd } from '../../compiler/load/files.ts';
import { LIMITS, sizeText } from '../../compiler/load/limits.ts';
import type { GivenText } from '../../compiler/load/read.ts';
import type { Refusal } from '../command/refusal.ts';
import type { Host } from '../host.ts';

/** The operand that stands for standard input. */
export const STDIN = '-';

/** The name of standard input in messages. */
const SHOWN = '<stdin>';

/**
 * The text of standard input, or of a file that is a pipe or a regular file.
 *
 * @param mayBeEmpty whether an empty text is no mistake; that of a failed command in a pipe is empty, too
 */
export function readStream(host: Host, path: string, mayBeEmpty: boolean): GivenText | Refusal {
  const isStdin = path === STDIN;
  const file = isStdin ? SHOWN : path;
  const name = isStdin ? 'standard input' : path;
  if (host.readStream === undefined)
    return { problem: `${name} cannot be read here`, help: 'name a file or folder' };
  try {
    const bytes = host.readStream(isStdin ? undefined : fromCwd(host, path), LIMITS.fileBytes);
    const isEmpty = bytes.every((byte) => byte === 0x0a || byte === 0x0d || byte === 0x20);
    if (!isEmpty || mayBeEmpty) return { file, bytes };
    return {
      problem: `${name} is empty`,
      help: isStdin
        ? 'see whether the command before it failed'
        : 'see whether the command that wrote it failed',
    };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    if (error instanceof TooMuch)
      return { problem: `${name} is larger than ${sizeText(LIMITS.fileBytes)}`, help: 'split it' };
    return { problem: `${name} cannot be read: ${error.reason}`, help: 'name a file that you may read' };
  }
}
