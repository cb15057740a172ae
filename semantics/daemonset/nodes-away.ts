import { boundedRestarts, fitting, isFull, type Lists } from '../plan/record-limit.ts';
import { isLater } from '../plan/later-pods.ts';
import type { Accepted, Progress } from '../plan/memory.ts';
import { fewOf, stillDown } from '../plan/nodes-down.ts';
import type { PodRow } from '../plan/pod-row.ts';
import { podsAt } from '../plan/pods-at.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import type { CountedNode, NodeUnits } from '../plan/units.ts';

type Since = Pick<Progress, 'joinedUntil' | 'stepSince'>;

/** Whether a node has joined since the present or last update step started. An older runtime has recorded no time of a node. */
export function hasJoined({ joinedAt }: Pick<CountedNode, 'joinedAt'>, progress: Since): boolean {
  return joinedAt > (progress.joinedUntil ?? progress.stepSince);
}

/** A test of names of nodes that have joined since. */
export function joinedSince({ nodes }: NodeUnits, progress: Since): (name: string) => boolean {
  return (name) => {
    const node = nodes.get(name);
    return node !== undefined && hasJoined(node, progress);
  };
}

/**
 * Whether a way back waits until the pod of a row is available: not on a node that has joined since the last step started, or is on
 * record as down. On one that has joined before that, or was lost meanwhile, it does not wait for room.
 */
export function isAwaitedBack(
  units: NodeUnits,
  progress: Pick<Progress, 'away' | 'down' | keyof Since>,
): (pod: PodRow) => boolean {
  const [hasNodeJoined, isThere] = [joinedSince(units, progress), isNotAway(progress)];
  const wasDown = new Set(progress.down);
  return (pod) =>
    !hasNodeJoined(pod.unit) && !wasDown.has(pod.unit) && (pod.unschedulable === undefined || isThere(pod));
}

/** A test of names of nodes that hold no step up: the node is not Ready, or has joined since. */
export function leftOut(units: NodeUnits, progress: Since): (name: string) => boolean {
  return (name) => {
    const node = units.nodes.get(name);
    return node !== undefined && (!node.isReady || hasJoined(node, progress));
  };
}

/**
 * The nodes that are away when a step starts: those that were, and those that have joined in the step before it, which did not wait
 * for their pods. Undefined: there are none.
 *
 * Example: a node joins in the step `100%`, and gets a pod. The step ends before that is available, and a soak starts: that the pod
 * is not available is no failure of the soak. Once it was available, it is.
 *
 * @param record what else the record has. Default: what it had
 */
export function awayAtStart(
  view: RolloutView<NodeUnits>,
  before: Progress,
  record: Lists = before,
): string[] | undefined {
  const { nodes } = view.units;
  const joined = view.pods.filter(({ unit, available }) => {
    const node = nodes.get(unit);
    return !available && node !== undefined && hasJoined(node, before);
  });
  const away = new Set([...(before.away ?? []), ...joined.map(({ unit }) => unit)]);
  // A step starts where the manifest has the revision of its plan.
  return away.size === 0 ? undefined : mostOf(view, view.liveHash, [...away], record);
}

/**
 * The nodes that are away when a plan is accepted: what the one before it knows of them. Where that has succeeded, what is not
 * available then is broken before the next one.
 *
 * @param record what else the record has
 */
export function awayBefore(
  view: RolloutView<NodeUnits>,
  before: Accepted | undefined,
  record: Lists,
): Pick<Progress, 'away'> {
  if (before === undefined || before.progress.phase === 'Succeeded') return {};
  const away = awayAtStart(view, before.progress, record);
  return away === undefined ? {} : { away };
}

