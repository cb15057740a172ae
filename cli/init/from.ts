import { raiseState, type Raised, type RaisedVerdict } from '../../compiler/raise/raise.ts';
import { textOfNames } from '../../compiler/build/verdict.ts';
import { hasErrors } from '../../compiler/diagnostics/diagnostic.ts';
import { HostError } from '../../compiler/host.ts';
import { createBudget } from '../../compiler/load/budget.ts';
import { shownPath } from '../../compiler/load/files.ts';
import { forTerminal, shorten } from '../../compiler/text/escape.ts';
import { shellWord } from '../../compiler/text/shell-word.ts';
import { countText } from '../../semantics/values/text.ts';
import { exitCode, type Run } from '../command/command.ts';
import { reportDiagnostics, reportRefusal } from '../command/report.ts';
import { headState } from '../files/states.ts';
import { withRelativePaths } from '../files/relative-paths.ts';
import { printFiles } from '../manifests/output.ts';

/** `kruise init --from apps/v1`: manifests of Kubernetes as kinds of OpenKruise, with a comment on what is won. */
export const runRaise: Run = (machine, operands, options) => {
  const host = withRelativePaths(machine);
  const refuse = (problem: string, help: string): number => {
    reportRefusal(host, 'init', { problem, help });
    return exitCode.error;
  };
  const budget = createBudget();
  const state = headState(host, operands, 'plans', budget, (_host, named) => named);
  if ('problem' in state) return refuse(state.problem, state.help ?? 'name manifests below it');
  const raised = raiseState(host, state, { namespace: 'default' }, budget);
  reportDiagnostics(host, raised.diagnostics);
  if (hasErrors(raised.diagnostics)) {
    host.stderr('kruise init: nothing was written\n');
    return exitCode.error;
  }
  const { files } = raised;
  const isDry = options['dry-run'] === true;
  if (!isDry) {
    try {
      const changes = files.flatMap(({ path, text }) => (path === undefined ? [] : [{ path, text }]));
      host.write(changes, host.cwd);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      return refuse(error.reason, 'nothing was written');
    }
  }
  host.stdout(
    commentOf(raised)
      .map((line) => `${forTerminal(`# ${line}`.trimEnd())}\n`)
      .join(''),
  );
  if (isDry) {
    host.stdout('---\n');
    printFiles(host, files);
  } else {
    const paths = files.flatMap(({ path }) => (path === undefined ? [] : [shownPath(host, path)]));
    const names = paths.length === 0 ? '' : `: ${forTerminal(shorten(paths.join(', '), 500))}`;
    host.stderr(`${countText(files.length, 'file')} changed${names}\n`);
  }
  return exitCode.done;
};

const MOST_LINES = 100;

/** Lines: what became of each object, what is won, and how live objects are handed over. */
function commentOf({ verdicts, left }: Raised): string[] {
  const changed = verdicts.filter(({ why }) => why.length === 0);
  const lines = verdicts.map(({ names, file, raising: { to }, why }) =>
    why.length === 0
      ? `${file}: ${textOfNames(names)} is a ${to.kind} of ${to.apiVersion}, exact`
      : `${file}: ${textOfNames(names)} stays: ${why.join('; ')}`,
  );
  if (verdicts.length === 0) return ['Found no workload of apps/v1 that has a kind of OpenKruise.'];
  return [
    ...atMost(lines),
    ...atMost(
      left.map(
        ({ file, from, field, to }) =>
          `${file}: ${textOfNames(from)} names the ${to} in ${field}: change it by hand, or that stays of apps/v1`,
      ),
    ),
    ...gains(changed),
    ...handover(changed),
  ];
}

function atMost(lines: readonly string[]): string[] {
  const more = lines.length - MOST_LINES;
  return more > 0 ? [...lines.slice(0, MOST_LINES), `and ${more} more`] : [...lines];
}

function gains(changed: readonly RaisedVerdict[]): string[] {
  const kinds = [...new Set(changed.map(({ raising }) => raising))];
  return kinds.flatMap(({ to, won }) => [
    '',
    `What a ${to.kind} can do more; nothing of it is switched on:`,
    ...won.map((each) => `- ${each}`),
  ]);
}

/** Pods have one controller: a kind of the same name adopts those of the other, where their names and labels are alike. */
function handover(changed: readonly RaisedVerdict[]): string[] {
  if (changed.length === 0) return [];
  const adopted = changed.filter(({ raising: { from, to } }) => from.kind === to.kind);
  const replaced = changed.filter((each) => !adopted.includes(each));
  const kinds = [
    ...new Set(replaced.map(({ raising: { from, to } }) => `A ${to.kind} adopts no pods of a ${from.kind}`)),
  ];
  return [
    '',
    'Where these objects run already, hand them over. kruise plan says so, too (KR2154, KR2157).',
    ...(replaced.length === 0
      ? []
      : [
          ...kinds.map((each) => `${each}: one sync would leave none available. In two commits:`),
          '1. Keep the engine from pruning the old object (docs/how-to/from-kubernetes.md), and sync that.',
          '2. Sync this change. Both run behind the same Services, until the new pods are available. Then:',
          ...atMost(replaced.map(({ names }) => `   ${deletion(names)}`)),
        ]),
    ...(adopted.length === 0
      ? []
      : [
          'Pods with the names or nodes of the old object are adopted without a restart, once it has left them. Before this is synced:',
          ...atMost(adopted.map(({ names }) => `   ${deletion(names)} --cascade=orphan`)),
        ]),
  ];
}

function deletion({ kind, name, namespace }: RaisedVerdict['names']): string {
  const at = namespace === undefined ? '' : ` -n ${shellWord(namespace)}`;
  return `kubectl delete ${kind.toLowerCase()}s.apps ${shellWord(name)}${at}`;
}
