import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import { validateConfig } from '../../schemas/generated/validate/config.js';
import { diagnostic, hasErrors, withoutEarlierErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, Source } from '../diagnostics/diagnostic.ts';
import { createBudget } from '../load/budget.ts';
import type { Budget } from '../load/budget.ts';
import { bounded } from '../load/findings.ts';
import { createLocator, wholeOf } from '../load/locate.ts';
import { readYaml } from '../load/read.ts';
import { CONFIG } from '../validate/known-fields.ts';
import { schemaDiagnostics } from '../validate/schema-errors.ts';
import type { Locate } from '../validate/schema-errors.ts';
import { configPart } from './config-part.ts';
import type { CheckedRoot } from './config-part.ts';
import { PLANNED, REGISTERED } from './kinds.ts';
import { matchProblems } from './match-rules.ts';
import { ruleProblems } from './config-rules.ts';
import { idleDefaults } from './idle-settings.ts';
import { rootProblems } from './root-rules.ts';

/** kruise.yaml as data, and a function that finds positions in it. */
export interface ReadConfig {
  config: KruiseConfig;
  /** Whether it is known which targets each rule matches. */
  isMatchKnown: boolean;
  locate: Locate;
  /** The roots that fit the schema. */
  roots: readonly CheckedRoot[];
  diagnostics: Diagnostic[];
}

/**
 * Reads kruise.yaml. An empty file is an empty configuration. If there are errors, the configuration has only what is
 * valid: enough to find further problems, not to be executed.
 */
export function readConfig(source: Source, budget: Budget = createBudget()): ReadConfig {
  const locator = createLocator(budget);
  const locate: Locate = (path, part) => locator(wholeOf(source), path, part);
  const empty = (diagnostics: Diagnostic[]): ReadConfig => ({
    config: {},
    isMatchKnown: false,
    locate,
    roots: [],
    diagnostics: bounded(diagnostics, budget),
  });
  const whole = { source, start: 0, end: 0 };
  const { documents, diagnostics: unreadable } = readYaml(source, budget);
  const [document] = documents;
  if (hasErrors(unreadable) || document === undefined) return empty(unreadable);
  if (documents.length > 1)
    return empty([diagnostic('KR4005', { detail: `${documents.length} documents` }, whole)]);
  const { value } = document;
  const odd = document.findings.list();
  if (value === null) return empty(odd);
  if (typeof value !== 'object' || Array.isArray(value)) {
    return empty([diagnostic('KR4005', { detail: Array.isArray(value) ? 'a list' : 'text' }, whole)]);
  }
  const errors = validateConfig(value);
  const { config, rules, roots, isMatchKnown } = configPart(value, errors);
  // A list of which a part is wrong does not say which names are unknown.
  const checks = errors.some(({ path: [first] }) => first === 'checks') ? undefined : config.checks;
  const found = [
    ...schemaDiagnostics(errors, CONFIG, value, [], locate),
    ...rootProblems(roots, locate),
    ...rules.flatMap((rule) => ruleProblems(rule, checks, locate)),
    ...(config.assume?.replicas ?? []).flatMap(({ match }, index) =>
      matchProblems(match, ['assume', 'replicas', String(index), 'match'], locate, PLANNED),
    ),
    ...(config.build ?? []).flatMap(({ match }, index) =>
      matchProblems(match, ['build', String(index), 'match'], locate, REGISTERED),
    ),
    ...(isMatchKnown ? idleDefaults(config, locate) : []),
  ];
  const diagnostics = [...odd, ...withoutEarlierErrors(odd)(found)];
  return { config, isMatchKnown, locate, roots, diagnostics: bounded(diagnostics, budget) };
}
