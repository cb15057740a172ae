import { isCI } from '../command/ci.ts';
import type { Options } from '../command/command.ts';
import type { Refusal } from '../command/refusal.ts';
import type { Host } from '../host.ts';
import type { Compared } from './states.ts';

/** What a run does with the files of its plans, and why it writes none. */
export type Purpose =
  | { do: 'write' }
  | { do: 'print'; reason: string }
  | { do: 'check'; reason: string | undefined };

/** What the options and the environment ask for, or the reason why they contradict each other. */
export function purposeOf(
  { env }: Pick<Host, 'env'>,
  options: Options,
  { isWritable }: Pick<Compared, 'isWritable'>,
): Purpose | Refusal {
  const { check, 'dry-run': dryRun, output } = options;
  if (check === true && dryRun === true)
    return {
      problem: '--check and --dry-run exclude each other',
      help: '--check compares, --dry-run shows what would be written',
    };
  if (dryRun === true) return { do: 'print', reason: '--dry-run' };
  if (check === true) return { do: 'check', reason: undefined };
  if (isCI(env)) return { do: 'check', reason: 'CI is set' };
  if (!isWritable) return { do: 'check', reason: 'head is a commit' };
  return output === 'human' ? { do: 'write' } : { do: 'print', reason: `-o ${String(output)}` };
}
