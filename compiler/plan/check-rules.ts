import type { StepRule } from '../../schemas/generated/types/config.ts';
import { BUILT_IN_CHECKS, checkArgsProblems } from '../../semantics/plan/checks.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { suggest } from '../text/suggest.ts';
import { formatPath } from '../validate/schema-errors.ts';
import type { Locate } from '../validate/schema-errors.ts';
import { INJECTED } from '../validate/template-rules.ts';
import { checkOf } from './check-steps.ts';

/** Text that other tools replace when they apply: what they inject, and Flux substitution. */
const REPLACED = ['${', ...INJECTED];
/** Keys below which kustomize rewrites images, wherever they occur. */
const REWRITTEN = ['containers', 'initContainers'];

/**
 * Reports problems of the checks of a rule. The arguments of built-in checks are known here; other checks are defined by
 * the configuration of the runtime.
 *
 * @param at path of the rule in kruise.yaml
 * @param known the names of the other checks; undefined: they are not known here
 */
export function checkProblems(
  rule: StepRule,
  at: readonly string[],
  known: readonly string[] | undefined,
  locate: Locate,
): Diagnostic[] {
  return (rule.between?.check ?? []).flatMap((item, index) => {
    const path = [...at, 'between', 'check', String(index)];
    const { use, args = {} } = checkOf(item);
    const usePath = typeof item === 'string' ? path : [...path, 'use'];
    const found = [
      ...replaced(use, usePath, 'value', locate),
      ...(known === undefined ? [] : unknown(use, known, usePath, locate)),
    ];
    for (const [name, value] of Object.entries(args)) {
      const argPath = [...path, 'args', name];
      found.push(
        ...replaced(name, argPath, 'key', locate),
        ...replaced(value, argPath, 'value', locate),
        ...checkArgsProblems(use, { [name]: value }).map((problem) =>
          diagnostic('KR4015', { problem }, locate(argPath, 'key')),
        ),
      );
    }
    return found;
  });
}

/** Reports the name of a check that kruise.yaml does not list. */
function unknown(use: string, known: readonly string[], path: string[], locate: Locate): Diagnostic[] {
  const names = [...BUILT_IN_CHECKS, ...known];
  if (names.includes(use)) return [];
  return [diagnostic('KR4037', { use, suggestion: suggest(use, names) }, locate(path, 'value'))];
}

/** Reports text in a plan that another tool would change, so that the digest no longer matches. */
function replaced(text: string, path: string[], part: 'key' | 'value', locate: Locate): Diagnostic[] {
  const marker =
    REPLACED.find((each) => text.includes(each)) ??
    (part === 'key' ? REWRITTEN.find((each) => text === each) : undefined);
  if (marker === undefined) return [];
  return [diagnostic('KR4016', { field: formatPath(path), marker }, locate(path, part))];
}
