import type { Advance } from './advance.ts';
import type { AdvanceInput } from './advance-input.ts';
import { type Blocked, blockedBy } from './blocked.ts';
import type { Envelope } from './envelope.ts';
import type { Origin, RolloutView } from './rollout-view.ts';
import { OWN_STABLE } from './share.ts';
import type { MemoryWrite } from './state.ts';
import { untouchable } from './untouchable.ts';

/** A target that another one has given a share of its envelope. */
type FromRoot = Extract<Origin, { by: 'root' }>;

/**
 * What a child may do: its share, whatever plans, commands and policies there are. A plan object about it is not executed, and a
 * command is refused, each with the reason. It records only that it is complete on a revision.
 */
export function followRoot(
  input: Pick<AdvanceInput, 'view' | 'plans' | 'commands' | 'context'>,
  origin: FromRoot,
): Advance {
  const { view, plans, commands, context } = input;
  const unsupported = untouchable(view);
  const blocked = unsupported && blockedBy('targetUnsupported', unsupported);
  const why = `${view.kind}/${view.name} has no plan of its own: it follows ${origin.root}`;
  const notExecuted: Blocked = { fact: 'targetUnsupported', reason: 'FollowsRoot', message: why };
  return {
    targetDeleted: false,
    accepted: undefined,
    blocked,
    envelope: { ...envelopeOfShare(view, origin), touch: blocked === undefined },
    writes: blocked === undefined ? completeWrites(view, origin) : [],
    transitions: [],
    answered: commands
      .filter(({ result }) => result === undefined)
      .map(({ uid, name, spec: { action, by = 'a user' } }) => ({
        uid,
        name,
        result: 'Refused',
        message: `${action} by ${by}: ${why}. Send it to that`,
      })),
    pending: new Map(plans.map(({ name }) => [name, notExecuted])),
    waitingOn: '',
    boundedBy: undefined,
    waitingLabel: '',
    doneAt: undefined,
    failsAt: undefined,
    beginsAt: undefined,
    lacksPods: false,
    narrowed: undefined,
    verdict: undefined,
    refusals: context.refusals,
    creationBackoff: context.creationBackoff,
    check: undefined,
    pull: undefined,
    progressClock: undefined,
    requeueAt: context.creationBackoff?.requeueAt,
  };
}

function envelopeOfShare(view: RolloutView, { root, share }: FromRoot): Envelope {
  const { goal, stable, allowed, moving, window, mode } = share;
  return {
    goal,
    stable: stable === OWN_STABLE ? view.stable : stable,
    allowed,
    // The share is all of the partition.
    obeyPartition: false,
    touch: true,
    moving,
    ...(goal === stable && moving && { back: { broken: [] } }),
    window,
    mode,
    reason: `its share of ${root} allows ${allowed} of ${view.replicas}`,
  };
}

/** The revision that all of its pods are on becomes stable: what it goes back to is in its share. */
function completeWrites(view: RolloutView, { share }: FromRoot): MemoryWrite[] {
  const { liveHash: hash, stable } = view;
  return stable !== hash && share.goal === hash && view.rules().isWhole(view)
    ? [{ do: 'complete', hash, retained: undefined }]
    : [];
}
