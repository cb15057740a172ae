import type { SidecarSetStatus } from '../../schemas/generated/types/sidecarset.ts';
import type { Action, Decision } from '../decision.ts';
import type { Envelope } from '../plan/envelope.ts';
import { truncate } from '../revision/truncate.ts';
import { untouched, writtenBy } from '../workload/decide.ts';
import { revisionsInUse } from './in-use.ts';
import { publishing, recorded } from './publish.ts';
import { CUSTOM_VERSION_LABEL } from './resource.ts';
import { sidecarSetStatus } from './status.ts';
import type { RoundContext } from './chosen.ts';
import { type Round, updateRound } from './update.ts';
import type { SidecarSetView } from './view.ts';

/**
 * What to do about one SidecarSet now (OpenKruise sidecarset, rules 6.7 and 6.8), within the envelope. Pure. Pods belong to
 * others: they are patched, and never created or deleted.
 */
export function decideSidecarSet({
  view,
  limits,
  envelope,
  held,
  keep,
  now,
}: Pick<RoundContext, 'limits'> & {
  view: SidecarSetView;
  envelope: Envelope;
  held: { reason: string; message: string } | undefined;
  /** Hashes of the revisions that the plan may still need. */
  keep: ReadonlySet<string>;
  now: number;
}): Decision<SidecarSetStatus> {
  const status = sidecarSetStatus(view, held, now);
  const nothing = untouched({ view, envelope }, status);
  if (nothing !== undefined) return nothing;
  const { spec } = view;
  const rolls = spec.isRolling && !spec.isPaused;
  const round: Round = rolls
    ? updateRound({ view, limits, envelope, now })
    : { actions: [], explanations: [], events: [] };
  const published = publishing(view, envelope);
  // Before the status, which shows the generation as observed: who waits for that counts the revisions then.
  const actions = [...published, ...unlessWritten(truncated(view, keep), published), ...round.actions];
  const { explanations, events, requeueAt } = round;
  return { actions, status, explanations, events, ...(requeueAt !== undefined && { requeueAt }) };
}

/** The limit counts the revisions in use, too (OpenKruise sidecarset, rule 6.11). */
function truncated(view: SidecarSetView, keep: ReadonlySet<string>): Action[] {
  const used = revisionsInUse(view);
  const needed = new Set([...keep, ...pinned(view), ...forNewPods(view)]);
  const isNeeded = (hash: string): boolean => needed.has(hash) || used.has(hash);
  const count = view.revisions.filter(({ hash }) => isNeeded(hash)).length;
  const limit = Math.max(0, view.spec.historyLimit - count);
  return truncate(view, { limit, keep: needed, inUse: () => used });
}

/** Without those of objects that the same decision writes: they would be of an older version. */
function unlessWritten(actions: readonly Action[], before: readonly Action[]): Action[] {
  const written = writtenBy(before);
  return actions.filter((action) => action.do === 'create' || !written.has(action.name));
}

/** The revisions that new pods may get by the manifest (rule 6.11). */
function pinned({ spec, revisions }: SidecarSetView): string[] {
  if (spec.pinned === undefined) return [];
  const { name, customVersion } = spec.pinned;
  return revisions
    .filter((each) =>
      name !== undefined ? each.name === name : versionOf(each.object.metadata.labels) === customVersion,
    )
    .map(({ hash }) => hash);
}

/** The revision of new pods that the selector of a bound does not select: perhaps no pod has it now. */
function forNewPods(view: SidecarSetView): string[] {
  const found = recorded(view);
  return found === undefined ? [] : [found.revision.hash];
}

function versionOf(labels: Readonly<Record<string, string>> | undefined): string | undefined {
  return labels?.[CUSTOM_VERSION_LABEL];
}
