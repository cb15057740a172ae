import type { Budget } from '../../compiler/load/budget.ts';
import { createBudget } from '../../compiler/load/budget.ts';
import { explainState } from '../../compiler/explain/state.ts';
import type { Asked, Explained } from '../../compiler/explain/state.ts';
import { hasErrors, sortDiagnostics } from '../../compiler/diagnostics/diagnostic.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { fromCwd, isInside, shownPath } from '../../compiler/load/files.ts';
import type { State } from '../../compiler/load/manifests.ts';
import { jsonExplanation } from '../../compiler/render/machine.ts';
import { explanationText } from '../../compiler/render/explanation.ts';
import { paintFor } from '../../compiler/text/paint.ts';
import { byText } from '../../compiler/text/order.ts';
import { suggest } from '../../compiler/text/suggest.ts';
import { exitCode } from '../command/command.ts';
import type { Options } from '../command/command.ts';
import { parseTarget } from '../command/find-target.ts';
import { reportDiagnostics, reportRefusal } from '../command/report.ts';
import type { Refusal } from '../command/refusal.ts';
import { headState } from '../files/states.ts';
import { withRelativePaths } from '../files/relative-paths.ts';
import type { Host } from '../host.ts';
import { selectRoots } from '../roots/select.ts';

/** What an operand asks for, and its name in a message. */
interface Question {
  text: string;
  isAsked: (object: Asked) => boolean;
}

/**
 * `kruise explain OBJECT`: a workload or a plan of the folder, by kind and name or by its file. Reads files alone: no cluster,
 * no git, and no command of kruise.yaml runs.
 */
export function explainObject(machine: Host, operand: string, options: Options): number {
  const host = withRelativePaths(machine);
  const refuse = (refusal: Refusal): number => {
    reportRefusal(host, 'explain', refusal);
    return exitCode.error;
  };
  const question = questionOf(host, operand, options);
  if ('problem' in question) return refuse(question);
  const budget = createBudget();
  const states = statesHere(host, String(options['out']), budget);
  if ('problem' in states) return refuse(states);
  const explained: Explained[] = [];
  const diagnostics: Diagnostic[] = [];
  const known: Asked[] = [];
  for (const state of states) {
    const found = explainState(host, state, question.isAsked, budget);
    explained.push(...found.explained);
    diagnostics.push(...found.diagnostics);
    known.push(...found.known);
  }
  const order = (each: Explained): string => `${each.namespace ?? ''}/${each.kind}/${each.name}`;
  explained.sort((a, b) => byText(order(a), order(b)));
  const isFound = explained.length > 0;
  if (options['output'] === 'json') {
    if (isFound || diagnostics.length > 0)
      host.stdout(jsonExplanation(explained, sortDiagnostics(diagnostics)));
  } else {
    reportDiagnostics(host, sortDiagnostics(diagnostics));
    const paint = paintFor(host.env, host.stdoutIsTTY);
    if (isFound) host.stdout(explained.map((each) => explanationText(each, paint)).join('\n'));
  }
  if (hasErrors(diagnostics)) return exitCode.error;
  return isFound ? exitCode.done : refuse(notFound(host, question, known));
}

/** The states of the working directory: its roots by kruise.yaml, or itself. */
function statesHere(host: Host, out: string, budget: Budget): readonly State[] | Refusal {
  const roots = selectRoots(host, [], out, budget);
  if (roots !== undefined && 'problem' in roots) return roots;
  if (roots !== undefined) {
    // As in commands to a rollout, the folder of plans of one root names that root.
    const [, folder, name] = /^(.+)\/([^/]+)\/?$/.exec(out) ?? [];
    const own = folder === undefined ? undefined : selectRoots(host, [], folder, budget);
    const named = own !== undefined && !('problem' in own) ? own.selected : [];
    const one = named.filter(({ root }) => root.name === name);
    return (one.length > 0 ? one : roots.selected).map(({ state }) => state);
  }
  const state = headState(host, [], out, budget);
  return 'problem' in state ? state : [state];
}

/** Plans may be named as objects, too. */
const PLAN = /^(?:([^/]+)\/)?(cluster)?rolloutplans?\/([^/]+)$/i;

const LIKE_A_PATH = /^[./]|\.(ya?ml|json)$/;

function questionOf(host: Host, operand: string, options: Options): Question | Refusal {
  const option = options['namespace'];
  const given = typeof option === 'string' ? option : undefined;
  const path = fromCwd(host, operand);
  if (host.inspect(path)?.kind === 'file') {
    if (!isInside(path, host.cwd))
      return {
        problem: `${operand} is outside of ${host.cwd}`,
        help: 'run the command in a folder above it',
      };
    const file = shownPath(host, path);
    return { text: file, isAsked: (object) => object.file === file };
  }
  if (LIKE_A_PATH.test(operand))
    return { problem: `there is no file ${operand}`, help: 'name a manifest, a plan, or KIND/NAME' };
  const [, prefix, , plan] = PLAN.exec(operand) ?? [];
  if (plan !== undefined) {
    const namespace = given ?? prefix;
    const isNamed = (object: Asked): boolean =>
      object.plan !== undefined && (object.plan === plan || object.name === plan);
    return {
      text: operand,
      isAsked: (object) => isNamed(object) && (namespace === undefined || object.namespace === namespace),
    };
  }
  const target = parseTarget(operand, given);
  if ('problem' in target) return target;
  const { kind, name, namespace } = target;
  return {
    text: operand,
    isAsked: (object) =>
      object.name === name &&
      (kind === undefined || object.kind === kind) &&
      (namespace === undefined || object.namespace === namespace),
  };
}

function notFound(host: Host, { text }: Question, known: readonly Asked[]): Refusal {
  const names = new Map(known.map((each) => [each.name, each] as const));
  const near = names.get(suggest(text.split('/').at(-1) ?? '', [...names.keys()]) ?? '');
  return {
    problem: `${text} is no object that this version plans, and no plan, below ${host.cwd}`,
    help:
      near === undefined
        ? 'name a code such as KR2101, KIND/NAME, or a file'
        : `did you mean ${near.kind.toLowerCase()}/${near.name}?`,
  };
}
