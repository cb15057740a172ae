/** One validation error, in the format of Kubernetes' `field.Error`. */
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
  /** In the wording of the server: the kind of error, the value and the detail. */
  message: string;
  /** The rejected value, where the message shows one. */
  value?: unknown;
  /** The broken rule alone. */
  detail?: string;
  /** The accepted values, where they are listed. */
  supported?: readonly unknown[];
}

function shown(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : JSON.stringify(value ?? null);
}

export const field = {
  required: (path: string, detail = ''): FieldError => ({
    field: path,
    reason: 'FieldValueRequired',
    message: detail === '' ? 'Required value' : `Required value: ${detail}`,
    detail,
  }),
  invalid: (path: string, value: unknown, detail: string): FieldError => ({
    field: path,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${shown(value)}: ${detail}`,
    value,
    detail,
  }),
  typeInvalid: (path: string, value: unknown, detail: string): FieldError => ({
    field: path,
    reason: 'FieldValueTypeInvalid',
    message: `Invalid value: ${shown(value)}: ${detail}`,
    value,
    detail,
  }),
  forbidden: (path: string, detail: string): FieldError => ({
    field: path,
    reason: 'FieldValueForbidden',
    message: `Forbidden: ${detail}`,
    detail,
  }),
  notSupported: (path: string, value: unknown, supported: readonly unknown[]): FieldError => ({
    field: path,
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${shown(value)}: supported values: ${supported.map(shown).join(', ')}`,
    value,
    supported,
  }),
  duplicate: (path: string, value: unknown): FieldError => ({
    field: path,
    reason: 'FieldValueDuplicate',
    message: `Duplicate value: ${shown(value)}`,
    value,
  }),
  notFound: (path: string, value: unknown): FieldError => ({
    field: path,
    reason: 'FieldValueNotFound',
    message: `Not found: ${shown(value)}`,
    value,
  }),
  tooLong: (path: string, limit: number): FieldError => ({
    field: path,
    reason: 'FieldValueTooLong',
    message: `Too long: may not be more than ${limit} ${limit === 1 ? 'byte' : 'bytes'}`,
    detail: `may not be more than ${limit} ${limit === 1 ? 'byte' : 'bytes'}`,
  }),
  tooMany: (path: string, count: number, limit: number): FieldError => ({
    field: path,
    reason: 'FieldValueTooMany',
    message: `Too many: ${count}: must have at most ${limit} ${limit === 1 ? 'item' : 'items'}`,
    detail: `must have at most ${limit} ${limit === 1 ? 'item' : 'items'}`,
  }),
};
