import { beforeAll, describe, expect, test } from 'vitest';
import type { Compiled } from '../../../compiler/compile.ts';
import { diagnostic } from '../../../compiler/diagnostics/diagnostic.ts';
import { jsonPlan, markdownPlan } from '../../../compiler/render/machine.ts';
import { compiledFleet, differingFleet, fleet } from '../../compiler/world/fleet.ts';
import { kruise } from '../../compiler/world/manifests.ts';
import { HOSTILE, unsafeIn } from '../../security/hostile.ts';

const COMMENT = 65_536;

async function comment(document: unknown, ...args: readonly string[]) {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  const { host, code } = await kruise({}, { args: ['comment', '-', ...args], stdin: text });
  return { code, out: host.out, err: host.err };
}

interface Json {
  [name: string]: unknown;
  groups: Record<string, unknown>[];
  diagnostics: Record<string, unknown>[];
}

let forty: Compiled;
let json = '';
const parsed = (): Json => JSON.parse(json) as Json;
const withGroup = (change: Record<string, unknown>): Json => {
  const document = parsed();
  return { ...document, groups: [{ ...document.groups[0], ...change }] };
};
const problem = (parts: Record<string, unknown> = {}) => ({
  ...{ code: 'KR3018', severity: 'error', message: 'it is missing', help: 'run and commit: kruise plan' },
  ...parts,
});
beforeAll(() => {
  forty = compiledFleet(fleet(40, 42).files);
  json = jsonPlan(forty);
});

describe('a comment made of JSON', () => {
  test('is what kruise plan -o markdown prints of these changes', async () => {
    expect(await comment(json)).toEqual({ code: 0, out: markdownPlan(forty), err: '' });
  });

  test('begins with the errors of a check', async () => {
    const { out } = await comment({
      ...parsed(),
      diagnostics: [problem({ file: 'a.yaml', line: 3, column: 5 })],
    });
    expect(out).toMatch(
      /^# The check failed\n\n- error \*\*KR3018\*\* at `a.yaml:3:5`: it is missing\n {2}- help: run and commit: kruise plan\n\n# Plan: 40/,
    );
  });

  test('names no change where a manifest cannot be read: its targets only seem to be gone', async () => {
    const broken = compiledFleet(fleet(1, 42).files);
    const error = diagnostic('KR1001', { path: 'a.yaml', reason: 'it is gone' });
    const { out, code } = await comment(jsonPlan({ ...broken, diagnostics: [error] }));
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /^# The check failed\n\n- error \*\*KR1001\*\*.*\n {2}- help: .*\n\n\nWhat changes is known once this is mended\.\n$/,
      ),
    ]);
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    [
      'why nothing was compared, and the errors',
      { refused: { problem: 'no base', help: 'fetch @it' }, diagnostics: [problem()] },
      /^# The check could not be made\n\nno base\n\nhelp: fetch @<!-- -->it\n\n# The check failed\n\n- error/,
    ],
    [
      'the root that was refused, and keeps what others have',
      {
        roots: [
          { root: 'prod', known: false, refused: { problem: 'no base', help: 'fetch it' } },
          { root: 'dev', diagnostics: [problem()] },
        ],
      },
      /^# The check could not be made\n\nroot prod: no base\n\nhelp: fetch it\n\n# The check failed/,
    ],
    [
      'its summary, where it gives no reason',
      { summary: 'a <b>' },
      /^# The check could not be made\n\na &lt;b&gt;\n/,
    ],
    [
      'as much of a reason as fits',
      {
        roots: Array.from({ length: 40 }, (_, index) => ({
          root: `r${index}`,
          refused: { problem: '@'.repeat(90_000), help: '@'.repeat(90_000) },
        })),
      },
      /\n… and \d+ more roots; `-o json` lists all\n/,
    ],
  ])('of what could not be compared says %s', async (_what, parts, form) => {
    const { out, code } = await comment({ format: '1', known: false, ...parts });
    expect([code, out]).toEqual([0, expect.stringMatching(form)]);
    expect(out.length).toBeLessThan(COMMENT - 100);
    expect(out).toMatch(/\nWhat changes is known once this is mended\.\n$/);
  });

  test.each([
    {},
    { problem: 1, help: '' },
    { problem: 'a' },
    [],
    'no',
    { problem: 'a'.repeat(100_001), help: '' },
  ])('is refused where its reason is %.40j', async (refused) => {
    expect((await comment({ format: '1', known: false, refused })).code).toBe(1);
  });

  test('has no name: that is for one that is posted', async () => {
    const { code, err } = await comment(json, '--name', 'prod');
    expect(code).toBe(1);
    expect(err).toContain('--post');
  });

  test('fits into one of GitHub, whatever the number of changes and errors, and no line is cut', async () => {
    const document = JSON.parse(jsonPlan(compiledFleet(differingFleet(300)))) as Json;
    const diagnostics = Array.from({ length: 500 }, (_, index) =>
      problem({ message: `${index} ${'@x '.repeat(200)}` }),
    );
    const { out, code } = await comment({ ...document, diagnostics });
    expect(code).toBe(0);
    expect(out.length).toBeLessThan(COMMENT - 100);
    expect(out).toMatch(/\n- … and \d+ more problems; `-o json` lists all\n/);
    expect(out).toMatch(
      /\n- … and \d+ more targets in \d+ groups, none riskier than these: .*; `-o json` lists all\n$/,
    );
  });

  test('of several roots is one list, the riskiest first, with the root of each', async () => {
    const own = parsed();
    const [first, second] = own.groups;
    const document = {
      format: '1',
      diagnostics: [],
      roots: [
        { root: 'staging', path: 'b', ...own, groups: [second] },
        { root: 'prod', path: 'a', ...own, groups: [first] },
      ],
    };
    const { out } = await comment(document);
    expect(out).toMatch(/^# Plan of 2 roots\n/);
    expect(out.indexOf('root prod')).toBeGreaterThan(0);
    expect(out.indexOf('root prod')).toBeLessThan(out.indexOf('root staging'));
  });

  test('shows what is alike in several roots once, and what is apart in one root twice', async () => {
    const own = parsed();
    const [first, second] = own.groups;
    const names = Array.from({ length: 7 }, (_, index) => `eu-${index}`);
    const roots = names.map((root) => ({ root, path: root, ...own, groups: [first, second] }));
    const { out } = await comment({ format: '1', diagnostics: [], roots });
    const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('- `'));
    const { out: single } = await comment(own);
    expect(linesOf(out)).toHaveLength(2);
    for (const line of linesOf(out))
      expect(line).toContain('roots eu-0, eu-1, eu-2, eu-3, eu-4 and 2 more roots');
    expect(linesOf(single).length).toBeGreaterThanOrEqual(2);
    // Values that differ and are not shown keep groups apart.
    const twice = { root: 'eu', path: 'eu', ...own, groups: [first, first] };
    const { out: apart } = await comment({
      format: '1',
      diagnostics: [],
      roots: [twice, { ...twice, root: 'us' }],
    });
    expect(linesOf(apart)).toHaveLength(2);
    for (const line of linesOf(apart)) expect(line).toContain('roots eu, us');
  });
});

