import type { KruiseConfig, Predecessor, StepRule } from '../../schemas/generated/types/config.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { byText } from '../text/order.ts';
import { suggest } from '../text/suggest.ts';
import type { Locate } from '../validate/schema-errors.ts';
import { choicesFor, KINDS, plannedKind } from './kinds.ts';
import { cyclesOf, MOST_CYCLES } from './cycles.ts';
import { isNamespaced, keyOf, namedBy, predecessorOf } from './predecessors.ts';
import type { Named } from './predecessors.ts';
import { ruleIndexFor } from './steps.ts';
import { shownName } from './target.ts';

/**
 * What is wrong with `after` of a rule by itself: a kind that cannot be waited for, a target that would wait for itself.
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
    if (match.name !== name || plannedKind(match.kind ?? kind) !== type) return [];
    return [diagnostic('KR4017', { target: `${kind} ${name}` }, locate([...path, 'name'], 'value'))];
  });
}

/** What is wrong with `after` for the targets that there are: cycles, and names that no manifest has. */
export function orderProblems(config: KruiseConfig, targets: readonly Named[], locate: Locate): Diagnostic[] {
  return [
    ...cycleProblems(config, targets, locate),
    ...missingProblems(config, targets, locate),
    ...namespaceProblems(config, targets, locate),
  ];
}

/** Namespaces under `after` that no plan of a target can name, and those that it has to: once each, for the first target. */
function namespaceProblems(config: KruiseConfig, targets: readonly Named[], locate: Locate): Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const target of targets) {
    const rule = ruleIndexFor(config, target);
    if (rule === undefined) continue;
    for (const [index, each] of (config.steps?.[rule]?.after ?? []).entries()) {
      const path = ['steps', String(rule), 'after', String(index)];
      const key = path.join(' ');
      const args = found.has(key) ? undefined : namespaceProblem(target, each);
      if (args === undefined) continue;
      const place = locate([...path, each.namespace === undefined ? 'name' : 'namespace'], 'value');
      found.set(key, diagnostic('KR4020', args, place));
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

function cycleProblems(config: KruiseConfig, targets: readonly Named[], locate: Locate): Diagnostic[] {
  const cycles = cyclesOf(config, targets);
  return cycles.map((cycle, index) => {
    const names = [...cycle.targets, ...cycle.targets.slice(0, 1)].map(shownName);
    const [first = 0, ...others] = [...new Set(cycle.rules)];
    const place = (rule: number) => locate(['steps', String(rule), 'after'], 'key');
    const related = others.map((rule) => ({ message: `rule ${rule + 1}`, position: place(rule) }));
    const args = { cycle: shownCycle(names), rule: first + 1, last: index + 1 === MOST_CYCLES };
    return diagnostic('KR4018', args, place(first), related);
  });
}

const MOST_NAMES = 8;

/** The first and the last names of a long way round, which the reader can follow from both ends. */
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

function missingProblems(config: KruiseConfig, targets: readonly Named[], locate: Locate): Diagnostic[] {
  const known = new Set(targets.map(keyOf));
  const wantedBy = (config.steps ?? []).map(namedBy);
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
      const after = config.steps?.[rule]?.after ?? [];
      const entry = after.findIndex(
        (each) => each.kind === kind && each.name === name && each.namespace === namespace,
      );
      const found = missing.get(key) ?? { rule, entry, named, waiting: [] };
      found.waiting.push(target);
      missing.set(key, found);
    }
  }
  const sorted = [...missing.values()].sort((a, b) => a.rule - b.rule || a.entry - b.entry);
  const places = placesByName(targets);
  return sorted.map(({ rule, entry, named, waiting }, index) => {
    const namespaces = new Set(waiting.map((target) => predecessorOf(target, named).namespace));
    const place = locate(['steps', String(rule), 'after', String(entry), 'name'], 'value');
    const elsewhere = places.get(`${named.kind}/${named.name}`);
    const args = {
      target: `${named.kind} ${named.name}`,
      where: shownPlaces(namespaces),
      elsewhere,
      suggestion:
        elsewhere === undefined && index < MOST_SUGGESTED ? meant(named, waiting, targets) : undefined,
    };
    return diagnostic('KR4019', args, place);
  });
}

/** A name like another is looked for among all targets; so many misspelled names are no slip of a finger. */
const MOST_SUGGESTED = 20;

/** Of each kind and name the first target, as people write it. */
function placesByName(targets: readonly Named[]): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const target of targets) {
    const key = `${target.kind}/${target.name}`;
    const [shown, before] = [shownName(target), places.get(key)];
    if (before === undefined || byText(shown, before) < 0) places.set(key, shown);
  }
  return places;
}

function shownPlaces(namespaces: ReadonlySet<string | undefined>): string {
  const [first, ...others] = [...namespaces].sort((a, b) => byText(a ?? '', b ?? ''));
  const place = first === undefined ? 'without a namespace' : `of namespace ${first}`;
  return others.length === 0 ? place : `${place}, nor of ${others.length} more`;
}

/** A name like it beside a target that waits, which was perhaps meant. */
function meant(named: Predecessor, waiting: readonly Named[], targets: readonly Named[]): string | undefined {
  const { kind, name } = named;
  const namespaces = new Set(waiting.map((target) => predecessorOf(target, named).namespace));
  // The only one that waits is not what it waits for.
  const [only] = waiting.length === 1 ? waiting : [];
  const beside = targets.filter(
    (target) => target.kind === kind && namespaces.has(target.namespace) && target.name !== only?.name,
  );
  const names = new Set(beside.map((target) => target.name));
  return suggest(name, [...names]);
}
