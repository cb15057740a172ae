import { ApiError, type Status } from '../../schemas/wire/cluster.ts';

/** `metav1.Status` as it crosses the wire; keys in the order in which a server writes them. */
export interface WireStatus {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { continue?: string };
  status: 'Failure' | 'Success';
  message?: string;
  reason?: string;
  details?: NonNullable<Status['details']>;
  code?: number;
}

const envelope = { kind: 'Status', apiVersion: 'v1', metadata: {} } as const;

function orderedDetails(details: NonNullable<Status['details']>): NonNullable<Status['details']> {
  const { name, group, kind, uid, causes, retryAfterSeconds } = details;
  return {
    ...(name ? { name } : {}),
    ...(group ? { group } : {}),
    ...(kind ? { kind } : {}),
    ...(uid ? { uid } : {}),
    ...(causes === undefined
      ? {}
      : {
          causes: causes.map((cause) => ({
            ...(cause.reason ? { reason: cause.reason } : {}),
            ...(cause.message ? { message: cause.message } : {}),
            ...(cause.field ? { field: cause.field } : {}),
          })),
        }),
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  };
}

/** The body that tells a client of a refusal. */
export function failure({ code, reason, message, details, continue: token }: Status): WireStatus {
  return {
    ...envelope,
    ...(token === undefined ? {} : { metadata: { continue: token } }),
    status: 'Failure',
    message,
    ...(reason === '' ? {} : { reason }),
    ...(details === undefined ? {} : { details: orderedDetails(details) }),
    code,
  };
}

/** The body that tells a client that something is done and that there is nothing to show for it. */
export function success(details?: NonNullable<Status['details']>): WireStatus {
  return {
    ...envelope,
    status: 'Success',
    ...(details === undefined ? {} : { details: orderedDetails(details) }),
  };
}

/** What to answer when something went wrong: the refusal itself, or a 500 for what nobody foresaw. */
export function statusOf(error: unknown): Status {
  if (error instanceof ApiError) return error.status;
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  };
}

/** Refusals that only the front knows. */
export const frontRefusal = {
  unauthorized: () => new ApiError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' }),
  noResource: () =>
    new ApiError({
      code: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
      details: {},
    }),
  methodNotAllowed: () =>
    new ApiError({
      code: 405,
      reason: 'MethodNotAllowed',
      message: 'the server does not allow this method on the requested resource',
      details: {},
    }),
  notAcceptable: (message: string, details?: Status['details']) =>
    new ApiError({
      code: 406,
      reason: 'NotAcceptable',
      message,
      ...(details === undefined ? {} : { details }),
    }),
  tooLarge: (limit: number) =>
    new ApiError({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: `Request entity too large: limit is ${limit}`,
    }),
  badName: (name: string, why: string) =>
    new ApiError({
      code: 400,
      reason: 'BadRequest',
      message: `Name parameter invalid: ${JSON.stringify(name)}: ${why}`,
    }),
  notImplemented: (message: string) => new ApiError({ code: 501, reason: 'NotImplemented', message }),
};
