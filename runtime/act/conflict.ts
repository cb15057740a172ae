import { ApiError } from '../../schemas/wire/cluster.ts';

/**
 * A refusal that only says that the world is no longer as it was when the write was decided: the object changed (409),
 * went (404), or is another one of the same name (a patch that names the old uid is Invalid). The next look decides anew.
 */
export function isConflictOrNotFound(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  const { code, details } = error.status;
  if (code === 404 || code === 409) return true;
  return code === 422 && (details?.causes ?? []).some((cause) => cause.field === 'metadata.uid');
}

/** A refusal of what was asked, by right, quota or admission, and not of its time: it would be the same a moment later. */
export function isRefusal(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  const { code } = error.status;
  // 500: an admission webhook that does not answer.
  return code !== 429 && code <= 500 && !isConflictOrNotFound(error);
}
