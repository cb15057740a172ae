import type { KruiseConfig, Predecessor } from '../../schemas/generated/types/config.ts';
import { byText } from '../text/order.ts';
import { ruleIndexFor, rulesOf } from './match.ts';
import type { Matched } from './match.ts';
import { keyOf, namedBy, predecessorOf } from './predecessors.ts';
import type { Named } from './predecessors.ts';

/** Rollouts that wait for each other: each for the next one, and the last for the first. */
export interface Cycle {
  targets: Named[];
  /** The rules that cause it, as indexes of `rulesOf`, in the order of the targets. */
  rules: number[];
}

/** The most cycles that are reported. Fixing these changes the rules anyway. */
export const MOST_CYCLES = 20;

/**
 * Finds cycles among the targets of the manifests, at most `MOST_CYCLES`. Of the cycles caused by the same rules, reports
 * only the first: the mistake is in the rules, and every namespace would have the same message.
 *
 * All targets of a rule in one namespace wait for the same ones. So the search visits pairs of rule and namespace, of which
 * there are few, not targets: its effort is the number of targets times the names of their rules.
 */
export function cyclesOf(config: KruiseConfig, targets: readonly Matched[]): Cycle[] {
  const cycles: Cycle[] = [];
  const reported: ReadonlySet<number>[] = [];
  const named = rulesOf(config).map(namedBy);
  const present = presentIn(config, targets);
  while (cycles.length < MOST_CYCLES) {
    const cycle = cycleIn(graphOf(named, present, reported));
    if (cycle === undefined) break;
    cycles.push(cycle);
    reported.push(new Set(cycle.rules));
  }
  return cycles;
}

/** The targets that rules match, by key. */
type Present = Map<string, { target: Named; rule: number; node: string }>;

function presentIn(config: KruiseConfig, targets: readonly Matched[]): Present {
  const found: Present = new Map();
  const sorted = targets.map((target) => [keyOf(target), target] as const).sort(([a], [b]) => byText(a, b));
  for (const [key, target] of sorted) {
    const rule = ruleIndexFor(config, target);
    if (rule === undefined) continue;
    found.set(key, { target, rule, node: JSON.stringify([target.namespace ?? '', rule]) });
  }
  return found;
}

/** What the targets of a rule in one namespace wait for. */
interface GraphNode {
  rule: number;
  /** Nodes of other rules or namespaces, each with the first target that is waited for. */
  next: Map<string, Named>;
  /** Targets of the same node. None of these waits for itself, so a single one is no cycle. */
  own: Named[];
}

/** By rule and namespace. */
type Graph = Map<string, GraphNode>;

/**
 * Builds the graph of waiting, without edges between rules of a reported cycle.
 *
 * @param named the targets that each rule of kruise.yaml names
 */
function graphOf(
  named: readonly Predecessor[][],
  present: Present,
  reported: readonly ReadonlySet<number>[],
): Graph {
  const graph: Graph = new Map();
  for (const { target, rule, node } of present.values()) {
    if (graph.has(node)) continue;
    const waiting: GraphNode = { rule, next: new Map(), own: [] };
    graph.set(node, waiting);
    for (const each of named[rule] ?? []) {
      const other = present.get(keyOf(predecessorOf(target, each)));
      if (other === undefined || reported.some((rules) => rules.has(rule) && rules.has(other.rule))) continue;
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
  const path = shortestBack(graph, start);
  const round = path.flatMap((node, index) => {
    const before = path.at(index - 1) ?? start;
    const [rule, target] = [graph.get(node)?.rule, graph.get(before)?.next.get(node)];
    return rule === undefined || target === undefined ? [] : [{ rule, target }];
  });
  const first = round.reduce(
    (least, { target }, index) =>
      byText(keyOf(target), keyOf(round[least]?.target ?? target)) < 0 ? index : least,
    0,
  );
  const rotated = [...round.slice(first), ...round.slice(0, first)];
  return { targets: rotated.map(({ target }) => target), rules: rotated.map(({ rule }) => rule) };
}

/** Depth-first search for a node that leads back to itself. */
function nodeOnCycle(graph: Graph): string | undefined {
  const done = new Set<string>();
  const onPath = new Set<string>();
  const visit = (node: string): string | undefined => {
    if (onPath.has(node)) return node;
    if (done.has(node)) return undefined;
    onPath.add(node);
    for (const next of graph.get(node)?.next.keys() ?? []) {
      const found = visit(next);
      if (found !== undefined) return found;
    }
    onPath.delete(node);
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const found = visit(node);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The shortest path from a node on a cycle back to it, starting with the node. */
function shortestBack(graph: Graph, start: string): string[] {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const current of queue) {
    for (const next of graph.get(current)?.next.keys() ?? []) {
      if (next === start) return pathTo(current, start, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, current);
      queue.push(next);
    }
  }
  return [start];
}

function pathTo(end: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path = [end];
  for (let current = end; current !== start;) {
    current = cameFrom.get(current) ?? start;
    path.unshift(current);
  }
  return path;
}
