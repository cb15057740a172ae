import type { KruiseConfig, TargetMatch } from '../../schemas/generated/types/config.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { suggest } from '../text/suggest.ts';
import type { Locate } from '../validate/schema-errors.ts';
import { formatPath } from '../validate/schema-errors.ts';
import { choicesFor, KINDS, plannedKind } from './kinds.ts';
import { isPattern, labelOf, listOf, matches, matchesPattern, ruleIndexFor } from './match.ts';
import type { Matched } from './match.ts';
import { shownName } from './target.ts';

/**
 * Reports problems of the match of a rule by itself: kinds that do not exist, patterns that can match nothing.
 *
 * @param at path of the match in kruise.yaml
 * @param known the kinds that the rule is used for, by name
 */
export function matchProblems(
  match: TargetMatch,
  at: readonly string[],
  locate: Locate,
  known: ReadonlyMap<string, unknown>,
): Diagnostic[] {
  const { kind, namespace, name, labels = {} } = match;
  return [
    ...entriesOf(kind, [...at, 'kind']).flatMap(([value, path]) => kindProblem(value, path, locate, known)),
    ...entriesOf(namespace, [...at, 'namespace']).flatMap((entry) =>
      patternProblem('namespace', entry, locate),
    ),
    ...entriesOf(name, [...at, 'name']).flatMap((entry) => patternProblem('name', entry, locate)),
    ...Object.entries(labels).flatMap(([key, value]) => {
      const path = [...at, 'labels', key];
      return [
        ...patternProblem('label key', [key, path], locate),
        ...patternProblem('label value', [value, path], locate),
      ];
    }),
  ];
}

/** The entries of a field that takes one or a list, with their paths. */
function entriesOf(
  value: string | readonly string[] | undefined,
  at: readonly string[],
): [string, string[]][] {
  const isList = Array.isArray(value);
  return listOf(value).map((each, index) => [each, isList ? [...at, String(index)] : [...at]]);
}

function kindProblem(
  kind: string,
  path: readonly string[],
  locate: Locate,
  known: ReadonlyMap<string, unknown>,
): Diagnostic[] {
  if (plannedKind(kind) !== undefined || known.has(kind)) return [];
  const position = locate(path, 'value');
  const choices = choicesFor(kind);
  if (choices === undefined && KINDS.includes(kind)) return [diagnostic('KR4008', { kind }, position)];
  const args = { kind, suggestion: suggest(kind, KINDS), ...(choices && { choices }) };
  return [diagnostic('KR4007', args, position)];
}

/** The characters that occur in no such text. A pattern has the asterisk, too. */
const FOREIGN = {
  namespace: /[^-a-z0-9*]/u,
  name: /[^-a-z0-9.*]/u,
  'label key': /[^-A-Za-z0-9_./]/u,
  'label value': /[^-A-Za-z0-9_.*]/u,
} as const;

/** Reports a pattern that can match nothing, because of a character that nothing of that sort has. */
function patternProblem(
  what: keyof typeof FOREIGN,
  [value, path]: [string, string[]],
  locate: Locate,
): Diagnostic[] {
  const [character] = FOREIGN[what].exec(value) ?? [];
  if (character === undefined) return [];
  const lower = value.toLowerCase();
  const suggestion = FOREIGN[what].test(lower) ? undefined : lower;
  const args = { field: formatPath(path), what, value, character, suggestion };
  return [diagnostic('KR4021', args, locate(path, what === 'label key' ? 'key' : 'value'))];
}

/**
 * Reports rules that match no target at head. Rules for kinds that are not planned have their own diagnostic. One for every target
 * matches none where there is none yet, as after `kruise init`.
 */
