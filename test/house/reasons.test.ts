import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { trackedFiles } from './files.ts';
import { documentedIn, reasonsIn } from './reasons.ts';

const read = (path: string): string => readFileSync(path, 'utf8');
const held = documentedIn(read('docs/how-to/held.md'), 'reason');
const events = documentedIn(read('docs/reference/status.md'), 'Event');
const failures = documentedIn(read('docs/explanation/steps.md'), 'reason');

/** Reasons without a row in any page, and where they are documented instead. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  AlreadyThere: 'a condition of the plan: docs/reference/status.md',
  Completed: 'a condition of the plan: docs/reference/status.md',
  FollowsRoot: 'a plan of a child that has a share: no kind that is shipped makes any yet',
  RevertAsked: 'a condition of the plan: docs/reference/status.md',
  WentBack: 'a condition of the plan: docs/reference/status.md',
  TakenOver: 'only on the record of a plan that another took over from',
};

const found = trackedFiles()
  .filter((path) => /^(semantics|runtime)\/.*\.ts$/.test(path))
  .map((path) => ({ path, ...reasonsIn(read(path)) }));

describe('reasons and Events', () => {
  it('of plans and targets are documented', () => {
    const documented = new Set([...held, ...events, ...failures, ...Object.keys(ELSEWHERE)]);
    const missing = found
      .filter(({ path }) => /^(semantics|runtime)\/plan\//.test(path))
      .flatMap(({ path, used }) =>
        used.filter((reason) => !documented.has(reason)).map((reason) => `${path}: ${reason}`),
      );
    expect(missing).toEqual([]);
  });

  it('in the documents are used by the code', () => {
    const all = new Set(found.flatMap(({ all: names }) => names));
    // Composed of `Command` and the result of the command.
    for (const result of ['Expired', 'Refused']) if (all.has(result)) all.add(`Command${result}`);
    const rows = [...held, ...events, ...failures, ...Object.keys(ELSEWHERE)];
    expect(rows.length).toBeGreaterThan(55);
    expect(rows.filter((name) => !all.has(name))).toEqual([]);
  });

  it('are found in sources and pages (control)', () => {
    const source = [
      "type Reason = { reason: 'NoType' };",
      "const one = { reason: ok ? 'OnePlan' : other ?? 'TwoPlans', message: 'Three' };",
      "const reasons = { a: 'FourPlans' };",
      "if (one.reason === 'FivePlans') go({ reason: x === 'SixPlans' ? a : b });",
    ].join('\n');
    expect(reasonsIn(source).used).toEqual(['OnePlan', 'TwoPlans', 'FourPlans']);
    const page =
      '| Event | when |\n| --- | --- |\n| `A`, `B` | `C` |\n\n| other | x |\n| --- | --- |\n| `D` | |\n';
    expect(documentedIn(page, 'Event')).toEqual(['A', 'B']);
  });
});
