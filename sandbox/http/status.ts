import { ApiError, type Status } from '../../schemas/wire/cluster.ts';

/** `metav1.Status` in JSON; keys in the server's order. */
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

/** The Status of an error. */
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

/** The success Status of a request without a returned object. */
export function success(details?: NonNullable<Status['details']>): WireStatus {
  return {
    ...envelope,
    status: 'Success',
    ...(details === undefined ? {} : { details: orderedDetails(details) }),
  };
}

/** Converts any error to a Status: ApiError as it is, unexpected errors as 500. */
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

/** Errors that only the HTTP front end produces. */
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
