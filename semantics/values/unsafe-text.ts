/**
 * The one place that knows which characters must not be shown as they are. Strings of manifests, file names, objects of a
 * cluster and messages of servers are other people's: a terminal would obey them, a reviewer would see something else than a
 * program reads, and a CI system takes some lines for commands.
 *
 * Control characters (C0, DEL, C1), format characters (zero width, bidirectional controls and isolates, tags), everything
 * that Unicode lets a font leave out (fillers, variation selectors), separators of lines and paragraphs, blanks other than
 * the one blank, halves of characters, the Braille blank, and two values that are no characters. And the first `#` of
 * `##[` and `##vso[`, with which a command of GitHub Actions or Azure Pipelines begins, anywhere in a line.
 */
const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\ufffe\uffff]|#(?=#(?:\[|[vV][sS][oO]\[))/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

/** Every unsafe character of a text, replaced. */
export function replaceUnsafe(text: string, by: (character: string) => string): string {
  return text.replace(UNSAFE, by);
}

/** For people: one line, each unsafe character as `\n`, `\u001b` or `\u{e0041}`. */
export function visibleText(text: string): string {
  return replaceUnsafe(text, (character) => SHORT[character] ?? visible(character));
}

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`;
}

/** A value as JSON: the same value to whoever reads it, and no unsafe character in it but the line breaks of `indent`. */
export function jsonText(value: unknown, indent?: number): string {
  // Inside of its strings JSON has escaped line breaks already.
  return replaceUnsafe(JSON.stringify(value, null, indent), (character) =>
    character === '\n' ? character : jsonEscape(character),
  );
}

function jsonEscape(character: string): string {
  let text = '';
  for (let at = 0; at < character.length; at += 1)
    text += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return text;
}
