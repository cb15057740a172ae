import { ApiError, type Status } from '../../schemas/wire/cluster.ts';
import type { FieldError } from '../../schemas/pods/fieldErrors.ts';

/** `pods`, `rolloutplans.plan.kruise.io`: the resource name in messages. */
export function groupResource(type: { group: string; plural: string }): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

function groupKind(type: { group: string; kind: string }): string {
  return type.group === '' ? type.kind : `${type.kind}.${type.group}`;
}

type Address = { group: string; plural: string };
type Details = NonNullable<Status['details']>;

/** The subject of an error: the kind for errors about a body, else the resource. */
function about(group: string, kind: string, name: string): Details {
  return { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind };
}

function refusal(code: number, reason: string, message: string, details?: Details): ApiError {
  return new ApiError({ code, reason, message, ...(details === undefined ? {} : { details }) });
}

/** API errors with the API server's messages. */
export const refuse = {
  badRequest: (message: string) => refusal(400, 'BadRequest', message),
  forbidden: (type: Address, name: string, why: string, causes?: Details['causes']) =>
    refusal(403, 'Forbidden', `${groupResource(type)} "${name}" is forbidden: ${why}`, {
      ...about(type.group, type.plural, name),
      ...(causes === undefined ? {} : { causes }),
    }),
  /** A terminating namespace accepts no new objects. */
  terminating: (type: Address, name: string, namespace: string) =>
    refuse.forbidden(
      type,
      name,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
      [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    ),
  noResource: () => refusal(404, 'NotFound', 'the server could not find the requested resource', {}),
  notFound: (type: Address, name: string) =>
    refusal(
      404,
      'NotFound',
      `${groupResource(type)} "${name}" not found`,
      about(type.group, type.plural, name),
    ),
  methodNotAllowed: () =>
    refusal(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {}),
  alreadyExists: (type: Address, name: string) =>
    refusal(
      409,
      'AlreadyExists',
      `${groupResource(type)} "${name}" already exists`,
      about(type.group, type.plural, name),
    ),
  conflict: (type: Address, name: string, why: string) =>
    refusal(
      409,
      'Conflict',
      `Operation cannot be fulfilled on ${groupResource(type)} "${name}": ${why}`,
      about(type.group, type.plural, name),
    ),
  /** `continuation`: a token to continue the list from the current state. */
  expired: (message: string, continuation?: string) =>
    new ApiError({
      code: 410,
      reason: 'Expired',
      message,
      ...(continuation === undefined ? {} : { continue: continuation }),
    }),
  unsupportedMediaType: (message: string) => refusal(415, 'UnsupportedMediaType', message),
  unprocessable: (message: string) => refusal(422, 'Invalid', message),
  invalid(
    type: { group: string; kind: string; plural?: string },
    name: string,
    errors: readonly FieldError[],
  ) {
    const list = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))];
    const text = list.length === 1 ? list[0] : `[${list.join(', ')}]`;
    return refusal(422, 'Invalid', `${groupKind(type)} "${name}" is invalid: ${text}`, {
      ...about(type.group, type.kind, name),
      causes: errors.map((error) => ({ field: error.field, reason: error.reason, message: error.message })),
    });
  },
  tooManyRequests: (message: string, details: Details) => refusal(429, 'TooManyRequests', message, details),
  /** Errors without a reason. */
  internal: (message: string) => refusal(500, '', message),
  revisionTooLarge: (wanted: number, current: number) =>
    refusal(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    }),
};

/** As the API server reports what went wrong in itself. */
export function internalError(why: string): ApiError {
  const { status } = refuse.internal(`Internal error occurred: ${why}`);
  return new ApiError({ ...status, reason: 'InternalError', details: { causes: [{ message: why }] } });
}
