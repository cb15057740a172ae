/**
 * Characters that must be escaped before a text is shown. Strings in manifests, file names, cluster objects and server
 * messages are not trusted: a terminal would execute control sequences, a reviewer would see something else than a program
 * reads, and a CI system executes certain lines as commands.
 *
 * Control characters (C0, DEL, C1), format characters (zero width, bidirectional controls and isolates, tags), all characters
 * that Unicode allows a font to omit (fillers, variation selectors), line and paragraph separators, blanks other than the
 * ordinary one, single surrogates, the Braille blank, and two noncharacters. Also the first `#` of `##[` and `##vso[`, with
 * which a command of GitHub Actions or Azure Pipelines starts, anywhere in a line.
 */
const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\ufffe\uffff]|#(?=#(?:\[|[vV][sS][oO]\[))/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

/**
 * Everything but printable ASCII, line breaks and two signs that messages contain. Most texts have none of these, and Unicode
 * properties take several times as long to test.
 */
const UNUSUAL = /[^\n -~\u2192\u2026]|##/;

/** Whether a text has no unsafe character but line breaks. */
export function isPlainText(text: string): boolean {
  return !UNUSUAL.test(text);
}

/** Whether a text of several lines has an unsafe character but line breaks and tabs. */
export function hasUnsafe(text: string): boolean {
  const plain = text.replaceAll('\r\n', '\n').replaceAll('\t', ' ');
  return replaceUnsafe(plain, (character) => (character === '\n' ? character : '')) !== plain;
}

/** Replaces every unsafe character of a text. */
export function replaceUnsafe(text: string, by: (character: string) => string): string {
  return isPlainText(text) && !text.includes('\n') ? text : text.replace(UNSAFE, by);
}

/** A text for users, on one line, with each unsafe character as `\n`, `\u001b` or `\u{e0041}`. */
export function visibleText(text: string): string {
  return replaceUnsafe(text, (character) => SHORT[character] ?? visible(character));
}

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`;
}

/** A value as JSON, without unsafe characters other than the line breaks of `indent`. A parser reads the same value. */
export function jsonText(value: unknown, indent?: number): string {
  // Line breaks inside of strings are escaped in JSON already.
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
