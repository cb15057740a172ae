import { isPreparingDelete } from '../lifecycle/states.ts';
import { targetLimits } from '../limits/target-limits.ts';
import { isNodeDown } from '../node/eligibility.ts';
import { nodeOfPod } from '../node/placement.ts';
import type { PodRow } from '../plan/pod-row.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import type { CountedNode, NodeUnits } from '../plan/units.ts';
import { hasInPlaceGate, isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { leftAt } from '../revision/complete.ts';
import { timeOf } from '../values/timestamp.ts';
import { rolloutOf } from '../workload/rollout.ts';
import { daemonSetLimits } from './limits.ts';
import { partitionCount } from './partition.ts';
import { preDownloadOf } from './pre-download.ts';
import type { DaemonSetView, Host } from './view.ts';

/**
 * What the rules of plans read of a DaemonSet: a row for each node that has a pod. Of two pods it is that of the younger one, which
 * is not available for a plan before the older one is gone.
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
    return pod === undefined ? [] : [{ pod, host, isAlone: older === undefined }];
  });
  const own = {
    paused: spec.paused,
    onDelete: spec.strategy.type === 'OnDelete',
    replicas: view.units,
    limits: targetLimits(daemonSetLimits, target, desired),
    partition: partitionCount(spec.partition, desired),
    selector: spec.nodeSelector,
    progressDeadlineSeconds: undefined,
    growth: undefined,
    claimsDeletedWithPods: false,
    preDownload: preDownloadOf(view, desired),
    ...faults,
  };
  const { units, pods, modeTo, ...rest } = rolloutOf(
    view,
    { pods: shown.map(({ pod }) => pod), own, unitOf: nodeOfPod },
    now,
  );
  const ungated = ungatedRevisions(view);
  return {
    ...rest,
    // A pod without the gate is recreated, whatever its change is.
    modeTo: (from, to) => (from !== to && ungated.has(from) ? 'Recreate' : modeTo(from, to)),
    pods: pods.map((row, index) => {
      const { host, isAlone = true } = shown[index] ?? {};
      return onNode(row, host?.node.metadata.labels ?? {}, isAlone);
    }),
    units: {
      of: 'nodes',
      podSpec: units.podSpec,
      preDownload: units.preDownload,
      hookWaits: () => units.hookWaits(),
      modeWithResize: units.modeWithResize,
      existing: hosts.length,
      nodes: new Map(counted.map((host) => [host.name, countedNode(host)])),
      leftAt: (hash) => leftAt(view, hash),
    },
  };
}

/** The pods of a node that count for a plan, the youngest first. */
function shownPods({ pods }: Host): Pod[] {
  return pods.filter((pod) => isActive(pod) && !isPreparingDelete(pod)).reverse();
}

function countedNode({ node }: Host): CountedNode {
  return { isReady: !isNodeDown(node), joinedAt: timeOf(node.metadata.creationTimestamp) };
}

/** Cached by row: most of ten thousand rows are those of the reconcile before. */
const rows = new WeakMap<PodRow, PodRow>();

function onNode(row: PodRow, labels: Readonly<Record<string, string>>, isAlone: boolean): PodRow {
  const known = rows.get(row);
  const available = row.available && isAlone;
  if (known !== undefined && known.labels === labels && known.available === available) return known;
  const found = { ...row, labels, available };
  rows.set(row, found);
  return found;
}

/** The revisions of pods without the gate that an update in place needs; none where pods are recreated anyway. */
function ungatedRevisions(view: DaemonSetView): ReadonlySet<string> {
  if (view.rules.policy === 'ReCreate') return new Set();
  const ungated = view.active.filter((pod) => !hasInPlaceGate(pod));
  return new Set(ungated.flatMap((pod) => view.hashOf(pod) ?? []));
}
