import { field, type FieldError } from './fieldErrors.ts';

/** 1 to 65535, in the server's wording. */
export function checkPortNumber(path: string, port: unknown): FieldError[] {
  if (typeof port === 'number' && port >= 1 && port <= 65535) return [];
  return [field.invalid(path, port, 'must be between 1 and 65535, inclusive')];
}

/** Why a text is not a valid port name, in the server's wording. */
export function portNameFaults(name: string): string[] {
  return [
    ...(name.length > 15 ? ['must be no more than 15 characters'] : []),
    ...(/^[-a-z0-9]+$/.test(name)
      ? []
      : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(name.startsWith('-') || name.endsWith('-') ? ['must not begin or end with a hyphen'] : []),
  ];
}

/** A port by number or name; absent is number 0. */
export function checkNumberOrName(path: string, port: unknown): FieldError[] {
  return typeof port === 'string'
    ? portNameFaults(port).map((fault) => field.invalid(path, port, fault))
    : checkPortNumber(path, port ?? 0);
}
