import { ApiError } from '../../schemas/wire/cluster.ts';

/** One thing wrong with a field, in the words of Kubernetes' `field.Error`. */
export interface FieldError {
  field: string;
  reason:
    | 'FieldValueInvalid'
    | 'FieldValueRequired'
    | 'FieldValueForbidden'
    | 'FieldValueNotSupported'
    | 'FieldValueDuplicate'
    | 'FieldValueTypeInvalid'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueNotFound';
  message: string;
}

function shown(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : JSON.stringify(value ?? null);
}

export const field = {
  required: (path: string, detail = ''): FieldError => ({
    field: path,
    reason: 'FieldValueRequired',
    message: detail === '' ? 'Required value' : `Required value: ${detail}`,
  }),
  invalid: (path: string, value: unknown, detail: string): FieldError => ({
    field: path,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${shown(value)}: ${detail}`,
  }),
  typeInvalid: (path: string, value: unknown, detail: string): FieldError => ({
    field: path,
    reason: 'FieldValueTypeInvalid',
    message: `Invalid value: ${shown(value)}: ${detail}`,
  }),
  forbidden: (path: string, detail: string): FieldError => ({
    field: path,
    reason: 'FieldValueForbidden',
    message: `Forbidden: ${detail}`,
  }),
  notSupported: (path: string, value: unknown, supported: readonly unknown[]): FieldError => ({
    field: path,
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${shown(value)}: supported values: ${supported.map(shown).join(', ')}`,
  }),
  duplicate: (path: string, value: unknown): FieldError => ({
    field: path,
    reason: 'FieldValueDuplicate',
    message: `Duplicate value: ${shown(value)}`,
  }),
  tooLong: (path: string, limit: number): FieldError => ({
    field: path,
    reason: 'FieldValueTooLong',
    message: `Too long: may not be more than ${limit} bytes`,
  }),
  tooMany: (path: string, count: number, limit: number): FieldError => ({
    field: path,
    reason: 'FieldValueTooMany',
    message: `Too many: ${count}: must have at most ${limit} items`,
  }),
};

/** `pods`, `clonesets.apps.kruise.io`: how messages name a resource. */
export function groupResource(type: { group: string; plural: string }): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

function groupKind(type: { group: string; kind: string }): string {
  return type.group === '' ? type.kind : `${type.kind}.${type.group}`;
}

type Named = { group: string; plural: string; kind: string };

/** The refusals of the API server, with its own messages. */
export const refuse = {
  badRequest: (message: string) => new ApiError({ code: 400, reason: 'BadRequest', message }),
  forbidden: (type: Named, name: string, why: string) =>
    new ApiError({
      code: 403,
      reason: 'Forbidden',
      message: `${groupResource(type)} "${name}" is forbidden: ${why}`,
    }),
  noResource: () =>
    new ApiError({
      code: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
    }),
  notFound: (type: { group: string; plural: string }, name: string) =>
    new ApiError({ code: 404, reason: 'NotFound', message: `${groupResource(type)} "${name}" not found` }),
  methodNotAllowed: () =>
    new ApiError({
      code: 405,
      reason: 'MethodNotAllowed',
      message: 'the server does not allow this method on the requested resource',
    }),
  alreadyExists: (type: Named, name: string) =>
    new ApiError({
      code: 409,
      reason: 'AlreadyExists',
      message: `${groupResource(type)} "${name}" already exists`,
    }),
  conflict: (type: Named, name: string, why: string) =>
    new ApiError({
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on ${groupResource(type)} "${name}": ${why}`,
    }),
  expired: (message: string) => new ApiError({ code: 410, reason: 'Expired', message }),
  unsupportedMediaType: (message: string) =>
    new ApiError({ code: 415, reason: 'UnsupportedMediaType', message }),
  unprocessable: (message: string) => new ApiError({ code: 422, reason: 'Invalid', message }),
  invalid(type: Named, name: string, errors: readonly FieldError[]) {
    const list = errors.map((error) => `${error.field}: ${error.message}`);
    const text = list.length === 1 ? list[0] : `[${list.join(', ')}]`;
    return new ApiError({
      code: 422,
      reason: 'Invalid',
      message: `${groupKind(type)} "${name}" is invalid: ${text}`,
      details: { causes: errors.map((error) => ({ ...error })) },
    });
  },
  timeout: (message: string) => new ApiError({ code: 504, reason: 'Timeout', message }),
};
