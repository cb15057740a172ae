import { createBudget } from '../compiler/load/budget.ts';
import type { Budget } from '../compiler/load/budget.ts';
import type { RunLimit } from '../compiler/load/limits.ts';
import { countText } from '../semantics/values/text.ts';
import type { Options } from './command/command.ts';
import type { Refusal } from './command/refusal.ts';
import { GitError } from './git/git-error.ts';
import type { Host } from './host.ts';

/**
 * The budget of a run, which all of its reads draw on; the reason instead if the option `--budget` is no share. The host shows how far
 * reading is.
 */
export function budgetOf(host: Host, { budget: percent }: Options): Budget | Refusal {
  let files = 0;
  const onTake = (limit: RunLimit, count: number): void => {
    if (limit !== 'files') return;
    files += count;
    host.progress?.(() => `reading: ${countText(files, 'file')} so far`);
  };
  if (percent === undefined) return createBudget(undefined, undefined, onTake);
  if (typeof percent === 'string' && /^[1-9][0-9]{0,3}%?$/.test(percent))
    return createBudget(undefined, Number.parseInt(percent, 10), onTake);
  return {
    problem: `--budget needs a percentage of the limits of a run, not ${String(percent)}`,
    help: 'a percentage from 1 to 9999: --budget 200',
  };
}

/** The same host, whose git and commands of `roots` draw on a budget. Beyond it they throw a `GitError`. */
export function withBudget(host: Host, budget: Budget): Host {
  const take = (limit: RunLimit, count: number): void => {
    if (budget.take(limit, count)) return;
    const [found] = budget.problems();
    throw new GitError(found?.message ?? 'the run has reached a limit', found?.help ?? 'plan fewer folders');
  };
  const { git, renderer } = host;
  return {
    ...host,
    ...(git === undefined
      ? {}
      : {
          git(folder, args, input, hidden) {
            const result = git(folder, args, input, hidden);
            take('gitBytes', result.stdout.length);
            if (LISTS.has(args[0] ?? '')) take('gitNames', recordsIn(result.stdout));
            return result;
          },
        }),
    ...(renderer === undefined
      ? {}
      : {
          renderer: {
            unpack: renderer.unpack,
            run(...asked) {
              const result = renderer.run(...asked);
              take('printedBytes', result.stdout.length);
              return result;
            },
          },
        }),
  };
}

/** Commands of git that list files. A tree of a few objects can list a folder thousands of times. */
const LISTS: ReadonlySet<string> = new Set(['ls-tree', 'ls-files']);

/** How many records end with a NUL. */
function recordsIn(printed: Uint8Array): number {
  let count = 0;
  for (let at = printed.indexOf(0); at !== -1; at = printed.indexOf(0, at + 1)) count += 1;
  return count;
}