/**
 * The progress with the nodes that are away: those that are not Ready, or were not and whose pods are not available again yet, and
 * those that have joined and whose pods start. Their pods are not judged, and restarts until then do not count, as they prove nothing
 * about the change. What was broken before the plan stays in its baseline, and what was down before it on record as that, until it is
 * Ready; then it may be of the baseline (`brokenAtReturn`). Undefined: nothing has changed.
 *
 * Example: during a soak, a node reboots. It is not Ready for a minute. Once it is, its pod has restarted once, and is available 30
 * seconds later: from then on its restarts count from one. Where its pod is an old one, those of the new one count from none.
 *
 * As many are on record as of broken units, first of all nodes with pods at the revision of the plan. While the record is full of these,
 * no pod is judged, and the clocks of gates stand: whatever is not available may have been away.
 */
export function followAway(
  view: RolloutView<NodeUnits>,
  { spec, progress }: Pick<Accepted, 'spec' | 'progress'>,
): Progress | undefined {
  const { nodes } = view.units;
  const { away = [], down = [], baseline } = progress;
  const wasFull = isRecordFull(view, { spec, progress });
  const still = stillDown(view.units, progress);
  const noted = [...away, ...down];
  const rows = new Map(noted.length === 0 ? [] : view.pods.map((pod) => [pod.unit, pod] as const));
  const isBack = (unit: string): boolean => rows.get(unit)?.available === true;
  // A record has room for few names: what is down is on that list alone.
  const isDown = new Set(still);
  const left = away.filter(
    (unit) => nodes.has(unit) && !isDown.has(unit) && !(nodes.get(unit)?.isReady === true && isBack(unit)),
  );
  const brokenSince = brokenAtReturn(view, { spec, progress }, rows);
  const unavailable = [...baseline.unavailable, ...brokenSince].sort();
  const known = new Set([...left, ...still, ...unavailable]);
  const starts = startingUnits(view, progress);
  const wasDown = new Set(down);
  const isAway = (unit: string, isReady: boolean): boolean =>
    !isReady ||
    starts.has(unit) ||
    (wasDown.has(unit) && !isBack(unit)) ||
    (wasFull && rows.get(unit)?.available === false);
  const further = [...nodes].flatMap(([unit, { isReady }]) =>
    isAway(unit, isReady) && !known.has(unit) ? [unit] : [],
  );
  const record = { ...progress, down: still, baseline: { ...baseline, unavailable } };
  const next = mostOf(view, spec.to.hash, [...left, ...further.sort()], record);
  const before = new Set(away);
  const isSame = next.length === away.length && next.every((unit) => before.has(unit));
  if (isSame && still.length === down.length) return undefined;
  // Which of the others have been away is not known once there is room again.
  const hasRoom = wasFull && !isRecordFull(view, { spec, progress: { ...progress, away: next } });
  const back = hasRoom ? view.pods : noted.filter(isBack).flatMap((unit) => rows.get(unit) ?? []);
  // Those of an old pod are none of the one that replaces it.
  const restarts = back.flatMap(({ hash, unit, restarts: n }) =>
    hash === spec.to.hash && n > 0 ? [[unit, n] as const] : [],
  );
  const all = { ...baseline.restarts, ...Object.fromEntries(restarts) };
  const { away: _away, down: _down, ...rest } = progress;
  return {
    ...rest,
    baseline: {
      unavailable,
      ...boundedRestarts({ ...record, away: next }, Object.entries(all), baseline.otherRestarts),
    },
    ...(next.length > 0 && { away: next }),
    ...(still.length > 0 && { down: still }),
  };
}

/**
 * The nodes that were down when the plan was accepted, and that are back with their old pods, which are not available: they count as broken
 * before it, as the change has not been there. So many of them as a plan bears, less those that were broken already: where more lack their
 * pods, the reason may be the change that they get now. One that an unfinished change has reached is none of them: what mends it has to
 * work there. Nor is one without a pod, as after each clean shutdown: nothing was broken there, and it gets a new pod.
 *
 * Example: 100 nodes, one of which has lost its disk. For a week its kubelet reports now and then. No plan fails for its pod.
 */
