import { isNodeDown } from '../../../semantics/daemonset/eligibility.ts';
import type { Node } from '../../../semantics/node/node.ts';
import { nodeOfPod } from '../../../semantics/node/placement.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { scaleIntOrPercent } from '../../../semantics/values/int-or-percent.ts';
import { timeOf } from '../../../semantics/values/timestamp.ts';
import type { PodCommit, UnitLimits } from '../pod-bounds.ts';
import { limitOfPlan, type Limits, limitsOf, revisionLabel } from '../records.ts';
import type { Objects } from '../subject.ts';

/** A node that has joined, or has come back, gets its pod within this, milliseconds; until then it is not counted. */
const RECENT_MS = 60_000;

/** What a node has: at most one pod, or with surge an old and a new one, of as many nodes as the limit says. */
export const nodeLimits: UnitLimits = {
  nodesIn: nodesOf,
  takenOut(here) {
    const { pod, pods, sizes, isAvailable } = here;
    const served = new Set(pods.filter(isAvailable).map(nodeOfPod));
    const without = countedNodes(here).filter((name) => !served.has(name));
    const limit = limitIn(here, 'maxUnavailable', sizes.most);
    if (served.has(nodeOfPod(pod)) || without.length <= limit) return [];
    const { name } = pod.metadata;
    return [`${without.join(', ')} have no available pod after ${name} was taken out, at most ${limit} may`];
  },
  created(here) {
    const { pods, sizes, wasAvailable } = here;
    const limit = limitIn(here, 'maxSurge', sizes.most);
    const hosts = [...new Set(pods.map(nodeOfPod))].map((name) => ({
      name,
      there: pods.filter((pod) => nodeOfPod(pod) === name).sort(byAge),
    }));
    // An extra pod costs nothing where the old one is not available.
    const surged = hosts.filter(
      ({ there: [old, fresh] }) => old !== undefined && fresh !== undefined && wasAvailable(old),
    ).length;
    return [
      ...(surged > limit ? [`${surged} nodes have an extra pod, at most ${limit} may`] : []),
      ...hosts.flatMap(({ name, there }) =>
        areTooMany(here, there) ? [`${name} has ${there.length} pods`] : [],
      ),
    ];
  },
};

const byAge = (a: Pod, b: Pod): number =>
  timeOf(a.metadata.creationTimestamp) - timeOf(b.metadata.creationTimestamp);

function areTooMany({ target, memory }: PodCommit, there: readonly Pod[]): boolean {
  const isSurging = scaleIntOrPercent(limitsOf(target).maxSurge ?? 0, 100, 'up') > 0;
  const sides = new Set(there.map((pod) => memory.hashes.get(revisionLabel(pod))));
  return there.length > (isSurging ? sides.size : 1);
}

/** The names of the nodes that are Ready, and have been for long enough. */
function countedNodes({ objects, commit: { at } }: PodCommit): string[] {
  const isCounted = (node: Node): boolean => {
    const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
    const since = [node.metadata.creationTimestamp, ready?.lastTransitionTime].map((time) => timeOf(time));
    return !isNodeDown(node) && at - Math.max(...since) > RECENT_MS;
  };
  return nodesOf(objects)
    .filter(isCounted)
    .map(({ metadata }) => metadata.name);
}

/** The lower of the limit of the target and that of the plan; percentages round up. */
function limitIn({ target, memory }: PodCommit, limit: keyof Limits, nodes: number): number {
  const own = scaleIntOrPercent(limitsOf(target)[limit] ?? 0, nodes, 'up');
  const most = limitOfPlan(memory.active, limit);
  return most === undefined ? own : Math.min(own, scaleIntOrPercent(most, nodes, 'up'));
}

function nodesOf(objects: Objects): Node[] {
  return [...objects.values()].filter(({ kind }) => kind === 'Node');
}
