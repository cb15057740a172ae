import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { trackedFiles } from './files.ts';
import { brokenLinks } from './links.ts';

const read = (path: string): string => readFileSync(path, 'utf8');
const markdown = trackedFiles().filter((path) => path.endsWith('.md') && !path.startsWith('golden/stories/'));
const docs = markdown.filter((path) => path.startsWith('docs/'));
const indexes = ['docs/README.md', 'docs/decisions/README.md'];

/** Below a folder all pages are of one kind. */
const KINDS: Readonly<Record<string, string>> = {
  'how-to': 'How-to',
  reference: 'Reference',
  explanation: 'Explanation',
  decisions: 'Decision',
};

describe('the documents', () => {
  it('link to what is there', () => {
    expect(markdown.flatMap((path) => brokenLinks(path, read, existsSync))).toEqual([]);
  });

  it('say of each page which kind it is', () => {
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

  it('are all in the index', () => {
    const linked = indexes.flatMap((path) =>
      [...read(path).matchAll(/\]\(([^)#\s]+)/g)].map(
        ([, link = '']) => `${path.replace(/README\.md$/, '')}${link}`,
      ),
    );
    expect(docs.filter((path) => path !== 'docs/README.md' && !linked.includes(path))).toEqual([]);
  });

  it('are short where people read them first: README, and one page a group of decisions', () => {
    const lines = (path: string): number => read(path).split('\n').length - 1;
    expect(lines('README.md')).toBeLessThanOrEqual(250);
    expect(docs.filter((path) => path.startsWith('docs/decisions/') && lines(path) > 60)).toEqual([]);
  });

  it('name code that is there', () => {
    const gone = docs.flatMap((path) =>
      [
        ...read(path).matchAll(
          /`((?:semantics|runtime|compiler|cli|sandbox|schemas|test|deploy)\/[\w./-]+\.(?:ts|json|yaml))`/g,
        ),
      ]
        .map(([, file = '']) => file)
        .filter((file) => !existsSync(file))
        .map((file) => `${path}: ${file}`),
    );
    expect(gone).toEqual([]);
  });

  it('have broken links found (control)', () => {
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
