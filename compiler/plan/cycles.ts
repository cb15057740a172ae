import type { KruiseConfig, Predecessor } from '../../schemas/generated/types/config.ts';
import { byText } from '../text/order.ts';
import { keyOf, namedBy } from './predecessors.ts';
import type { Named } from './predecessors.ts';
import { ruleIndexFor } from './steps.ts';

/** Roll-outs that wait for each other, each for the next one and the last for the first. */
export interface Cycle {
  targets: Named[];
  /** The rules of kruise.yaml that make it, counted from 0, in the order of the targets. */
  rules: number[];
}

/** More are not told at once: whoever mends so many has changed the rules by then. */
export const MOST_CYCLES = 20;

/**
 * Cycles among the targets of the manifests, at most `MOST_CYCLES`. Of those that the same rules make only the first is
 * told: the mistake is in the rules, and it would be the same sentence for every namespace.
 *
 * All targets of a rule in one namespace wait for the same ones, so the way round is looked for among rules, of which
 * there are few, and not among targets: the effort grows with the targets times what their rules name.
 */
export function cyclesOf(config: KruiseConfig, targets: readonly Named[]): Cycle[] {
  const cycles: Cycle[] = [];
  const told: ReadonlySet<number>[] = [];
  const named = (config.steps ?? []).map(namedBy);
  for (const present of byNamespace(config, targets)) {
    for (;;) {
      const cycle = cycleIn(waitingGraph(named, present, told));
      if (cycle === undefined) break;
      cycles.push(cycle);
      told.push(new Set(cycle.rules));
      if (cycles.length === MOST_CYCLES) return cycles;
    }
  }
  return cycles;
}

/** The targets of one namespace that a rule takes, by their keys. */
type Present = Map<string, { target: Named; rule: number }>;

function byNamespace(config: KruiseConfig, targets: readonly Named[]): Present[] {
  const found = new Map<string, Present>();
  const sorted = targets.map((target) => [keyOf(target), target] as const).sort(([a], [b]) => byText(a, b));
  for (const [key, target] of sorted) {
    const rule = ruleIndexFor(config, target);
    if (rule === undefined) continue;
    const present: Present = found.get(target.namespace ?? '') ?? new Map();
    found.set(target.namespace ?? '', present.set(key, { target, rule }));
  }
  return [...found.values()];
}

/** What the targets of a rule wait for, in one namespace. */
interface Waiting {
  /** Other rules that take some of it, each with the first such target. */
  next: Map<number, Named>;
  /** What the rule itself takes of it. None of these waits for itself, so one alone makes no cycle. */
  own: Named[];
}

type Graph = Map<number, Waiting>;

/**
 * By rule. Waiting among rules that a cycle was told of already is left out.
 *
 * @param named what each rule of kruise.yaml names
 */
function waitingGraph(
  named: readonly Predecessor[][],
  present: Present,
  told: readonly ReadonlySet<number>[],
): Graph {
  const graph: Graph = new Map();
  for (const { target, rule } of present.values()) {
    if (graph.has(rule)) continue;
    const waiting: Waiting = { next: new Map(), own: [] };
    graph.set(rule, waiting);
    for (const { kind, name } of named[rule] ?? []) {
      const other = present.get(keyOf({ kind, namespace: target.namespace, name }));
      if (other === undefined || told.some((rules) => rules.has(rule) && rules.has(other.rule))) continue;
      if (other.rule === rule) waiting.own.push(other.target);
      else if (!waiting.next.has(other.rule)) waiting.next.set(other.rule, other.target);
    }
  }
  return graph;
}

function cycleIn(graph: Graph): Cycle | undefined {
  for (const [rule, { own }] of graph) {
    if (own.length > 1) return { targets: own.slice(0, 2), rules: [rule, rule] };
  }
  const start = ruleOnCycle(graph);
  if (start === undefined) return undefined;
  const way = shortestBack(graph, start);
  const nodes = way.map((rule, index) => {
    const before = way.at(index - 1) ?? start;
    return { rule, target: graph.get(before)?.next.get(rule) };
  });
  const round = nodes.flatMap(({ rule, target }) => (target === undefined ? [] : [{ rule, target }]));
  const first = round.reduce(
    (least, { target }, index) =>
      byText(keyOf(target), keyOf(round[least]?.target ?? target)) < 0 ? index : least,
    0,
  );
  const turned = [...round.slice(first), ...round.slice(0, first)];
  return { targets: turned.map(({ target }) => target), rules: turned.map(({ rule }) => rule) };
}

/** A depth-first search: a rule that leads back to one on the way to it closes a cycle. */
function ruleOnCycle(graph: Graph): number | undefined {
  const done = new Set<number>();
  const onTheWay = new Set<number>();
  const visit = (rule: number): number | undefined => {
    if (onTheWay.has(rule)) return rule;
    if (done.has(rule)) return undefined;
    onTheWay.add(rule);
    for (const next of graph.get(rule)?.next.keys() ?? []) {
      const found = visit(next);
      if (found !== undefined) return found;
    }
    onTheWay.delete(rule);
    done.add(rule);
    return undefined;
  };
  for (const rule of graph.keys()) {
    const found = visit(rule);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The shortest way from a rule on a cycle back to it, which it begins with. */
function shortestBack(graph: Graph, start: number): number[] {
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (const here of queue) {
    for (const next of graph.get(here)?.next.keys() ?? []) {
      if (next === start) return wayTo(here, start, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, here);
      queue.push(next);
    }
  }
  return [start];
}

function wayTo(end: number, start: number, cameFrom: ReadonlyMap<number, number>): number[] {
  const way = [end];
  for (let here = end; here !== start;) {
    here = cameFrom.get(here) ?? start;
    way.unshift(here);
  }
  return way;
}