const LONG = 'x'.repeat(200_000);
test.each<[string, () => unknown, string]>([
  ['no JSON', () => 'kruise', 'is no JSON'],
  ['no object', () => [], 'the document is not an object'],
  ['another format', () => ({ ...parsed(), format: '2' }), 'format is not a word that is known here'],
  ['a list that is none', () => ({ ...parsed(), groups: {} }), 'groups is not a list of at most 25000'],
  [
    'a kind with Markdown',
    () => withGroup({ kind: 'Set** @team' }),
    'groups[0].kind is not the name of a kind',
  ],
  ['a mark of its own', () => withGroup({ mark: '`' }), 'groups[0].mark is not a word that is known here'],
  [
    'an unknown risk',
    () => withGroup({ risks: ['Safe'] }),
    'groups[0].risks[0] is not a word that is known here',
  ],
  [
    'an effect of its own',
    () => withGroup({ effect: '](x)' }),
    'groups[0].effect is not a word that is known here',
  ],
  ['a number as text', () => withGroup({ units: '3' }), 'groups[0].units is not a whole number up to'],
  [
    'a number without end',
    () => ({ ...parsed(), groups: JSON.parse('[{"x":1e999}]') as unknown }),
    'groups[0].targets is not a list of targets',
  ],
  [
    'a long text',
    () => withGroup({ what: LONG }),
    'groups[0].what is not a text of at most 100000 characters',
  ],
  [
    'many targets',
    () => withGroup({ targets: Array.from({ length: 25_001 }, () => ({ name: 'a' })) }),
    'groups[0].targets is not a list of at most 25000',
  ],
  [
    'many notes',
    () => withGroup({ notes: Array.from({ length: 101 }, () => '') }),
    'groups[0].notes is not a list of at most 100',
  ],
  [
    'a name that is an object',
    () => withGroup({ targets: [{ name: {} }] }),
    'groups[0].targets[0].name is not a text of at most 253 characters',
  ],
  [
    'a code with a line break',
    () => ({ ...parsed(), diagnostics: [problem({ code: 'KR3018\n' })] }),
    'diagnostics[0].code is not the code of a diagnostic',
  ],
])('JSON that was tampered with is refused: %s', async (_, document, says) => {
  const { code, out, err } = await comment(document());
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain(says);
  expect(err).not.toContain('internal error');
});

