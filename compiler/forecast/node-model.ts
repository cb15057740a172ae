import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Node } from '../../semantics/node/node.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { formatSelector, type LabelSelector } from '../../semantics/values/selector.ts';

/** Of so many nodes one has the labels of a step: how many have them is not in git. */
const NODES_PER_LABELED = 10;

/** The label of the model that stands for those of a step, by the place of its selector. */
const LABELED = 'plan.kruise.io/labeled-';
/** The label of a model node that names its failure domain; a step may name any other. */
const ZONE = 'topology.kubernetes.io/zone';

/** The selectors of steps that are about nodes with labels, each once. */
export function selectorsOf(steps: readonly Step[]): LabelSelector[] {
  const found = new Map<string, LabelSelector>();
  for (const { update } of steps) {
    if (update?.nodes === undefined) continue;
    const text = formatSelector(update.nodes);
    if (!found.has(text)) found.set(text, update.nodes);
  }
  return [...found.values()];
}

/** The place of the selector of a step among those of its plan; undefined: it is about every node. */
export function selectorIndex(selectors: readonly LabelSelector[], { update }: Step): number | undefined {
  if (update?.nodes === undefined) return undefined;
  const text = formatSelector(update.nodes);
  const place = selectors.findIndex((each) => formatSelector(each) === text);
  return place < 0 ? undefined : place;
}

/**
 * How many of these nodes have the labels of a selector, by its place: a tenth, at least one. Two selectors select no node both, as
 * long as there are as many nodes.
 *
 * Example: of 100 nodes, the nodes 0, 10, … 90 for the first selector, and 1, 11, … 91 for the second one.
 */
export function labeledOf(nodes: number, place: number): number {
  if (nodes === 0) return 0;
  const every = Math.min(NODES_PER_LABELED, nodes);
  return Math.ceil((nodes - (place % every)) / every);
}

function isLabeled(index: number, nodes: number, place: number): boolean {
  const every = Math.min(NODES_PER_LABELED, nodes);
  return index % every === place % every;
}

/** A node of a model, and the place of its failure domain. */
export interface ModelNode {
  node: Node;
  zone: number;
}

/**
 * The nodes of a model: all fit, are Ready, and are in zones of one size. They are named zone by zone, as a rollout by name takes most
 * from one zone then.
 *
 * @param steps of the plan: each label that one names is there
 */
export function nodesOfModel(count: number, zones: number, steps: readonly Step[]): ModelNode[] {
  const selectors = selectorsOf(steps);
  const keys = steps.flatMap(({ update }) => update?.spread ?? []);
  const digits = String(count).length;
  return Array.from({ length: count }, (_, index): ModelNode => {
    const zone = Math.floor((index * zones) / count);
    const domain = String(zone).padStart(String(zones).length, '0');
    const labels = [
      ...[ZONE, ...keys].map((key) => [key, `zone-${domain}`] as const),
      ...selectors.flatMap((__, place) =>
        isLabeled(index, count, place) ? [[`${LABELED}${place}`, 'true'] as const] : [],
      ),
    ];
    const name = `node-${String(index).padStart(digits, '0')}`;
    return {
      zone,
      node: {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels: Object.fromEntries(labels) },
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      },
    };
  });
}

/** The steps with the labels of the model in place of their own. */
export function stepsOfModel(steps: readonly Step[]): Step[] {
  const selectors = selectorsOf(steps);
  return steps.map((step): Step => {
    const place = selectorIndex(selectors, step);
    if (step.update === undefined || place === undefined) return step;
    return {
      ...step,
      update: { ...step.update, nodes: { matchLabels: { [`${LABELED}${place}`]: 'true' } } },
    };
  });
}

/** The fields by which a template fits some nodes alone. How many fit is what the number of a model says. */
const PLACING = ['nodeName', 'nodeSelector', 'affinity'] as const;

/** A template that fits every node of a model. */
export function fittingEveryNode(template: JsonObject): JsonObject {
  const spec = { ...objectOf(template['spec']) };
  for (const field of PLACING) delete spec[field];
  return { ...template, spec };
}
