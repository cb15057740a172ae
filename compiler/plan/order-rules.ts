import type { KruiseConfig, Predecessor, StepRule } from '../../schemas/generated/types/config.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { byText } from '../text/order.ts';
import { suggest } from '../text/suggest.ts';
import type { Locate } from '../validate/schema-errors.ts';
import { choicesFor, KINDS, plannedKind } from './kinds.ts';
import { cyclesOf, MOST_CYCLES } from './cycles.ts';
import { listOf, nameOfRule, pathOfRule, ruleIndexFor, rulesOf } from './match.ts';
import type { Matched } from './match.ts';
import { isNamespaced, keyOf, namedBy, predecessorOf } from './predecessors.ts';
import type { Named } from './predecessors.ts';
import { shownName } from './target.ts';

/**
 * Reports problems of `after` in a rule by itself: a kind without a status to wait for, a target that would wait for
 * itself.
 *
 * @param at path of the rule in kruise.yaml
 */
export function afterProblems(
  { match, after }: StepRule,
  at: readonly string[],
  locate: Locate,
): Diagnostic[] {
  return (after ?? []).flatMap(({ kind, namespace, name }, index) => {
    const path = [...at, 'after', String(index)];
    const type = plannedKind(kind);
    const choices = choicesFor(kind);
    if (type === undefined && (choices !== undefined || !KINDS.includes(kind))) {
      const args = { kind, suggestion: suggest(kind, KINDS), ...(choices && { choices }) };
      return [diagnostic('KR4007', args, locate([...path, 'kind'], 'value'))];
    }
    if (type === undefined) {
      const args = { feature: `after a ${kind}`, effect: 'its status does not show when a rollout is done' };
      return [diagnostic('KR4001', args, locate([...path, 'kind'], 'value'))];
    }
    if (namespace !== undefined && !isNamespaced(kind)) {
      const args = {
        target: `${kind} ${name}`,
        rule: `a ${kind} is cluster-scoped`,
        help: 'remove the namespace',
      };
      return [diagnostic('KR4020', args, locate([...path, 'namespace'], 'value'))];
    }
    const [names, kinds] = [listOf(match.name), listOf(match.kind)];
    const isForIt = names.join() === name && kinds.every((each) => plannedKind(each) === type);
    if (!isForIt) return [];
    return [diagnostic('KR4017', { target: `${kind} ${name}` }, locate([...path, 'name'], 'value'))];
  });
}

/** Reports problems of `after` for the existing targets: cycles, and names without a manifest. */
export function orderProblems(
  config: KruiseConfig,
  targets: readonly Matched[],
  locate: Locate,
): Diagnostic[] {
  return [
    ...cycleProblems(config, targets, locate),
    ...missingProblems(config, targets, locate),
    ...namespaceProblems(config, targets, locate),
  ];
}

/**
 * Reports namespaces under `after` that the plan of a target cannot name, and missing ones that it must name: each once,
 * for its first target.
 */
function namespaceProblems(config: KruiseConfig, targets: readonly Matched[], locate: Locate): Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const target of targets) {
    const rule = ruleIndexFor(config, target);
    if (rule === undefined) continue;
    for (const [index, each] of (rulesOf(config)[rule]?.after ?? []).entries()) {
      const path = [...pathOfRule(config, rule), 'after', String(index)];
      const key = path.join(' ');
      const args = found.has(key) ? undefined : namespaceProblem(target, each);
      if (args === undefined) continue;
      const position = locate([...path, each.namespace === undefined ? 'name' : 'namespace'], 'value');
      found.set(key, diagnostic('KR4020', args, position));
    }
  }
  return [...found.values()];
}

function namespaceProblem(
  target: Named,
  { kind, namespace, name }: Predecessor,
): { target: string; rule: string; help: string } | undefined {
  if (plannedKind(kind) === undefined || !isNamespaced(kind)) return undefined;
  const [waiting, named] = [`${target.kind} ${shownName(target)}`, `${kind} ${name}`];
  if (!isNamespaced(target.kind)) {
    if (namespace !== undefined) return undefined;
    const rule = `${waiting}, which waits for it, is cluster-scoped`;
    return { target: named, rule, help: 'name its namespace' };
  }
  if (namespace === undefined || namespace === target.namespace) return undefined;
  const rule = `${waiting} waits only for targets of its own namespace, not of ${namespace}`;
  return { target: named, rule, help: 'remove the namespace, or add a separate rule for the target' };
}

