import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Action } from '../decision.ts';
import type { Revision } from './revision.ts';

/** Sets annotations of a revision; null removes one. */
export function annotateRevision(
  revision: Revision,
  verb: string,
  annotations: Record<string, string | null>,
  reason: string,
): Action {
  return patchRevision(revision, verb, { metadata: { annotations } }, reason);
}

/** Patches a revision as it was observed: if uid or version have changed, the server returns 409. */
export function patchRevision(revision: Revision, verb: string, body: JsonObject, reason: string): Action {
  const { name, uid, resourceVersion } = revision.object.metadata;
  const metadata = {
    ...(body['metadata'] as JsonObject | undefined),
    uid: uid ?? '',
    resourceVersion: resourceVersion ?? '',
  };
  return {
    do: 'patch',
    kind: 'ControllerRevision',
    verb,
    name,
    body: { ...body, metadata },
    reason,
  };
}
