import { isPreparingDelete } from '../lifecycle/states.ts';
import { targetLimits } from '../limits/target-limits.ts';
import { isNodeDown } from './eligibility.ts';
import { joinedAt } from './joined.ts';
import type { Node } from '../node/node.ts';
import { nodeRules } from './node-rules.ts';
import { isMarkedForNode } from './marked-pod.ts';
import { nodeOfPod } from '../node/placement.ts';
import type { PodRow } from '../plan/pod-row.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import type { CountedNode, NodeUnits } from '../plan/units.ts';
import { hasInPlaceGate, isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { leftAt } from '../revision/complete.ts';
import { revisionOf } from '../revision/revision.ts';
import { selectorPredicate } from '../values/selector.ts';
import { rolloutOf } from '../workload/rollout.ts';
import { heldBackAt } from './held-back.ts';
import { inPlaceUpdateOf } from './in-place.ts';
import { daemonSetLimits } from './limits.ts';
import { preDownloadOf } from './pre-download.ts';
import { recoveryOf } from './recovery.ts';
import type { DaemonSetView, Host } from './view.ts';

/**
 * What the rules of plans read of a DaemonSet: a row for each node that has a pod. Of two pods it is that of the younger one, which
 * is not available for a plan before the older one is gone. One that has ended, or is being deleted, never is.
 */
export function daemonSetRollout(
  view: DaemonSetView,
  faults: Pick<RolloutView, 'unsupported' | 'invalid'>,
  now: number,
): RolloutView<NodeUnits> {
  const { spec, target, hosts, eligibility, liveHash } = view;
  const counted = hosts.filter(({ node, pods }) => pods.length > 0 || eligibility(liveHash, node).shouldRun);
  const desired = counted.filter(({ node }) => eligibility(liveHash, node).shouldRun).length;
  const shown = counted.flatMap((host) => {
    const [pod, older] = shownPods(host);
    return pod === undefined ? [] : [{ pod, host, isAlone: older === undefined && isActive(pod) }];
  });
  const own = {
    paused: spec.paused,
    onDelete: spec.strategy.type === 'OnDelete',
    replicas: view.units,
    limits: targetLimits(daemonSetLimits, target, desired),
    partition: spec.partition,
    selector: spec.nodeSelector,
    progressDeadlineSeconds: undefined,
    growth: undefined,
    claimsDeletedWithPods: false,
    preDownload: preDownloadOf(view, desired),
    origin: { by: 'user' } as const,
    ...faults,
  };
  const { units, pods, modeTo, ...rest } = rolloutOf(
    view,
    { pods: shown.map(({ pod }) => pod), own, unitOf: nodeOfPod },
    now,
  );
  const ungated = ungatedRevisions(view);
  let byName: ReadonlyMap<string, Host> | undefined;
  return {
    ...rest,
    // A pod without the gate is recreated, whatever its change is.
    modeTo: (from, to) => (from !== to && ungated.has(from) ? 'Recreate' : modeTo(from, to)),
    pods: pods.map((row, index) => {
      const { host, pod, isAlone = true } = shown[index] ?? {};
      const isMarked = pod !== undefined && !row.available && isMarkedForNode(pod);
      return onNode(row, labelsOf(host?.node), { isAlone, isMarked });
    }),
    rules: () => nodeRules,
    units: {
      of: 'nodes',
      podSpec: units.podSpec,
      preDownload: units.preDownload,
      hookWaits: () => units.hookWaits(),
      modeWithResize: units.modeWithResize,
      joins: hosts.map(({ node }) => joinedAt(node)),
      joinsWith(selector) {
        const isSelected = selectorPredicate(selector);
        return hosts.filter(({ node }) => isSelected(labelsOf(node))).map(({ node }) => joinedAt(node));
      },
      nodes: new Map(counted.map((host) => [host.name, countedNode(view, host)])),
      missingAt: (hash, isOut) => missingAt(view, hash, isOut),
      lackingAt: (hash) => lackingAt(view, hash),
      leftAt: (hash) => leftAt(view, hash),
      hasRecovered(name) {
        byName ??= new Map(counted.map((host) => [host.name, host]));
        const host = byName.get(name);
        const until = host && recoveryOf(host, view, now);
        return until !== undefined && until <= now;
      },
    },
  };
}

/**
 * The pods of a node that count for a plan, the youngest first. A node that has none is yet to get one. As long as it is down it gets
 * none, and counts for what it has, in whatever state that is: a bound counts it so, too.
 *
 * Example: a step of one node. The node is shut down, and its pod at the new revision ends: the step has that node, and takes no other.
 */
function shownPods({ node, pods }: Host): readonly Pod[] {
  // Most nodes have one pod that counts: nothing is copied for them.
  const [only] = pods;
  if (pods.length === 1 && only !== undefined && isActive(only) && !isPreparingDelete(only)) return pods;
  const active = pods.filter((pod) => isActive(pod) && !isPreparingDelete(pod));
  if (active.length > 0 || !isNodeDown(node)) return active.reverse();
  return pods.filter((pod) => !isPreparingDelete(pod)).reverse();
}

function countedNode(view: DaemonSetView, { node, pods }: Host): CountedNode {
  return {
    isReady: !isNodeDown(node),
    joinedAt: joinedAt(node),
    labels: labelsOf(node),
    canTake: canTakeLive(view, node, pods),
  };
}

const NO_LABELS: Readonly<Record<string, string>> = {};

function labelsOf(node: Node | undefined): Readonly<Record<string, string>> {
  return node?.metadata.labels ?? NO_LABELS;
}

/** Whether the live revision can come to a node without the step of all nodes: as a new pod, or in place. */
function canTakeLive(view: DaemonSetView, node: Node, pods: readonly Pod[]): boolean {
  const { shouldRun, shouldContinue } = view.eligibility(view.liveHash, node);
  if (shouldRun || !shouldContinue) return shouldRun;
  const live = revisionOf(view, view.liveHash);
  return live !== undefined && pods.some((pod) => inPlaceUpdateOf(view, pod, live) !== undefined);
}

/** How many Ready nodes lack the pod that they are to have of a revision, but for those that a partition keeps without one. */
function missingAt(view: DaemonSetView, hash: string, isOut: (name: string) => boolean): number {
  const isMissing = (host: Host): boolean =>
    shownPods(host).length === 0 &&
    !isNodeDown(host.node) &&
    view.eligibility(hash, host.node).shouldRun &&
    !isOut(host.name);
  return Math.max(view.hosts.filter(isMissing).length - heldBackAt(view, hash), 0);
}

/** The same of all nodes. The taints of an outage, which keep a new pod away from a node that had one, go with the outage. */
function lackingAt(view: DaemonSetView, hash: string): number {
  const isLacking = (host: Host): boolean => {
    if (shownPods(host).length > 0) return false;
    const { shouldRun, shouldContinue } = view.eligibility(hash, host.node);
    return host.pods.length > 0 ? shouldContinue : shouldRun;
  };
  return Math.max(view.hosts.filter(isLacking).length - heldBackAt(view, hash), 0);
}

/** Cached by row: most of ten thousand rows are those of the reconcile before. */
const rows = new WeakMap<PodRow, PodRow>();

function onNode(
  row: PodRow,
  labels: Readonly<Record<string, string>>,
  { isAlone, isMarked }: { isAlone: boolean; isMarked: boolean },
): PodRow {
  const known = rows.get(row);
  const available = row.available && isAlone;
  if (known !== undefined && known.labels === labels && known.available === available) return known;
  const found = { ...row, labels, available, ...(isMarked && { foreignCause: true }) };
  rows.set(row, found);
  return found;
}

/** The revisions of pods without the gate that an update in place needs; none where pods are recreated anyway. */
function ungatedRevisions(view: DaemonSetView): ReadonlySet<string> {
  if (view.rules.policy === 'ReCreate') return new Set();
  const ungated = view.active.filter((pod) => !hasInPlaceGate(pod));
  return new Set(ungated.flatMap((pod) => view.hashOf(pod) ?? []));
}