function cycleProblems(config: KruiseConfig, targets: readonly Matched[], locate: Locate): Diagnostic[] {
  const cycles = cyclesOf(config, targets);
  return cycles.map((cycle, index) => {
    const names = [...cycle.targets, ...cycle.targets.slice(0, 1)].map(shownName);
    const [first = 0, ...rest] = [...new Set(cycle.rules)];
    const position = (rule: number) => locate([...pathOfRule(config, rule), 'after'], 'key');
    const related = rest.map((rule) => ({ message: nameOfRule(config, rule), position: position(rule) }));
    const args = {
      cycle: shownCycle(names),
      rule: nameOfRule(config, first),
      last: index + 1 === MOST_CYCLES,
    };
    return diagnostic('KR4018', args, position(first), related);
  });
}

const MOST_NAMES = 8;

/** Shortens a long cycle to its first and last names. */
function shownCycle(names: readonly string[]): string {
  if (names.length <= MOST_NAMES) return names.join(' → ');
  return [...names.slice(0, MOST_NAMES - 2), '…', ...names.slice(-2)].join(' → ');
}

interface Missing {
  rule: number;
  entry: number;
  named: Predecessor;
  /** The targets that would wait. */
  waiting: Named[];
}

function missingProblems(config: KruiseConfig, targets: readonly Matched[], locate: Locate): Diagnostic[] {
  const known = new Set(targets.map(keyOf));
  const wantedBy = rulesOf(config).map(namedBy);
  const missing = new Map<string, Missing>();
  for (const target of targets) {
    const rule = ruleIndexFor(config, target);
    if (rule === undefined) continue;
    for (const named of wantedBy[rule] ?? []) {
      const { kind, namespace, name } = named;
      const wanted = predecessorOf(target, named);
      const isUnplaced = wanted.namespace === undefined && !isNamespaced(target.kind) && isNamespaced(kind);
      if (plannedKind(kind) === undefined || isUnplaced || known.has(keyOf(wanted))) continue;
      const key = `${rule} ${namespace ?? ''} ${kind}/${name}`;
      const after = rulesOf(config)[rule]?.after ?? [];
      const entry = after.findIndex(
        (each) => each.kind === kind && each.name === name && each.namespace === namespace,
      );
      const found = missing.get(key) ?? { rule, entry, named, waiting: [] };
      found.waiting.push(target);
      missing.set(key, found);
    }
  }
  const sorted = [...missing.values()].sort((a, b) => a.rule - b.rule || a.entry - b.entry);
  const locations = locationsByName(targets);
  return sorted.map(({ rule, entry, named, waiting }, index) => {
    const namespaces = new Set(waiting.map((target) => predecessorOf(target, named).namespace));
    const position = locate([...pathOfRule(config, rule), 'after', String(entry), 'name'], 'value');
    const elsewhere = locations.get(`${named.kind}/${named.name}`);
    const args = {
      target: `${named.kind} ${named.name}`,
      where: namespacesText(namespaces),
      elsewhere,
      suggestion:
        elsewhere === undefined && index < MOST_SUGGESTED
          ? suggestionFor(named, waiting, targets)
          : undefined,
    };
    return diagnostic('KR4019', args, position);
  });
}

/** Suggestions are searched among all targets. With more misspelled names than this, they are unlikely to help. */
const MOST_SUGGESTED = 20;

/** The first target of each kind and name, as shown to users. */
function locationsByName(targets: readonly Named[]): ReadonlyMap<string, string> {
  const locations = new Map<string, string>();
  for (const target of targets) {
    const key = `${target.kind}/${target.name}`;
    const [shown, before] = [shownName(target), locations.get(key)];
    if (before === undefined || byText(shown, before) < 0) locations.set(key, shown);
  }
  return locations;
}

function namespacesText(namespaces: ReadonlySet<string | undefined>): string {
  const [first, ...rest] = [...namespaces].sort((a, b) => byText(a ?? '', b ?? ''));
  const position = first === undefined ? 'without a namespace' : `of namespace ${first}`;
  return rest.length === 0 ? position : `${position}, nor of ${rest.length} more`;
}

/** The name of a target like the missing one, in the namespaces where it would be waited for. */
function suggestionFor(
  named: Predecessor,
  waiting: readonly Named[],
  targets: readonly Named[],
): string | undefined {
  const { kind, name } = named;
  const namespaces = new Set(waiting.map((target) => predecessorOf(target, named).namespace));
  // The only target that waits is not what it waits for.
  const [only] = waiting.length === 1 ? waiting : [];
  const candidates = targets.filter(
    (target) => target.kind === kind && namespaces.has(target.namespace) && target.name !== only?.name,
  );
  const names = new Set(candidates.map((target) => target.name));
  return suggest(name, [...names]);
}
