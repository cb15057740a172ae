/**
 * Text that a terminal, a browser or a reviewer would take for something else than it is, and how to find it in what was
 * printed. Written apart from the code that escapes it, code point by code point.
 */

/** The code points that no output may contain, as ranges with their reasons. */
const RANGES: readonly (readonly [number, number, string])[] = [
  [0x00, 0x09, 'C0'],
  [0x0b, 0x1f, 'C0'],
  [0x7f, 0x9f, 'DEL and C1'],
  [0xa0, 0xa0, 'a blank that is none'],
  [0xad, 0xad, 'soft hyphen'],
  [0x34f, 0x34f, 'combining grapheme joiner'],
  [0x61c, 0x61c, 'Arabic letter mark'],
  [0x115f, 0x1160, 'Hangul fillers'],
  [0x17b4, 0x17b5, 'Khmer inherent vowels'],
  [0x180b, 0x180f, 'Mongolian separators'],
  [0x2000, 0x200f, 'blanks, zero width and directional marks'],
  [0x2028, 0x202f, 'line separators, bidirectional controls, narrow blank'],
  [0x205f, 0x206f, 'invisible operators, bidirectional isolates'],
  [0x2800, 0x2800, 'Braille blank'],
  [0x3000, 0x3000, 'ideographic blank'],
  [0x3164, 0x3164, 'Hangul filler'],
  [0xd800, 0xdfff, 'half a character'],
  [0xfe00, 0xfe0f, 'variation selectors'],
  [0xfeff, 0xfeff, 'byte order mark'],
  [0xffa0, 0xffa0, 'half-width Hangul filler'],
  [0xfff0, 0xfffb, 'interlinear annotation'],
  [0xfffe, 0xffff, 'no characters'],
  [0x1bca0, 0x1bca3, 'shorthand format controls'],
  [0x1d173, 0x1d17a, 'musical format controls'],
  [0xe0000, 0xe0fff, 'tags and variation selectors'],
];

/** One or two characters of each range. */
const CHARACTERS: readonly string[] = RANGES.flatMap(([first, last]) => [
  ...new Set([String.fromCodePoint(first), String.fromCodePoint(last)]),
]);

const SEQUENCES: readonly string[] = [
  '\u001b[2J\u001b[1;1H',
  '\u001b]0;title\u0007',
  '\u001b]8;;https://evil.example\u0007here\u001b]8;;\u0007',
  '\u009b31m',
  '\r\u001b[1Aerror[KR0000]',
  '\nerror[KR0000]: forged',
  '\u2066\u202egpj.exe\u2069',
  [...'delete all'].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join(''),
  '##[set-output name=x]y',
  '##vso[task.setvariable variable=x]y',
];

/** Several at once, in texts short enough that no message cuts them. Halves of characters stand alone: no file can hold them. */
export const HOSTILE: readonly string[] = [
  ...together(
    CHARACTERS.filter((text) => !/\p{Cs}/u.test(text)),
    9,
  ),
  ...together(
    CHARACTERS.filter((text) => /\p{Cs}/u.test(text)),
    9,
  ),
  ...together(SEQUENCES, 2),
];

function together(texts: readonly string[], count: number): string[] {
  const groups = Array.from({ length: Math.ceil(texts.length / count) }, (_, group) =>
    texts.slice(group * count, (group + 1) * count),
  );
  return groups.map((group) => `a${group.join('b')}z`);
}

/** Colors as `FORCE_COLOR` asks for them; nothing else of the program's own is an escape sequence. */
const OWN = /\u001b\[(?:1|2|22|31|32|33|36|39)m/g;

/** The forbidden characters of a printed text with their positions; empty: there are none. */
export function unsafeIn(printed: string, colors = false): string[] {
  const text = colors ? printed.replaceAll(OWN, '') : printed;
  const found: string[] = [];
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    const range = RANGES.find(([first, last]) => code >= first && code <= last);
    if (range !== undefined)
      found.push(`${range[2]} in ${JSON.stringify(text.slice(Math.max(0, at - 30), at + 10))}`);
    at += code > 0xffff ? 2 : 1;
  }
  for (const [line] of text.matchAll(/.*(?:##\[|##vso\[).*/gi))
    found.push(`a command of a CI system: ${line}`);
  if (/^error\[KR0000\]/m.test(text)) found.push('a line of its own');
  return found;
}
