import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Budget } from './budget.ts';

/** Problems of one thing as they are found: no more are kept than will be listed, the others are counted. */
export interface Findings {
  /** `make` is called only while the problem will be kept. */
  add(severity: Diagnostic['severity'], make: () => Diagnostic): void;
  /** What is listed, errors before warnings where not all are; the last says how many others there are. */
  list(): Diagnostic[];
  /** Adds what was found of a part. */
  merge(part: Findings): void;
  /** How many were found so far. */
  mark(): Counts;
  /** Forgets what was found since. */
  reset(mark: Counts): void;
  /** What is kept, the errors first. */
  retained(): Diagnostic[];
}

type Counts = Readonly<Record<Diagnostic['severity'], number>>;

export function createFindings(budget: Budget): Findings {
  const most = budget.limits.problemsOfOne;
  const kept = { error: [] as Diagnostic[], warning: [] as Diagnostic[] };
  const found = { error: 0, warning: 0 };

  function add(severity: Diagnostic['severity'], make: () => Diagnostic): void {
    // One more than is listed: the place of what is not.
    if (kept[severity].length <= most) kept[severity].push(make());
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
        kept[severity].length = Math.min(kept[severity].length, mark[severity]);
      }
    },
    retained: () => [...kept.error, ...kept.warning],
    list() {
      const total = found.error + found.warning;
      const granted = budget.consume('problems', Math.min(most, total));
      const all = [...kept.error, ...kept.warning];
      // However much there was before, of each thing one problem is listed.
      const listed = all.slice(0, Math.max(granted, 1));
      if (total <= listed.length) return listed;
      const next = all[listed.length];
      const summary = diagnostic(
        'KR1037',
        { count: total - listed.length },
        (next ?? listed.at(-1))?.position,
      );
      return [...listed, { ...summary, severity: found.error > listed.length ? 'error' : 'warning' }];
    },
  };
}

/** The problems of one thing as they are listed, the errors first. */
export function bounded(found: readonly Diagnostic[], budget: Budget): Diagnostic[] {
  const findings = createFindings(budget);
  const isLong = found.length > budget.limits.problemsOfOne;
  // The first ones of a text, not those that were found first.
  const ordered = isLong ? [...found].sort((a, b) => startOf(a) - startOf(b)) : found;
  for (const each of ordered) findings.add(each.severity, () => each);
  return findings.list();
}

function startOf({ position }: Diagnostic): number {
  return position?.start ?? 0;
}
