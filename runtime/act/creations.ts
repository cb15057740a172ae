import { ApiError } from '../../schemas/wire/cluster.ts';
import type { Action } from '../../semantics/decision.ts';
import { REVISION_LABEL } from '../../semantics/pod/types.ts';
import { exceedsQuota, isRefusal } from './conflict.ts';

/** The revision label of the pod that a create leads to, possibly after its claims; '': there is no such pod, or no label. */
export function revisionOfNew(action: Action): string {
  if (action.do !== 'create') return '';
  const { kind, object, next } = action;
  if (kind !== 'Pod' && next?.do === 'create') return revisionOfNew(next);
  return object.metadata.labels?.[REVISION_LABEL] ?? '';
}

/**
 * The creates in groups that share a fate: those of one kind and revision, and each copy by itself. In a group what was not refused yet comes first, so
 * that a few that are always refused cannot keep the others from their turn.
 *
 * @param lastRefused when the create of this name was last refused, as a number that grows; 0: it was not
 */
export function groupedCreates(
  creates: readonly Action[],
  lastRefused: (name: string) => number = () => 0,
): Action[][] {
  const groups = new Map<string, Action[]>();
  for (const action of creates) {
    const key = `${action.kind} ${revisionOfNew(action)} ${action.isCopy === true ? action.namespace : ''}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [action]);
    else group.push(action);
  }
  const turn = (action: Action): number =>
    action.do === 'create' ? lastRefused(action.object.metadata.name) : 0;
  return [...groups.values()].map((group) => group.sort((a, b) => turn(a) - turn(b)));
}

/** Whether an error may be about one object alone: a used-up quota, or a server that does not answer, is about the others, too. */
export function isAboutOne(error: unknown): boolean {
  return (
    error instanceof ApiError && isRefusal(error) && error.status.code < 500 && !exceedsQuota(error.status)
  );
}