function brokenAtReturn(
  { units: { nodes }, stable, complete, replicas }: RolloutView<NodeUnits>,
  { spec, progress: { baseline, down = [] } }: Pick<Accepted, 'spec' | 'progress'>,
  rows: ReadonlyMap<string, PodRow>,
): string[] {
  const broken = new Set(baseline.unavailable);
  const isOld = (hash: string | undefined): boolean =>
    hash !== undefined && hash !== spec.to.hash && (hash === stable || complete.has(hash));
  const back = down.filter((name) => {
    if (broken.has(name) || nodes.get(name)?.isReady !== true) return false;
    const pod = rows.get(name);
    return pod !== undefined && !pod.available && isOld(pod.hash);
  });
  return back.sort().slice(0, Math.max(fewOf(replicas) - broken.size, 0));
}

/** Whether nodes that are not Ready are on the later record, and on no list of the earlier one. */
export function hasLostFurther(
  { units }: Pick<RolloutView<NodeUnits>, 'units'>,
  before: Progress,
  next: Progress,
): boolean {
  const isNew = isNotAway(before);
  return (next.away ?? []).some((unit) => units.nodes.get(unit)?.isReady === false && isNew({ unit }));
}

/** Names as far as the record has room, in order: those of nodes with pods at the revision of the plan are before all others. */
function mostOf(view: RolloutView<NodeUnits>, to: string, names: readonly string[], record: Lists): string[] {
  if (fitting(record, 'away', names).length === names.length) return [...names].sort();
  const there = new Set(podsAt(view, to).map(({ unit }) => unit));
  const own = names.filter((name) => there.has(name));
  const others = names.filter((name) => !there.has(name));
  return fitting(record, 'away', [...own, ...others]).sort();
}

/** Whether as many nodes with pods at the revision of the plan are away as a record has: of others nobody knows. */
export function isRecordFull(
  view: RolloutView,
  { spec, progress }: Pick<Accepted, 'spec' | 'progress'>,
): boolean {
  const { away = [] } = progress;
  // Other lists may leave it no room. Nobody comes back then, and a gate would wait for ever.
  if (away.length === 0 || !isFull(progress, 'away')) return false;
  const there = new Set(podsAt(view, spec.to.hash).map(({ unit }) => unit));
  return away.every((name) => there.has(name));
}

/** The nodes that have joined since, and whose new pods were not available yet. */
function startingUnits({ pods, units: { nodes } }: RolloutView<NodeUnits>, progress: Progress): Set<string> {
  const joined = new Set<string>();
  for (const [unit, node] of nodes) if (hasJoined(node, progress)) joined.add(unit);
  if (joined.size === 0) return joined;
  const starting = pods.filter((pod) => joined.has(pod.unit) && isStarting(pod, progress));
  return new Set(starting.map(({ unit }) => unit));
}

function isStarting(pod: PodRow, progress: Progress): boolean {
  return !pod.available && pod.restartedWhenAvailable !== true && isLater(pod, progress);
}

/**
 * A test of pods that say something about the change: steps and gates judge no others. One whose node is not Ready, or is away, does
 * not: until its pod is available again, or should have been for long, as the change may be why it is not. Nor does a new one that was
 * not available yet, on a node that has joined since.
 *
 * Example: during a soak of an hour a node reboots, and its pod crashes from then on. Ten minutes after the node is Ready the soak fails.
 */
export function isJudgedIn(
  view: RolloutView<NodeUnits>,
  accepted: Pick<Accepted, 'spec' | 'progress'>,
): (pod: PodRow) => boolean {
  const { units } = view;
  const { progress } = accepted;
  if (isRecordFull(view, accepted)) return () => false;
  const isThere = isNotAway(progress);
  return (pod) => {
    const node = units.nodes.get(pod.unit);
    if (node === undefined) return true;
    const isJudged = isThere(pod) || units.hasRecovered(pod.unit);
    return node.isReady && isJudged && !(hasJoined(node, progress) && isStarting(pod, progress));
  };
}

function isNotAway({
  away = [],
  down = [],
}: Pick<Progress, 'away' | 'down'>): (pod: Pick<PodRow, 'unit'>) => boolean {
  const units = new Set([...away, ...down]);
  return ({ unit }) => !units.has(unit);
}
