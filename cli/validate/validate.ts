import { GitError } from '../git/git-error.ts';
import type { Budget } from '../../compiler/load/budget.ts';
import { budgetOf, withBudget } from '../budget.ts';
import { otherRoot } from '../../compiler/load/elsewhere.ts';
import { checkState } from '../../compiler/check-state.ts';
import { hasErrors, sortDiagnostics } from '../../compiler/diagnostics/diagnostic.ts';
import { diagnosticJson } from '../../compiler/diagnostics/render.ts';
import { exitCode } from '../command/command.ts';
import type { Options, Run } from '../command/command.ts';
import type { Refusal } from '../command/refusal.ts';
import { STDIN } from '../files/streams.ts';
import type { Host } from '../host.ts';
import { renderHeads } from '../roots/head.ts';
import type { RenderedHeads } from '../roots/head.ts';
import { selectRoots } from '../roots/select.ts';
import type { SelectedRoot } from '../roots/select.ts';
import { shownPath } from '../../compiler/load/files.ts';
import { ignoredText, reportDiagnostics, reportRefusal } from '../command/report.ts';
import { forJson, forTerminal } from '../../compiler/text/escape.ts';
import { countText } from '../../semantics/values/text.ts';
import { withRelativePaths } from '../files/relative-paths.ts';
import { validatedStates } from './states.ts';

/** `kruise validate`: every problem of every manifest, without a second state. */
export const runValidate: Run = (machine, operands, options) => {
  const refuse = (refusal: Refusal): number => {
    reportRefusal(machine, 'validate', refusal);
    return exitCode.error;
  };
  const budget = budgetOf(machine, options);
  if ('problem' in budget) return refuse(budget);
  const host = withBudget(withRelativePaths(machine), budget);
  let named: ReturnType<typeof namedStates>;
  try {
    named = namedStates(host, operands, options, budget);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return refuse({ problem: error.message, help: error.help });
  }
  if ('problem' in named) return refuse(named);
  const { states, isPart } = named;
  const strict = options['strict'] === true;
  const others = states.map((state) => otherRoot(host, state, budget));
  const checked: ReturnType<typeof checkState>[] = [];
  for (const [index, state] of states.entries()) {
    if (budget.exceeded !== undefined) break;
    const otherRoots = others.filter((_, other) => other !== index);
    checked.push(checkState(host, state, strict, { budget, isPart, otherRoots }));
  }
  const all = [...named.diagnostics, ...checked.flatMap((each) => each.diagnostics)];
  const diagnostics = sortDiagnostics(all);
  const failed = hasErrors(diagnostics);
  const sum = (count: (each: (typeof checked)[number]) => number): number =>
    checked.reduce((total, each) => total + count(each), 0);
  const found = sum(({ loaded }) => loaded.found);
  if (found === 0 && !failed) {
    reportDiagnostics(host, diagnostics);
    const where = states.flatMap(({ paths }) => paths.map((path) => shownPath(host, path))).join(', ');
    host.stderr(`kruise validate: no *.yaml, *.yml or *.json file in ${forTerminal(where)}\n`);
    return exitCode.error;
  }
  const objects = sum(({ loaded }) => loaded.manifests.size + loaded.standing.size);
  const files = sum(({ loaded }) => loaded.files);
  if (options['output'] === 'json') {
    host.stdout(forJson({ format: '1', objects, files, diagnostics: diagnostics.map(diagnosticJson) }));
  } else {
    reportDiagnostics(host, diagnostics);
    const ignored = new Map<string, number>();
    for (const { loaded } of checked)
      for (const [kind, count] of loaded.ignored) ignored.set(kind, (ignored.get(kind) ?? 0) + count);
    if (ignored.size > 0) host.stderr(ignoredText(ignored));
    if (!failed) host.stdout(`${resultText(objects, files, found)}\n`);
  }
  return failed ? exitCode.error : exitCode.done;
};

/** What the operands name: roots of kruise.yaml, or the paths themselves. */
function namedStates(
  host: Host,
  operands: readonly string[],
  options: Options,
  budget: Budget,
): (RenderedHeads & { isPart: boolean }) | Refusal {
  const out = String(options['out']);
  const roots = operands.includes(STDIN) ? undefined : selectRoots(host, operands, out, budget);
  if (roots !== undefined && 'problem' in roots) return roots;
  if (roots !== undefined)
    return { ...renderHeads(host, host, roots, options['allow-render'] === true, budget, at), isPart: true };
  const states = validatedStates(host, operands, out, budget);
  return 'problem' in states ? states : { states, diagnostics: [], isPart: false };
}

function at({ folder }: SelectedRoot): { folder: string } {
  return { folder };
}

function resultText(objects: number, files: number, found: number): string {
  if (objects > 0) return `${countText(objects, 'object')} in ${countText(files, 'file')}: valid.`;
  return `${countText(found, 'file')}, and no object in ${found === 1 ? 'it' : 'them'} that this version plans.`;
}
