import type { KubeObject } from '../../schemas/wire/object.ts';
import { namedRoot } from '../../semantics/children/shares.ts';
import { ownedPods } from '../../semantics/kinds/git-units.ts';
import { byText } from '../../compiler/text/order.ts';
import type { KindFacts } from '../../semantics/kinds/facts.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { UnitNouns } from '../../semantics/kinds/nouns.ts';
import type { OwnStrategy, StatusProblem, UnitCounts } from '../../semantics/kinds/status-facts.ts';
import { type Lifecycle, noHooks } from '../../semantics/lifecycle/hooks.ts';
import { hookWait, waitClauses } from '../../semantics/lifecycle/wait.ts';
import { isStarting, locationOf } from '../../semantics/pod/location.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { isObserved } from '../../semantics/status/observed.ts';
import { kindOfTarget } from './target-kind.ts';

/**
 * Why a target without an active plan does not match its manifest: pods that cannot be scheduled, do not run or wait at a hook, what
 * its status reports as failed, and units that the target's own strategy does not update. Undefined: no known reason.
 *
 * @param pods the known pods that the target controls
 */
export function blockedStateOf(object: KubeObject, pods: readonly Pod[]): StatusProblem | undefined {
  const kind = kindOfTarget(object);
  if (!isObserved(kind.facts.status, object)) return undefined;
  const reasons = reasonsOf(kind, object, pods).filter((reason) => reason !== undefined);
  const [first] = reasons;
  if (first === undefined) return undefined;
  return { waitingOn: first.waitingOn, message: reasons.map(({ message }) => message).join('; ') };
}

function reasonsOf(
  kind: Kind,
  object: KubeObject,
  pods: readonly Pod[],
): readonly (StatusProblem | undefined)[] {
  const problems = kind.facts.status.problems(object);
  if (kind.shape === 'Standing') return problems;
  return [
    brokenPods(pods),
    hookedPods(pods, ownedPods(kind.git.read(object).units)?.lifecycle ?? noHooks),
    ...problems,
    heldBack(kind.facts, object),
  ];
}

/** What the target's own strategy keeps from going on. */
function heldBack({ nouns, status }: KindFacts, object: KubeObject): StatusProblem | undefined {
  const counts = status.counts(object);
  const strategy = status.strategy(object);
  const paused = (what: string): StatusProblem => ({
    waitingOn: 'TargetPaused',
    message: `paused is true in its manifest: ${what}; set it to false in git`,
  });
  switch (counts.of) {
    case 'units':
      return counts.updated < counts.wanted
        ? outdatedUnits(counts, strategy, nouns, { paused, root: namedRoot(object) })
        : undefined;
    case 'run':
      return strategy.is === 'paused' && status.outcome(object) === 'underway'
        ? paused(`it starts on no further ${nouns.unit}`)
        : undefined;
    case 'ticks':
      return strategy.is === 'paused' ? paused('nothing is created at its times') : undefined;
  }
}

function outdatedUnits(
  { wanted, due, updated }: UnitCounts,
  strategy: OwnStrategy,
  { units }: UnitNouns,
  { paused, root }: { paused: (what: string) => StatusProblem; root: string | undefined },
): StatusProblem | undefined {
  const rest = `${wanted - updated} of ${wanted} ${units}`;
  switch (strategy.is) {
    case 'paused':
      return paused(`${rest} are not updated`);
    case 'byHand':
      return {
        waitingOn: 'OnDelete',
        message: `its strategy is ${strategy.type}: ${rest} are updated when you delete them, kubectl delete pod -n ${strategy.namespace} NAME`,
      };
    case 'active':
      break;
  }
  if (due === undefined)
    return {
      waitingOn: 'Selector',
      message: `its selector may retain some of ${rest} that are not updated: the status does not count those that it selects`,
    };
  if (due >= wanted || updated < due) return undefined;
  if (root !== undefined)
    return {
      waitingOn: 'FollowsRoot',
      message: `its share of ${root} retains ${rest} on the old revision; the plan of that continues it`,
    };
  return {
    waitingOn: 'Bound',
    message: `its partition retains ${rest} on the old revision; lower it in git to continue`,
  };
}

/** Pods that do not run; those that cannot be scheduled first. */
function brokenPods(pods: readonly Pod[]): StatusProblem | undefined {
  const placed = pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .sort((a, b) => byText(a.metadata.name, b.metadata.name))
    .map((pod) => ({ pod, ...locationOf(pod) }));
  const lost = placed.filter(({ unschedulable }) => unschedulable !== undefined);
  const [first] = lost;
  if (first !== undefined) {
    const subject = lost.length === 1 ? '' : ` and ${lost.length - 1} more`;
    const reason = (first.unschedulable ?? '').replace(/\.$/, '');
    return {
      waitingOn: 'Unschedulable',
      message: `pod ${first.pod.metadata.name}${subject} cannot be scheduled: ${reason}`,
    };
  }
  const down = placed.filter(({ problem }) => problem !== undefined && !isStarting(problem));
  const [one] = down;
  if (one === undefined) return undefined;
  const subject = down.length === 1 ? 'does' : `and ${down.length - 1} more do`;
  return { waitingOn: 'Pods', message: `pod ${one.pod.metadata.name} ${subject} not run: ${one.problem}` };
}

/** Pods that wait at a hook: the first by name of each, with the command that ends its wait. */
function hookedPods(pods: readonly Pod[], lifecycle: Lifecycle): StatusProblem | undefined {
  const waiting = pods
    .flatMap((each) => {
      const text = hookWait(lifecycle, each);
      return text === undefined ? [] : [{ pod: each.metadata.name, text }];
    })
    .sort((a, b) => byText(a.pod, b.pod));
  const clauses = waitClauses(waiting, ({ pod, text }, more) => {
    const others = more === 0 ? '' : `, as ${more} more ${more === 1 ? 'does' : 'do'}`;
    return `pod ${pod} ${text}${others}`;
  });
  return clauses.length === 0 ? undefined : { waitingOn: 'Pods', message: clauses.join('; ') };
}