export function unusedRules(config: KruiseConfig, targets: readonly Matched[], locate: Locate): Diagnostic[] {
  const used = new Set(targets.map((target) => ruleIndexFor(config, target)));
  return (config.steps ?? []).flatMap(({ match }, index) => {
    if (targets.length === 0 && Object.keys(match).length === 0) return [];
    const kinds = listOf(match.kind);
    if (used.has(index) || (kinds.length > 0 && !kinds.some((kind) => plannedKind(kind)))) return [];
    const at = ['steps', String(index), 'match'];
    const taken = targets.find((target) => matches(match, target));
    if (taken !== undefined) {
      const by = (ruleIndexFor(config, taken) ?? 0) + 1;
      return [diagnostic('KR4006', { rule: index + 1, shadowedBy: by, wrong: undefined }, locate(at, 'key'))];
    }
    const wrong = wrongField(match, targets);
    const args = { rule: index + 1, shadowedBy: undefined, wrong };
    const position = wrong === undefined ? locate(at, 'key') : locate([...at, ...wrong.path], 'value');
    return [diagnostic('KR4006', args, position)];
  });
}

interface WrongField {
  /** Path in the match. */
  path: string[];
  /** The field and its value, as in `the name 'wbe'`. */
  text: string;
  suggestion: string | undefined;
}

/** The field without which a match has targets; of several the one with a suggestion. */
function wrongField(match: TargetMatch, targets: readonly Matched[]): WrongField | undefined {
  const { name, namespace, kind, labels = {} } = match;
  const found: WrongField[] = [];
  const check = (
    path: string[],
    value: string | string[] | undefined,
    without: TargetMatch,
    valueOf: (target: Matched) => string | undefined,
  ): void => {
    const others = value === undefined ? [] : targets.filter((target) => matches(without, target));
    if (value === undefined || others.length === 0) return;
    const values = new Set(others.map(valueOf).filter((each) => each !== undefined));
    const shown = listOf(value).map((each) => `'${each}'`);
    const text = `the ${path.join(' ')} ${shown.join(' or ')}`;
    found.push({ path, text, suggestion: suggestionFor(listOf(value), [...values]) });
  };
  const { name: _name, ...withoutName } = match;
  const { namespace: _namespace, ...withoutNamespace } = match;
  const { kind: _kind, ...withoutKind } = match;
  check(['name'], name, withoutName, (target) => target.name);
  check(['namespace'], namespace, withoutNamespace, (target) => target.namespace);
  check(['kind'], kind, withoutKind, () => undefined);
  for (const [key, value] of Object.entries(labels)) {
    const { [key]: _label, ...rest } = labels;
    check(['labels', key], value, { ...match, labels: rest }, (target) => labelOf(target, key));
  }
  return found.find(({ suggestion }) => suggestion !== undefined) ?? found[0];
}

/** What was probably meant: a value that exists, a pattern for the start of values, or one for a regular expression. */
function suggestionFor(written: readonly string[], values: readonly string[]): string | undefined {
  for (const each of written) {
    const plain = each.replaceAll('.*', '*');
    if (plain !== each && values.some((value) => matchesPattern(plain, value))) return plain;
    if (isPattern(each)) continue;
    const found = suggest(each, values);
    if (found !== undefined) return found;
    if (values.some((value) => value.startsWith(each))) return `${each}*`;
  }
  return undefined;
}

const MOST_NAMED = 3;

/** Reports the targets that no rule matches: they would be rolled out in one step. */
export function unmatchedTargets(
  config: KruiseConfig,
  targets: readonly Matched[],
  locate: Locate,
): Diagnostic[] {
  if (config.unmatched === undefined && (config.steps ?? []).length === 0) return [];
  const unmatched = targets.filter((target) => ruleIndexFor(config, target) === undefined);
  if (unmatched.length === 0) return [];
  const named = unmatched.slice(0, MOST_NAMED).map((target) => `${target.kind} ${shownName(target)}`);
  const args = { targets: named, more: unmatched.length - named.length };
  const position = locate([config.unmatched === undefined ? 'steps' : 'unmatched'], 'key');
  return [diagnostic(config.unmatched === 'error' ? 'KR4023' : 'KR4022', args, position)];
}
