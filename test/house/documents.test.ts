import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { trackedFiles } from './files.ts';
import { brokenLinks, prose } from './links.ts';
import { longSentences } from './sentences.ts';

const read = (path: string): string => readFileSync(path, 'utf8');
const markdown = trackedFiles().filter((path) => path.endsWith('.md') && !path.startsWith('golden/stories/'));
const docs = markdown.filter((path) => path.startsWith('docs/'));
const indexes = ['docs/README.md', 'docs/decisions/README.md'];

/** Pages generated from code: their sentences are changed in the code. */
const generated = ['docs/diagnostics.md', 'docs/checklist.md', 'docs/metrics.md', 'docs/admission.md'];
const byHand = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...['schemas', 'semantics', 'compiler', 'runtime', 'cli', 'deploy', 'golden', 'test'].map(
    (room) => `${room}/README.md`,
  ),
  ...docs.filter((path) => {
    const isOwn = !/^docs\/reference\/(commands|fields|states)\.md$/.test(path);
    // Its cells quote the rules of two programs.
    return isOwn && !generated.includes(path) && path !== 'docs/differences.md';
  }),
];

/** Below a folder all pages are of one kind. */
const KINDS: Readonly<Record<string, string>> = {
  'how-to': 'How-to',
  reference: 'Reference',
  explanation: 'Explanation',
  decisions: 'Decision',
};

describe('the documents', () => {
  it('have no broken links', () => {
    expect(markdown.flatMap((path) => brokenLinks(path, read, existsSync))).toEqual([]);
  });

  it('each state their kind', () => {
    const wrong = docs
      .filter((path) => !indexes.includes(path))
      .filter((path) => {
        const [, kind = ''] =
          /^# .*\n\n_(Tutorial|How-to|Reference|Explanation|Decision)\._ /.exec(read(path)) ?? [];
        const wanted = KINDS[path.split('/')[1] ?? ''];
        return kind === '' || (wanted !== undefined && wanted !== kind);
      });
    expect(wrong).toEqual([]);
  });

  it('have one head in each table, and each difference once', () => {
    expect(markdown.filter((path) => repeatedRows(read(path)).some((cell) => /^:?-+:?$/.test(cell)))).toEqual(
      [],
    );
    expect(repeatedRows(read('docs/differences.md'))).toEqual([]);
    expect(repeatedRows('| a | b |\n| - | - |\n| x | 1 |\n| x | 1 |\n\n| x | 2 |')).toEqual(['x']);
  });

  it('are all in the index', () => {
    const linked = indexes.flatMap((path) =>
      [...read(path).matchAll(/\]\(([^)#\s]+)/g)].map(
        ([, link = '']) => `${path.replace(/README\.md$/, '')}${link}`,
      ),
    );
    expect(docs.filter((path) => path !== 'docs/README.md' && !linked.includes(path))).toEqual([]);
  });

  it('are short where users start: README, and one page for each group of decisions', () => {
    const lines = (path: string): number => read(path).split('\n').length - 1;
    expect(lines('README.md')).toBeLessThanOrEqual(250);
    expect(docs.filter((path) => path.startsWith('docs/decisions/') && lines(path) > 60)).toEqual([]);
  });

  it('have no sentence of more than 25 words if written by hand', () => {
    const long = byHand.flatMap((path) => longSentences(read(path), 25).map((each) => `${path}: ${each}`));
    expect(long).toEqual([]);
  });

  it('use the terms of the field if written by hand', () => {
    const replaced =
      /\b(roll-outs?|in force|surroundings|(is|are) (told|heard|said)|gives? way|on the worst night|as ever|behaviour|cancelled)\b/i;
    const found = byHand.flatMap((path) => {
      const [term] = replaced.exec(prose(read(path))) ?? [];
      return term === undefined ? [] : [`${path}: ${term}`];
    });
    expect(found).toEqual([]);
  });

  it('name existing code', () => {
    const missing = docs.flatMap((path) =>
      [
        ...read(path).matchAll(
          /`((?:semantics|runtime|compiler|cli|sandbox|schemas|test|deploy)\/[\w./-]+\.(?:ts|json|yaml))`/g,
        ),
      ]
        .map(([, file = '']) => file)
        .filter((file) => !existsSync(file))
        .map((file) => `${path}: ${file}`),
    );
    expect(missing).toEqual([]);
  });

  it('have their long sentences detected (control)', () => {
    const words = (n: number): string => Array.from({ length: n }, (_, at) => `w${at}`).join(' ');
    const page = `# ${words(3)}\n\nOne ${words(3)}. Two\n${words(4)}. [Three](a.md)\n\n- ${words(6)}\n- x\n\n| ${words(5)} | x |\n`;
    expect(longSentences(page, 5)).toEqual([words(6)]);
  });

  it('have their broken links detected (control)', () => {
    const files: Record<string, string> = {
      'docs/a.md':
        '# A\n\n[b](b.md#two-words) [c](../c.md) [d](b.md#no) [e](#a) [f](e.md) [g](https://e.org/x)\n',
      'docs/b.md': '# B\n\n## Two `words`\n\n```sh\n# no\n```\n',
      'c.md': '',
    };
    const broken = brokenLinks(
      'docs/a.md',
      (path) => files[path] ?? '',
      (path) => path in files,
    );
    expect(broken).toEqual(['docs/a.md: b.md#no', 'docs/a.md: e.md']);
  });
});

/** First cells that occur in two rows of one table, as merges of both sides leave them. */
function repeatedRows(text: string): string[] {
  return text.split(/\n(?!\|)/).flatMap((table) => {
    const cells = table
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) => (line.split('|')[1] ?? '').trim());
    return cells.filter((cell, at) => cell !== '' && cells.indexOf(cell) < at);
  });
}
