import { ApiError, type Status } from '../../schemas/wire/cluster.ts';

/** Whether a create was refused because its namespace is being deleted. */
export function isTerminating(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || error.status.code !== 403) return false;
  return (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');
}

/**
 * Whether a refusal only means that the object has changed since the decision: a conflict (409), not found (404), or
 * another object of the same name (a patch with the old uid is Invalid). So it is where the namespace is being deleted. The next
 * reconcile decides again.
 */
export function isConflictOrNotFound(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  const { code, details } = error.status;
  // A namespace that is missing does not come into being by another decision.
  if (code === 404) return details?.kind !== 'namespaces';
  if (code === 409 || isTerminating(error)) return true;
  return code === 422 && (details?.causes ?? []).some((cause) => cause.field === 'metadata.uid');
}

/** Whether a refusal is permanent (right, quota or admission): an immediate retry would be refused again. */
export function isRefusal(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  const { code } = error.status;
  // 500: an admission webhook did not answer.
  return code !== 429 && code <= 500 && !isConflictOrNotFound(error);
}

/** Whether a create was refused because a quota is used up. */
export function exceedsQuota({ code, message }: Pick<Status, 'code' | 'message'>): boolean {
  return code === 403 && message.includes('exceeded quota');
}
