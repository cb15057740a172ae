/** What Go's encoder writes as an escape inside of strings, where JavaScript's does not. */
const ESCAPED = /[<>&\u2028\u2029]/g;

/**
 * A body as the server itself would write it. It keeps the `data` of a ControllerRevision by its bytes, writes them anew in
 * its own way when any other field is patched, and refuses that as a change of what is immutable where the bytes differ:
 * a template with `&&` in a command could never be annotated. None of these signs stands in JSON but inside of strings.
 */
export function bodyText(body: object): string {
  return JSON.stringify(body).replaceAll(
    ESCAPED,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
