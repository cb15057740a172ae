/** The characters in strings that Go's JSON encoder escapes, and JavaScript's does not. */
const ESCAPED = /[<>&\u2028\u2029]/g;

/**
 * A body in the encoding of the API server. The server stores the bytes of the `data` of a ControllerRevision, encodes them
 * again when another field is patched, and refuses the patch as a change of immutable data if the bytes differ: a revision
 * with `&&` in a command could never be annotated. In JSON these characters occur only inside strings.
 */
export function bodyText(body: object): string {
  return JSON.stringify(body).replaceAll(
    ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
