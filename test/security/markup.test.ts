import { parseAllDocuments } from 'yaml';
import { describe, expect, test } from 'vitest';
import { commands } from '../../cli/command/commands.ts';
import { kruise } from '../compiler/world/manifests.ts';
import { sampled } from '../lanes.ts';
import { COMMANDS, COMMENTS, FIELDS, plan } from './hostile-fields.ts';
import { MARKUP, markupInHtml, markupInMarkdown, substitutedIn } from './markup.ts';

/** What each form of output would give to whoever reads it, as more than text. */
const JUDGES: Readonly<Record<string, (printed: string) => readonly unknown[]>> = {
  // A terminal reads control characters alone.
  human: () => [],
  wide: () => [],
  name: () => [],
  json: (printed) => (printed === '' || JSON.parse(printed) ? [] : ['no JSON']),
  yaml: (printed) => (parseAllDocuments(printed) as { errors: unknown[] }[]).flatMap(({ errors }) => errors),
  markdown: markupInMarkdown,
  html: markupInHtml,
  github: (printed) =>
    printed.split('\n').filter((line) => line !== '' && !/^::(?:error|warning|notice) /.test(line)),
  gitlab: (printed) => (printed === '' || JSON.parse(printed) ? [] : ['no JSON']),
};

function judged(output: string, printed: string): readonly unknown[] {
  const judge = JUDGES[output];
  return judge === undefined ? [`nobody judges ${output}`] : judge(printed).slice(0, 3);
}

test('security 13: each form of output of each command has its judge', () => {
  const forms = new Set(Object.values(commands).flatMap(({ options }) => options['output']?.choices ?? []));
  expect([...forms].filter((form) => JUDGES[form] === undefined)).toEqual([]);
});

describe('security 13: no string of a repository is markup where it is printed', () => {
  test.each(Object.keys(FIELDS))('%s', async (field) => {
    for (const text of sampled(`${field} as markup`, MARKUP, 1, 2)) {
      const files = FIELDS[field]?.(text) ?? {};
      for (const [what, words, options = {}] of COMMANDS) {
        const { host } = await kruise(files, { args: words, ...options });
        const output = words[words.indexOf('-o') + 1] ?? '';
        const found = words.includes('-o') ? judged(output, host.out) : [];
        expect({ what, text, found }).toEqual({ what, text, found: [] });
        for (const [path, content] of [...host.files].filter(([each]) => /\/plans\//.test(each))) {
          const wrong = path.endsWith('.md')
            ? markupInMarkdown(String(content))
            : [...substitutedIn(String(content)), ...judged('yaml', String(content))];
          expect({ what, path, text, wrong }).toEqual({ what, path, text, wrong: [] });
        }
      }
      const { host: planned } = await kruise(files, { args: [...plan, '-o', 'json'] });
      for (const output of COMMENTS) {
        const { host } = await kruise({}, { args: ['comment', '-', '-o', output], stdin: planned.out });
        expect({ output, text, found: judged(output, host.out) }).toEqual({ output, text, found: [] });
      }
    }
  });
});

describe('security 13: the judges find what is markup', () => {
  test.each([
    ['<x-evil>', markupInHtml],
    ['<p onclick="x()">', markupInHtml],
    ['<a href="javascript:x">', markupInHtml],
    ['<img src=x>', markupInHtml],
    ['<script>1</script><script>2</script>', markupInHtml],
    ['<x-evil>', markupInMarkdown],
    ['<img src=x>', markupInMarkdown],
    ['a [x](https://x-evil.example)', markupInMarkdown],
    ['ask @x-evil/team', markupInMarkdown],
    ['<!-- kruise plan -->', markupInMarkdown],
    ['<code><b></code>', markupInMarkdown],
    ['a\n# x-evil', markupInMarkdown],
    ['value: ${X}', substitutedIn],
  ] as const)('%s', (text, judge) => {
    expect(judge(text)).not.toEqual([]);
  });

  test.each([
    ['<p class="a">x &lt;x-evil&gt;</p><a href="#shop/web">', markupInHtml],
    ['`<x-evil>` and <code>&lt;x-evil&gt;</code>, \\[x\\](x), @<!-- -->x-evil', markupInMarkdown],
  ] as const)('and nothing in %s', (text, judge) => {
    expect(judge(text)).toEqual([]);
  });
});
