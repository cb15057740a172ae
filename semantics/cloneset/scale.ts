import type { Action, Because, EventDraft } from '../decision.ts';
import { isUpdateReady } from '../pod/readiness.ts';
import { scaleInOrder } from '../pod/order.ts';
import type { Pod } from '../pod/types.ts';
import type { Envelope } from '../plan/envelope.ts';
import { selectorPredicate } from '../values/selector.ts';
import type { Diff } from './diff.ts';
import { oldSideRevisions } from './limits.ts';
import { newPod, nextIdentities } from './pods.ts';
import { type CloneSetView, revisionOf } from './view.ts';

export interface ScaleInput {
  view: CloneSetView;
  envelope: Envelope;
  diff: Diff;
  available: (pod: Pod) => boolean;
  marked: (pod: Pod) => boolean;
  now: number;
}

interface Scaled {
  actions: Action[];
  because: Because[];
  events?: EventDraft[];
}

/**
 * Creates and deletes pods (OpenKruise cloneset, rule 6.4, without lifecycle hooks and claims): missing pods first;
 * only a pass that creates none deletes marked ones, and only one without marked pods scales in.
 */
export function scale(input: ScaleInput): Scaled {
  const { diff } = input;
  if (diff.scaleUp > 0) return create(input);

  const ready = (pod: Pod): boolean => isUpdateReady(pod, 0, input.now);
  // OpenKruise leaves marked pods out of what is unavailable; one that has broken since it was marked is gone all the same.
  const marked = input.view.active.filter(input.marked);
  const brokenMarked = marked.filter((pod) => !ready(pod)).length;
  let budget = Math.max(diff.deleteReadyLimit - brokenMarked, 0);
  const because: Because[] = [];
  const take = (pod: Pod): boolean => {
    if (!ready(pod)) return true;
    if (budget > 0) return budget-- > 0;
    because.push({ about: pod.metadata.name, reason: 'stays: deleting it would leave too few pods ready' });
    return false;
  };

  if (marked.length > 0) {
    const actions = marked
      .sort(byName)
      .filter(take)
      .map((pod) => remove(pod, 'marked for deletion'));
    return { actions, because };
  }
  const { spreadOver } = input.view.spec;
  if (diff.scaleDown > 0 && spreadOver.length > 0 && input.view.nodes.state === 'pending') {
    const reason = 'scales in when the nodes are known, over which its pods are spread';
    return { actions: [], because: [{ about: input.view.target.metadata.name, reason }] };
  }
  const actions = scaleInCandidates(input)
    .filter(take)
    .map((pod) => remove(pod, `has ${input.view.active.length}, wants ${input.view.spec.replicas}`));
  return { actions, because };
}

function create({ view, envelope, diff, now }: ScaleInput): Scaled {
  const because: Because[] = [];
  const events: EventDraft[] = [];
  if (diff.scaleUp > diff.scaleUpLimit) {
    const reason = `creates ${diff.scaleUpLimit} of ${diff.scaleUp} missing pods now: scaleStrategy.maxUnavailable`;
    because.push({ about: view.target.metadata.name, reason });
    events.push({ type: 'Warning', reason: 'ScaleUpLimited', message: reason });
  }
  const old = oldSideRevisions(view, envelope, Math.min(diff.scaleUpLimit, diff.scaleUpOld));
  const hashes = [...old, ...Array<string>(diff.scaleUpLimit - old.length).fill(envelope.goal)];
  const identities = nextIdentities(view, hashes.length);
  const matches = selectorPredicate(view.spec.selector);
  const actions: Action[] = [];
  hashes.forEach((hash, index) => {
    const revision = revisionOf(view, hash);
    const identity = identities[index];
    if (revision === undefined || identity === undefined) {
      because.push({
        about: view.target.metadata.name,
        reason: `no pod at ${hash}: its revision object is gone`,
      });
      return;
    }
    const pod = newPod(view, revision, identity, now);
    // A pod the selector does not match would be let go at once, and made again without end.
    if (!matches(pod.metadata.labels)) {
      because.push({
        about: view.target.metadata.name,
        reason: `no pod at ${revision.name}: its labels do not match the selector`,
      });
      return;
    }
    const side = hash === envelope.goal ? '' : ', because no more of the new one are allowed now';
    actions.push({
      do: 'create',
      kind: 'Pod',
      verb: 'create',
      object: pod,
      because: `has ${view.active.length}, wants ${view.spec.replicas + diff.useSurge}; at ${revision.name}${side}`,
      event: {
        type: 'Normal',
        reason: 'SuccessfulCreate',
        message: `succeed to create pod ${pod.metadata.name}`,
      },
    });
  });
  return { actions, because, events };
}

/** Which pods scale-in takes: the old side's share first, each side in its own order. */
function scaleInCandidates({ view, envelope, diff, available }: ScaleInput): Pod[] {
  if (diff.scaleDown === 0) return [];
  const isOld = (pod: Pod): boolean => view.hashOf(pod) !== envelope.goal;
  const inOrder = (pods: readonly Pod[]): Pod[] =>
    scaleInOrder(pods, available, view.spec.spreadOver, view.nodes);
  const old = inOrder(view.active.filter(isOld));
  const fresh = inOrder(view.active.filter((pod) => !isOld(pod)));
  const fromOld = Math.min(diff.scaleDown, diff.scaleDownOld, old.length);
  return [...old.slice(0, fromOld), ...fresh.slice(0, diff.scaleDown - fromOld)];
}

function remove(pod: Pod, why: string): Action {
  return {
    do: 'delete',
    kind: 'Pod',
    verb: 'delete',
    name: pod.metadata.name,
    uid: pod.metadata.uid ?? '',
    resourceVersion: pod.metadata.resourceVersion ?? '',
    because: why,
    event: {
      type: 'Normal',
      reason: 'SuccessfulDelete',
      message: `succeed to delete pod ${pod.metadata.name}`,
    },
  };
}

function byName(a: Pod, b: Pod): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
