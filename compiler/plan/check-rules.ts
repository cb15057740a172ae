import type { StepRule } from '../../schemas/generated/types/config.ts';
import { checkArgsProblems } from '../../semantics/plan/checks.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
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
 */
export function checkProblems(rule: StepRule, at: readonly string[], locate: Locate): Diagnostic[] {
  return (rule.between?.check ?? []).flatMap((item, index) => {
    const path = [...at, 'between', 'check', String(index)];
    const { use, args = {} } = checkOf(item);
    const usePath = typeof item === 'string' ? path : [...path, 'use'];
    const found = replaced(use, usePath, 'value', locate);
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

/** Reports text in a plan that another tool would change, so that the digest no longer matches. */
function replaced(text: string, path: string[], part: 'key' | 'value', locate: Locate): Diagnostic[] {
  const marker =
    REPLACED.find((each) => text.includes(each)) ??
    (part === 'key' ? REWRITTEN.find((each) => text === each) : undefined);
  if (marker === undefined) return [];
  return [diagnostic('KR4016', { field: formatPath(path), marker }, locate(path, part))];
}
