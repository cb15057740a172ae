import type { Node } from '../node/node.ts';
import { decidePulls, endPulls, type PullDecision } from '../pull/decide.ts';
import { nodesFor } from '../pull/nodes.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import type { Advance } from './advance.ts';
import type { PullContext } from './rollout-context.ts';
import type { RolloutView } from './rollout-view.ts';
import { isUnderWay } from './state.ts';
import { ownPods } from './units.ts';

/** How many pods are tried on one node ahead of an update without a plan (OpenKruise's `backoffLimit` of 1). */
const ATTEMPTS = 2;

/**
 * The writes of pods that pull images. While a pull step is blocked its pods stay, and none is created. In any other step, and
 * once the plan has ended, all of them are deleted. Without a plan the target itself may ask for a pre-download.
 */
export function pullActions(
  view: RolloutView,
  result: Advance,
  pulls: PullContext,
  now: number,
): Pick<PullDecision, 'actions' | 'requeueAt'> {
  // The run decides about them itself.
  if (view.units.of === 'run' && view.units.arePulls) return { actions: [], requeueAt: undefined };
  const { accepted, blocked, pull } = result;
  const step = accepted?.spec.steps[accepted.progress.step];
  const isPulling = accepted !== undefined && isUnderWay(accepted.progress.phase) && step?.pull !== undefined;
  // Its requeue time is that of the step.
  if (isPulling && result.envelope.ownStrategy !== true)
    return { actions: blocked === undefined ? (pull?.actions ?? []) : [], requeueAt: undefined };
  const ahead = aheadOf(view, result, pulls, now);
  if (ahead === 'unknown') return { actions: [], requeueAt: undefined };
  const reason = 'no image is to be pulled any more';
  return ahead ?? { actions: endPulls(pulls.pods, reason), requeueAt: undefined };
}

/**
 * Pulls ahead of an update in place without a plan, to the nodes of pods that are to be updated (OpenKruise inplace-update,
 * rule 6.13). It holds nothing up: a node that fails is left to its pod. Undefined: nothing is to be pulled.
 */
function aheadOf(
  { units, pods, liveHash }: RolloutView,
  { envelope }: Advance,
  { nodes, pods: pullPods, owner, refused }: PullContext,
  now: number,
): PullDecision | 'unknown' | undefined {
  const own = ownPods(units);
  if (own?.preDownload === undefined || owner === undefined) return undefined;
  const { preDownload, podSpec } = own;
  if (envelope.ownStrategy !== true || envelope.goal !== liveHash) return undefined;
  const updated = pods.filter(({ hash, conditions }) => hash === liveHash && conditions['Ready'] === 'True');
  if (updated.length < preDownload.minUpdatedReady) return undefined;
  const names = new Set(pods.flatMap(({ hash, node }) => (hash === liveHash ? [] : (node ?? []))));
  if (names.size === 0) return undefined;
  const known = nodes();
  if (known === 'pending') return 'unknown';
  return decidePulls(
    {
      owner,
      key: `ahead-${liveHash.replace(/[^0-9a-z]/g, '').slice(0, 40)}`,
      images: preDownload.images,
      podSpec,
      nodes: 'refused' in known ? nodesNamed(names) : nodesFor(podSpec, known).filter(isIn(names)),
      parallelism: preDownload.parallelism,
      attempts: ATTEMPTS,
      attemptMs: preDownload.attemptMs,
      isRefused: refused !== undefined,
    },
    pullPods,
    now,
  );
}

function isIn(names: ReadonlySet<string>): (node: Node) => boolean {
  return ({ metadata }) => names.has(metadata.name);
}

/** Nodes of which only the names are known, because nodes may not be listed. */
function nodesNamed(names: ReadonlySet<string>): Node[] {
  return [...names]
    .sort(compareCodePoints)
    .map((name) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } }));
}
