import type { KruiseConfig, Predecessor } from '../../schemas/generated/types/config.ts';
import { byText } from '../text/order.ts';
import { keyOf, namedBy, predecessorOf } from './predecessors.ts';
import type { Named } from './predecessors.ts';
import { ruleIndexFor } from './steps.ts';

/** Rollouts that wait for each other, each for the next one and the last for the first. */
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
 * All targets of a rule in one namespace wait for the same ones, so the way round is looked for among rules in namespaces, of
 * which there are few, and not among targets: the effort grows with the targets times what their rules name.
 */
export function cyclesOf(config: KruiseConfig, targets: readonly Named[]): Cycle[] {
  const cycles: Cycle[] = [];
  const told: ReadonlySet<number>[] = [];
  const named = (config.steps ?? []).map(namedBy);
  const present = presentIn(config, targets);
  while (cycles.length < MOST_CYCLES) {
    const cycle = cycleIn(waitingGraph(named, present, told));
    if (cycle === undefined) break;
    cycles.push(cycle);
    told.push(new Set(cycle.rules));
  }
  return cycles;
}

/** The targets that rules take, by their keys, namespace by namespace. */
type Present = Map<string, { target: Named; rule: number; node: string }>;

function presentIn(config: KruiseConfig, targets: readonly Named[]): Present {
  const found: Present = new Map();
  const sorted = targets.map((target) => [keyOf(target), target] as const).sort(([a], [b]) => byText(a, b));
  for (const [key, target] of sorted) {
    const rule = ruleIndexFor(config, target);
    if (rule === undefined) continue;
    found.set(key, { target, rule, node: JSON.stringify([target.namespace ?? '', rule]) });
  }
  return found;
}

/** What the targets of a rule wait for, in one namespace. */
interface Waiting {
  rule: number;
  /** Other rules that take some of it, in the same namespace or another, each with the first such target. */
  next: Map<string, Named>;
  /** What the rule itself takes of it. None of these waits for itself, so one alone makes no cycle. */
  own: Named[];
}

/** By rule and namespace. */
type Graph = Map<string, Waiting>;

/**
 * Waiting among rules that a cycle was told of already is left out.
 *
 * @param named what each rule of kruise.yaml names
 */
function waitingGraph(
  named: readonly Predecessor[][],
  present: Present,
  told: readonly ReadonlySet<number>[],
): Graph {
  const graph: Graph = new Map();
  for (const { target, rule, node } of present.values()) {
    if (graph.has(node)) continue;
    const waiting: Waiting = { rule, next: new Map(), own: [] };
    graph.set(node, waiting);
    for (const each of named[rule] ?? []) {
      const other = present.get(keyOf(predecessorOf(target, each)));
      if (other === undefined || told.some((rules) => rules.has(rule) && rules.has(other.rule))) continue;
      if (other.node === node) waiting.own.push(other.target);
      else if (!waiting.next.has(other.node)) waiting.next.set(other.node, other.target);
    }
  }
  return graph;
}

function cycleIn(graph: Graph): Cycle | undefined {
  for (const { rule, own } of graph.values()) {
    if (own.length > 1) return { targets: own.slice(0, 2), rules: [rule, rule] };
  }
  const start = nodeOnCycle(graph);
  if (start === undefined) return undefined;
  const way = shortestBack(graph, start);
  const round = way.flatMap((node, index) => {
    const before = way.at(index - 1) ?? start;
    const [rule, target] = [graph.get(node)?.rule, graph.get(before)?.next.get(node)];
    return rule === undefined || target === undefined ? [] : [{ rule, target }];
  });
  const first = round.reduce(
    (least, { target }, index) =>
      byText(keyOf(target), keyOf(round[least]?.target ?? target)) < 0 ? index : least,
    0,
  );
  const turned = [...round.slice(first), ...round.slice(0, first)];
  return { targets: turned.map(({ target }) => target), rules: turned.map(({ rule }) => rule) };
}

/** A depth-first search: one that leads back to one on the way to it closes a cycle. */
function nodeOnCycle(graph: Graph): string | undefined {
  const done = new Set<string>();
  const onTheWay = new Set<string>();
  const visit = (node: string): string | undefined => {
    if (onTheWay.has(node)) return node;
    if (done.has(node)) return undefined;
    onTheWay.add(node);
    for (const next of graph.get(node)?.next.keys() ?? []) {
      const found = visit(next);
      if (found !== undefined) return found;
    }
    onTheWay.delete(node);
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const found = visit(node);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The shortest way from one on a cycle back to it, which it begins with. */
function shortestBack(graph: Graph, start: string): string[] {
  const cameFrom = new Map<string, string>();
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

function wayTo(end: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [end];
  for (let here = end; here !== start;) {
    here = cameFrom.get(here) ?? start;
    way.unshift(here);
  }
  return way;
}