test('members of the prototype are no members of the document', async () => {
  const { code } = await comment('{"format":"1","__proto__":{"groups":[{"kind":"A"}]}}');
  expect(code).toBe(0);
});

test('more bytes than the limit of a file are refused', async () => {
  const { code, err } = await comment(' '.repeat(16 * 1024 * 1024) + json);
  expect([code, err.includes('is larger than')]).toEqual([1, true]);
});

const EVIL = [
  ...HOSTILE,
  '<!-- kruise plan -->',
  '::error::x',
  '\n::stop-commands::x',
  '%0A::error::x',
  '@team',
  '##[error]x',
  '\n/close\n',
];

test('hostile texts are harmless in the comment, in annotations and in the report', async () => {
  for (const text of EVIL) {
    const group = withGroup({
      what: text,
      notes: [text],
      targets: [{ namespace: text, name: text }, { name: text }],
      fields: [{ path: text, from: text, to: text, effect: 'Recreate', reason: text, rule: text }],
      messages: [text],
      warnings: ['KR2135'],
      nouns: { unit: text, units: text },
      units: 3,
      plan: { text, approvals: 0, leastMs: 0 },
    });
    const document = {
      ...group,
      summary: text,
      diagnostics: [problem({ message: text, help: text, file: text, line: 1, column: 1 })],
    };
    const [page, lines, report] = await Promise.all([
      comment(document),
      comment(document, '-o', 'github'),
      comment(document, '-o', 'gitlab'),
    ]);
    expect([page.code, lines.code, report.code], text).toEqual([0, 0, 0]);
    for (const { out } of [page, lines, report]) expect(unsafeIn(out), text).toEqual([]);
    const prose = page.out
      .replaceAll(/<code>[^]*?<\/code>/g, '')
      .replaceAll(/(?<![\\`])(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, '');
    expect(prose, text).not.toMatch(/<script|<!-- kruise|@team|^\/close|^::/m);
    // One command a line, and none has another in it that the runner would read.
    expect(lines.out, text).toMatch(/^::error file=[^:,\n]*,line=1,col=1,title=KR3018::[^\n]*\n$/);
    expect(lines.out, text).not.toMatch(/%0[AD]/i);
  }
});

test('annotations: errors first, ten of each, and the others counted', async () => {
  const warnings = Array.from({ length: 12 }, () => problem({ severity: 'warning', code: 'KR2135' }));
  const { out } = await comment(
    { ...parsed(), diagnostics: [...warnings, problem({ file: 'a,b:c.yaml', line: 7, column: 2 })] },
    '-o',
    'github',
  );
  const lines = out.trimEnd().split('\n');
  expect(lines[0]).toBe(
    '::error file=a%2Cb%3Ac.yaml,line=7,col=2,title=KR3018::it is missing; help: run and commit: kruise plan',
  );
  expect(lines.slice(1, 11).every((line) => line.startsWith('::warning title=KR2135::'))).toBe(true);
  expect(lines.slice(11)).toEqual(['::notice::2 more warnings: see the output of kruise plan']);
});

test('a report for GitLab has the fields that it asks for', async () => {
  const { out } = await comment(
    { ...parsed(), diagnostics: [problem({ file: 'a.yaml', line: 7, column: 2 }), problem()] },
    '-o',
    'gitlab',
  );
  expect(JSON.parse(out)).toMatchObject([
    { check_name: 'KR3018', severity: 'major', location: { path: 'a.yaml', lines: { begin: 7 } } },
    { check_name: 'KR3018', location: { path: 'kruise.yaml', lines: { begin: 1 } } },
  ]);
  const prints = (JSON.parse(out) as { fingerprint: string }[]).map(({ fingerprint }) => fingerprint);
  expect(new Set(prints).size).toBe(2);
});
