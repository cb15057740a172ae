const keyRule =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Why a text is not a valid key of a ConfigMap or Secret, in the server's wording. */
export function keyFaults(key: string): string[] {
  const faults = key.length > 253 ? ['must be no more than 253 characters'] : [];
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) faults.push(keyRule);
  if (key === '.' || key === '..') faults.push(`must not be '${key}'`);
  else if (key.startsWith('..')) faults.push("must not start with '..'");
  return faults;
}
