import { describe, expect, test } from 'vitest';
import { diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { renderDiagnostic } from '../../compiler/diagnostics/render.ts';
import {
  forHtml,
  forJson,
  forMarkdown,
  forMarkdownCode,
  forScreen,
  forTerminal,
  shorten,
} from '../../compiler/text/escape.ts';
import { byText } from '../../compiler/text/order.ts';
import { colored, plain } from '../../compiler/text/paint.ts';
import { suggest } from '../../compiler/text/suggest.ts';

describe('text from manifests is escaped', () => {
  test.each([
    ['\u001b[31mred', '\\u001b[31mred'],
    ['a\nb\tc\r', 'a\\nb\\tc\\r'],
    ['\u009b1m', '\\u009b1m'],
    ['right\u202eto left', 'right\\u202eto left'],
    ['zero\u200bwidth\ufeff', 'zero\\u200bwidth\\ufeff'],
    ['half\ud800', 'half\\ud800'],
    ['filler\u3164, blank\u00a0', 'filler\\u3164, blank\\u00a0'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['##[group]x ##VSO[y] ## [z', '\\u0023#[group]x \\u0023#VSO[y] ## [z'],
    ['Zürich ✓ 🙂', 'Zürich ✓ 🙂'],
  ])('on a terminal: %j', (text, expected) => {
    expect(forTerminal(text)).toBe(expected);
  });

  test.each([
    ['<img src=x>', '&lt;img src=x&gt;'],
    ['a & b', 'a &amp; b'],
    ['*bold* _it_ `code`', '\\*bold\\* \\_it\\_ \\`code\\`'],
    ['[a](b)', '\\[a\\](b)'],
    ['a | b', 'a \\| b'],
    ['@team', '@<!-- -->team'],
    ['#12', '#<!-- -->12'],
    ['https://evil', 'https:<!-- -->//evil'],
    ['www.evil', 'www.<!-- -->evil'],
    ['a\n# b', 'a\\\\n#<!-- --> b'],
  ])('in Markdown: %j', (text, expected) => {
    expect(forMarkdown(text)).toBe(expected);
  });

  test.each([
    ['a', '`a`'],
    ['', '(empty)'],
    ['a`b', '``a`b``'],
    ['`', '`` ` ``'],
    ['a|<b>', '<code>a&#124;&lt;b&gt;</code>'],
  ])('as Markdown code: %j', (text, expected) => {
    expect(forMarkdownCode(text)).toBe(expected);
  });

  test('unescaped text is escaped on its way to a terminal, and colors are not', () => {
    const red = colored('red', 'a\u001b[8mb\u001b[2J');
    expect(forScreen(`${red}\r\u202e\nc\u001b[1A\n`)).toBe(
      '\u001b[31ma\\u001b[8mb\\u001b[2J\u001b[39m\\r\\u202e\nc\\u001b[1A\n',
    );
  });

  test('as JSON with the same values', () => {
    const value = { 'a\u202e': ['\u009b', '\u{e0041}', 'ü\n'] };
    expect(forJson(value).replaceAll(/\s/g, '')).toBe('{"a\\u202e":["\\u009b","\\udb40\\udc41","ü\\n"]}');
    expect(JSON.parse(forJson(value))).toEqual(value);
  });

  test('in HTML', () => {
    expect(forHtml(`<a href="x" t='y'>&`)).toBe('&lt;a href=&quot;x&quot; t=&#39;y&#39;&gt;&amp;');
  });

  test('cut with an ellipsis', () => {
    expect([shorten('abc', 3), shorten('abcd', 3)]).toEqual(['abc', 'ab…']);
    expect(shorten('a🙂cd', 3)).toBe('a…');
  });
});

test('order is by code unit, whatever the locale', () => {
  expect(['b', 'ä', 'a9', 'B', 'a10', 'a'].sort(byText)).toEqual(['B', 'a', 'a10', 'a9', 'b', 'ä']);
});

test.each([
  ['replica', ['replicas', 'selector'], 'replicas'],
  ['imgae', ['image', 'name'], 'image'],
  ['Paused', ['paused'], 'paused'],
  ['x', ['y', 'zz'], 'y'],
  ['replicas', ['template'], undefined],
  ['same', ['same'], undefined],
  ['a'.repeat(100), ['a'.repeat(99)], undefined],
  ['batch', ['match', 'batches', 'between'], 'batches'],
  ['matches', ['match', 'batches', 'between'], 'match'],
  ['step', ['steps', 'stem'], 'steps'],
  ['as', ['a', 'approve'], 'a'],
])('%s: suggestion among %j: %s', (word, candidates, expected) => {
  expect(suggest(word, candidates)).toBe(expected);
});

describe('code frames', () => {
  function frame(text: string, mark: string): string[] {
    const start = text.indexOf(mark);
    const position = { source: { file: 'a\u001b.yaml', text }, start, end: start + mark.length };
    return renderDiagnostic(diagnostic('KR1008', {}, position), plain).split('\n');
  }

  test('position, line and caret', () => {
    expect(frame('a: 1\r\n  <<: x\r\n', '<<').slice(1, 5)).toEqual([
      '  --> a\\u001b.yaml:2:3',
      '   |',
      ' 2 |   <<: x',
      '   |   ^^',
    ]);
  });

  test('tabs and escapes take their displayed width', () => {
    const [line = '', caret = ''] = frame('\t\u0007\tbad', 'bad').slice(3, 5);
    expect(caret.indexOf('^')).toBe(line.indexOf('bad'));
    expect(line).not.toContain('\u0007');
  });

  test('long lines are cut around the position', () => {
    const [line = '', caret = ''] = frame(`${'x'.repeat(5000)}bad${'y'.repeat(5000)}`, 'bad').slice(3, 5);
    expect(line.length).toBeLessThan(120);
    expect(caret.indexOf('^')).toBe(line.indexOf('bad'));
    expect(caret.trim().replaceAll(/[ |]/g, '')).toBe('^^^');
  });

  test('a range over several lines is marked on the first', () => {
    expect(frame('key:\n  a\n  b\n', 'key:\n  a').at(4)).toBe('   | ^^^^');
  });
});
