import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { formatSelector, type LabelSelector } from '../values/selector.ts';
import type { Accepted, Progress } from './memory.ts';
import { retainedBy } from './partition.ts';
import { podsAt } from './pods-at.ts';
import type { RolloutView } from './rollout-view.ts';
import { selectedByAll } from './selector-bound.ts';
import { statedPartition } from './stated-partition.ts';
import type { NodeUnits } from './units.ts';

type View = RolloutView<NodeUnits>;
type Steps = Pick<RolloutPlanSpec, 'steps'>;

/** The bound of a rollout whose step is about nodes with labels that no node has. */
export const BY_NODES = 'nodes';

/** The update step whose size holds at a step, with its index: the last one at or before it. A gate is about the units of that one. */
function updateAt({ steps }: Steps, step: number): { update: Step['update']; index: number } {
  const index = steps.slice(0, step + 1).findLastIndex(({ update }) => update !== undefined);
  return { update: steps[index]?.update, index };
}

/** The labels of the only nodes that a step is about; undefined: it is about every node. */
export function nodesOfStep(spec: Steps, step: number): LabelSelector | undefined {
  return updateAt(spec, step).update?.nodes;
}

/** The label by whose values a step goes, one after the other; undefined: it does not. */
export function spreadOfStep(spec: Steps, step: number): string | undefined {
  return updateAt(spec, step).update?.spread;
}

/** Whether a step may be over without a node: it is about nodes with labels, and says `atLeast: 0`. */
export function mayBeWithoutNodes(spec: Steps, step: number): boolean {
  const { update } = updateAt(spec, step);
  return update?.nodes !== undefined && update.atLeast === 0;
}

/** `nodes with track=canary`; the labels as for `kubectl get nodes -l`. */
export function nodesWith(selector: LabelSelector): string {
  return `nodes with ${formatSelector(selector)}`;
}

/**
 * What a step is about: the target and its plan, as if there were only the nodes with the labels of the step. So a step for ten of a
 * hundred nodes is judged as one of a target with ten. What partitions keep is kept among the other nodes first. The steps of the
 * plan have no labels then: asking again changes nothing.
 *
 * Example: 100 nodes, `partition: 95`, and 10 nodes with `track=canary`. A step `100%` of these allows 10, and wants 5 of them: the
 * 90 others are kept, and 5 more.
 */
export function ofStep(view: View, accepted: Accepted, step: number): { view: View; accepted: Accepted } {
  const selector = nodesOfStep(accepted.spec, step);
  return selector === undefined ? { view, accepted } : narrowed(view, accepted, step, selector);
}

function narrowed(
  view: View,
  { progress, ...accepted }: Accepted,
  step: number,
  selector: LabelSelector,
): { view: View; accepted: Accepted } {
  const { spec } = accepted;
  const inner = withLabels(view, selector);
  const others = view.replicas - inner.replicas - takenBeyond(view, spec.to.hash, selector);
  const kept = (partition: View['partition']): number =>
    Math.max(retainedBy(view, partition) - Math.max(others, 0), 0);
  const { labeled, beyond: _beyond, ...rest } = progress;
  const { index } = updateAt(spec, step);
  const size = labeled?.step === index ? labeled : sizeNow(inner);
  return {
    view: { ...inner, partition: kept(view.partition) },
    accepted: {
      ...accepted,
      spec: {
        ...spec,
        to: { ...spec.to, bound: { ...spec.to.bound, partition: kept(statedPartition(spec.to.bound)) } },
        steps: spec.steps.map((each) => withoutNodes(each, size.n)),
      },
      progress: { ...rest, frozenN: size.n, outside: size.outside },
    },
  };
}

/** All of the nodes with labels are as many as are on record: which of them join that, the step itself decides (`followLabeled`). */
function withoutNodes(step: Step, n: number): Step {
  if (step.update?.nodes === undefined) return step;
  const { nodes: _nodes, ...update } = step.update;
  return { ...step, update: update.to === '100%' ? { ...update, to: n } : update };
}

/** Whether a step takes every node with its labels, those included that get them while it runs. */
export function takesAllLabeled({ steps }: Steps, step: number): boolean {
  const { update } = steps[step] ?? {};
  return update?.nodes !== undefined && update.to === '100%';
}

/** Cached by view: several rules need it, and a plan has few steps with labels. */
const views = new WeakMap<View, Map<string, View>>();

/** The target with the nodes alone that have these labels. */
function withLabels(view: View, selector: LabelSelector): View {
  const key = formatSelector(selector);
  const known = views.get(view) ?? new Map<string, View>();
  views.set(view, known);
  const found = known.get(key) ?? restricted(view, selector);
  known.set(key, found);
  return found;
}

function restricted(view: View, selector: LabelSelector): View {
  const { units, pods } = view;
  const isSelected = selectedByAll([selector]);
  const nodes = new Map([...units.nodes].filter(([, { labels }]) => isSelected(labels)));
  return {
    ...view,
    replicas: nodes.size,
    pods: pods.filter(({ labels }) => isSelected(labels)),
    units: { ...units, nodes, joins: units.joinsWith(selector) },
  };
}

/** How many nodes without these labels have a pod on a revision. */
export function takenBeyond(view: View, hash: string, selector: LabelSelector): number {
  return podsAt(view, hash).length - podsAt(withLabels(view, selector), hash).length;
}

/** How many nodes there are, and how many Node objects beside these. */
function sizeNow({ replicas: n, units }: View): { n: number; outside: number } {
  return { n, outside: Math.max(units.joins.length - n, 0) };
}

/**
 * What a step records of nodes with labels when it starts: how many there are, and how many others have the change. A step for every
 * node after such a one records how many have it, as its size may be lower. Empty: no step so far is about nodes with labels.
 *
 * A step that starts again, under a continuation or by Resume, has had its numbers: what is missing now, or has joined, changes them no
 * more than it did before.
 *
 * @param before the progress of the step before it, or of the same one
 */
export function labelsAtStart(
  view: View,
  { spec, step }: { spec: RolloutPlanSpec; step: number },
  before: Progress | undefined,
): Pick<Progress, 'labeled' | 'beyond'> {
  const { update, index } = updateAt(spec, step);
  const { hash } = spec.to;
  const had = before?.step === step ? before : undefined;
  const beyond = (now: number): number => Math.max(now, had?.beyond ?? 0);
  if (update?.nodes !== undefined) {
    const labeled =
      had?.labeled?.step === index
        ? had.labeled
        : { step: index, ...sizeNow(withLabels(view, update.nodes)) };
    return { labeled, beyond: beyond(takenBeyond(view, hash, update.nodes)) };
  }
  const isAfter = spec.steps.slice(0, Math.max(index, 0)).some((each) => each.update?.nodes !== undefined);
  return isAfter ? { beyond: beyond(podsAt(view, hash).length) } : {};
}
