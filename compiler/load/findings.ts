import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Budget } from './budget.ts';

/** Collects the problems of one file, object or folder. Stores only as many as will be listed, and counts the others. */
export interface Findings {
  /** Calls `make` only if the problem will be stored. */
  add(severity: Diagnostic['severity'], make: () => Diagnostic): void;
  /** The problems to list, errors before warnings if not all are listed. The last one has the count of the others. */
  list(): Diagnostic[];
  /** Adds the problems of a part. */
  merge(part: Findings): void;
  /** The current counts, for `reset`. */
  mark(): Counts;
  /** Removes the problems added since the mark. */
  reset(mark: Counts): void;
  /** The stored problems, errors first. */
  retained(): Diagnostic[];
}

type Counts = Readonly<Record<Diagnostic['severity'], number>>;

export function createFindings(budget: Budget): Findings {
  const most = budget.limits.problemsOfOne;
  const stored = { error: [] as Diagnostic[], warning: [] as Diagnostic[] };
  const found = { error: 0, warning: 0 };

  function add(severity: Diagnostic['severity'], make: () => Diagnostic): void {
    // Store one more than is listed: its position is where the summary of the others points.
    if (stored[severity].length <= most) stored[severity].push(make());
    found[severity] += 1;
  }

  return {
    add,
    merge(part) {
      const counts = part.mark();
      for (const each of part.retained()) add(each.severity, () => each);
      const shown = { error: 0, warning: 0 };
      for (const { severity } of part.retained()) shown[severity] += 1;
      found.error += counts.error - shown.error;
      found.warning += counts.warning - shown.warning;
    },
    mark: () => ({ ...found }),
    reset(mark) {
      for (const severity of ['error', 'warning'] as const) {
        found[severity] = mark[severity];
        stored[severity].length = Math.min(stored[severity].length, mark[severity]);
      }
    },
    retained: () => [...stored.error, ...stored.warning],
    list() {
      const total = found.error + found.warning;
      const granted = budget.consume('problems', Math.min(most, total));
      const all = [...stored.error, ...stored.warning];
      // List at least one problem, even if the budget of the run is used.
      const listed = all.slice(0, Math.max(granted, 1));
      if (total <= listed.length) return listed;
      const next = all[listed.length];
      const code = found.error > listed.length ? 'KR1038' : 'KR1037';
      const args = { count: total - listed.length };
      return [...listed, diagnostic(code, args, (next ?? listed.at(-1))?.position)];
    },
  };
}

/** Limits the problems of one file, object or folder to those that are listed, errors first. */
export function bounded(found: readonly Diagnostic[], budget: Budget): Diagnostic[] {
  const findings = createFindings(budget);
  const isLong = found.length > budget.limits.problemsOfOne;
  // If too many, list the first ones of the text, not those found first.
  const ordered = isLong ? [...found].sort((a, b) => startOf(a) - startOf(b)) : found;
  for (const each of ordered) findings.add(each.severity, () => each);
  return findings.list();
}

function startOf({ position }: Diagnostic): number {
  return position?.start ?? 0;
}
