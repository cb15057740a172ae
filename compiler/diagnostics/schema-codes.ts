import { define } from './definition.ts';
import { didYouMean, quoted } from './phrases.ts';

/** KR20xx: the schema. */
export const schemaCodes = {
  KR2001: define<{ field: string; suggestion: string | undefined }>({
    title: 'Unknown field',
    severity: 'error',
    message: ({ field }) => `unknown field ${quoted(field)}`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about: 'The API server silently drops unknown fields, so the setting would have no effect.',
    remedy: 'Remove the field, or correct its name.',
  }),
  KR2002: define<{ field: string; expected: string; found: string; help?: string | undefined }>({
    title: 'Wrong type',
    severity: 'error',
    message: ({ field, expected, found }) => `${field} must be ${expected}, found ${found}`,
    help: ({ help }) => help,
    about: 'The API server would refuse the object. Often a quote is missing or superfluous.',
    remedy: 'Write a value of the expected type, and check the quotes.',
  }),
  KR2003: define<{ field: string; value: string; allowed: string; suggestion: string | undefined }>({
    title: 'Value not allowed',
    severity: 'error',
    message: ({ field, value, allowed }) => `${field} cannot be ${quoted(value)}; allowed: ${allowed}`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about: 'The field accepts only the listed values. Values are case-sensitive.',
    remedy: 'Use one of the allowed values.',
  }),
  KR2004: define<{ field: string; owner: string; example?: string }>({
    title: 'Missing field',
    severity: 'error',
    message: ({ field, owner }) => `${owner} lacks the required field ${quoted(field)}`,
    help: ({ field, example }) => (example === undefined ? `add ${field}` : `write ${example}`),
    about: 'The API server would refuse the object without this field.',
    remedy: 'Add the field.',
  }),
  KR2005: define<{ field: string; rule: string; help?: string | undefined }>({
    title: 'Value out of bounds',
    severity: 'error',
    message: ({ field, rule }) => `${field} ${rule}`,
    help: ({ help }) => help,
    about: 'The value has the right type, but OpenKruise does not accept it.',
    remedy: 'Choose a value within the reported bounds.',
  }),
  KR2006: define<{ field: string; suggestion: string | undefined }>({
    title: 'Unknown field in a pod template',
    severity: 'warning',
    strict: true,
    message: ({ field }) => `unknown field ${quoted(field)} in the pod template`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about:
      'The API server accepts unknown fields in a template, but pods created from it lack them. ' +
      'It is a warning because a newer Kubernetes may support the field. With --strict it is an error.',
    remedy: 'Remove the field, or correct its name.',
  }),
} as const;
