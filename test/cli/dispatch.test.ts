import { describe, expect, test } from 'vitest';
import { main } from '../../cli/dispatch.ts';
import { cloneSet, kruise } from '../compiler/world/manifests.ts';
import { memoryHost } from './world/memory-host.ts';
import type { MemoryHost } from './world/memory-host.ts';

const v1 = cloneSet({ image: 'nginx:1' });
const v2 = cloneSet({ image: 'nginx:2' });
const two = { 'base/web.yaml': v1, 'head/web.yaml': v2 };
const compare = ['plan', 'head', '--base-dir', 'base'];

describe('arguments of the command line', () => {
  test.each([
    [['plna'], "did you mean 'plan'?"],
    [['__proto__'], "unknown command '__proto__'"],
    [['plan', '--base-dri', 'base'], 'did you mean --base-dir?'],
    [['plan', '--json'], 'did you mean -o json?'],
    [['plan', '--base-dir'], '--base-dir needs a value'],
    [['plan', '--base-dir', '--strict'], '--base-dir needs a value'],
    [['plan', 'head'], 'git is not available here; use --base-dir DIR'],
    [['plan', 'head', '--base-dir', 'nowhere'], 'is not a folder'],
    [['plan', 'head', '--base-dir', 'base', '-o', 'jsn'], 'did you mean json?'],
    [['plan', 'head', '--base-dir', 'base', '--strict=yes'], '--strict takes no value'],
    [['plan', 'head', '--base-dir', 'base', '--out', '../x'], 'is not inside of /repo'],
    [['plan', 'head', '--base-dir', 'base', '--out', '/tmp'], 'is not inside of /repo'],
    [['plan', '/etc/a.yaml', '--base-dir', 'base'], 'is outside of /repo'],
    [['validate', '/etc'], '/etc does not exist'],
    [['validate', '-'], 'standard input cannot be read here'],
    [['plan', 'head', '--base-dir', ''], '--base-dir needs a value'],
    [['plan', 'head', '--base-dir='], '--base-dir needs a value'],
    [['plan', 'head', '--base-dir', './base/../head'], 'is the planned folder itself'],
    [['plan', 'head', '--base-dir', 'base', '--out', 'web.yaml'], '--out web.yaml is not a folder'],
    [['plan', 'head', '--base-dir'], 'needs a value'],
    [['validate', 'head', '--out', '..'], 'is not inside of /repo'],
    [['explain', 'KR21O1'], 'did you mean KR2101?'],
    [['explain'], 'name one code'],
    [['\u001b[31mred'], '\\u001b[31mred'],
    [['--verison'], "unknown option '--verison'; did you mean '--version'?"],
    [['-help'], "unknown option '-help'; did you mean '--help'?"],
    [['-n', 'shop', 'status'], "unknown option '-n'; options follow the command: kruise status …"],
    [['--help', 'plna'], "unknown command 'plna'; did you mean 'plan'?"],
    [['kubelet', '--nodes', '-1'], "--nodes cannot be '-1'; it is a whole number from 1 to 5000"],
    [['sandbox', '--port', '-1'], "--port cannot be '-1'"],
    [['kubelet', '--nodes', '--cleanup'], '--nodes needs a value'],
  ])('%j: %s', async (args, expected) => {
    const { host, code } = await kruise(two, { args });
    expect(code).toBe(1);
    expect(host.err).toContain(expected);
    expect(host.err).not.toContain('\u001b');
    expect(host.out).toBe('');
    expect(host.err.split('\n').length).toBeLessThan(25);
  });

  test.each([
    [
      "kruise: unknown command 'plna'; did you mean 'plan'?\nRun 'kruise --help' for all commands.\n",
      ['plna'],
    ],
    [
      "kruise sandbox: unknown option --prot; did you mean --port?\nRun 'kruise sandbox --help' for all options.\n",
      ['sandbox', '--prot', '1'],
    ],
    [
      "kruise plan: unknown option --bas; did you mean --base?\nRun 'kruise plan --help' for all options.\n",
      ['plan', '--bas', 'main'],
    ],
    [
      "kruise plan: unknown option --basedir; did you mean --base-dir?\nRun 'kruise plan --help' for all options.\n",
      ['plan', '--basedir', 'a'],
    ],
    [
      "kruise plan: unknown option --detailed; did you mean --detailed-exitcode?\nRun 'kruise plan --help' for all options.\n",
      ['plan', '--detailed'],
    ],
    [
      "kruise validate: unknown option --base-dir; kruise plan has it\nRun 'kruise validate --help' for all options.\n",
      ['validate', '--base-dir', 'a'],
    ],
    [
      "kruise plan: unknown option --wach; kruise status has --watch\nRun 'kruise plan --help' for all options.\n",
      ['plan', '--wach'],
    ],
    [
      "kruise plan: unknown option --max-running; kruise run and kruise sandbox have it\nRun 'kruise plan --help' for all options.\n",
      ['plan', '--max-running', '3'],
    ],
    [
      "kruise approve: --namespace needs a value\nRun 'kruise approve --help' for all options.\n",
      ['approve', '-n'],
    ],
    ["kruise explain: unknown option -x\nRun 'kruise explain --help' for all options.\n", ['explain', '-x']],
  ])('the last line explains the surplus argument: %j', async (expected, args) => {
    const { host, code } = await kruise(two, { args });
    expect({ code, out: host.out, err: host.err }).toEqual({ code: 1, out: '', err: expected });
  });

  test.each([[['--help', 'plan']], [['-h', 'plan']], [['help', 'plan']], [['plan', '--help']]])(
    '%j prints the help of the command',
    async (args) => {
      const { host, code } = await kruise(two, { args });
      expect(code).toBe(0);
      expect(host.out).toContain('Usage: kruise plan [PATH…] [OPTIONS]');
      expect(host.out).toContain('warnings and errors to standard error');
    },
  );

  test.each([
    [['--help']],
    [['plan', '--help']],
    [['help', 'plan']],
    [['validate', '-h']],
    [['explain', 'kr2101']],
    [['--version']],
    [['version']],
    [['-V']],
  ])('%j prints to standard output', async (args) => {
    const { host, code } = await kruise(two, { args });
    expect({ code, err: host.err }).toEqual({ code: 0, err: '' });
    expect(host.out).not.toBe('');
  });
});

describe('exit codes', () => {
  test.each([
    ['changes', two, compare, 0],
    ['changes, detailed', two, [...compare, '--detailed-exitcode'], 2],
    ['nothing to do, detailed', { ...two, 'head/web.yaml': v1 }, [...compare, '--detailed-exitcode'], 0],
    ['an error', { ...two, 'head/web.yaml': 'kind: [ # apps.kruise.io' }, compare, 1],
    ['a base that does not parse', { ...two, 'base/web.yaml': 'kind: [ # apps.kruise.io' }, compare, 1],
    [
      'a base whose pods its selector does not take',
      { ...two, 'base/web.yaml': v1.replace('labels: {app: web}', 'labels: {}') },
      compare,
      0,
    ],
    ['a warning', { ...two, 'head/web.yaml': cloneSet({ container: '        imge: a' }) }, compare, 0],
    [
      'the same with --strict',
      { ...two, 'head/web.yaml': cloneSet({ container: '        imge: a' }) },
      [...compare, '--strict'],
      1,
    ],
    ['valid', two, ['validate', 'head'], 0],
    ['not valid', { 'head/web.yaml': v1.replace('replicas: 10', 'replicas: x') }, ['validate', 'head'], 1],
  ])('%s', async (_what, files, args, expected) => {
    expect((await kruise(files, { args })).code).toBe(expected);
  });
});

describe('writing', () => {
  const plansOf = (files: Iterable<string>): string[] =>
    [...files].filter((path) => path.includes('/plans/'));

  test('nothing if there is an error, not even for other targets', async () => {
    const files = { ...two, 'head/other.yaml': cloneSet({ name: 'other', replicas: 'many' }) };
    const { host } = await kruise(files);
    expect(plansOf(host.files.keys())).toEqual([]);
    expect(host.err).toContain('nothing was written');
  });

  test('a target that is invalid at head is not reported as deleted', async () => {
    const files = { ...two, 'head/web.yaml': cloneSet({ replicas: 'many' }) };
    const { host } = await kruise(files, { args: [...compare, '-o', 'json'] });
    expect(JSON.parse(host.out)).toMatchObject({ changes: [] });
  });

  test('nothing if CI is set', async () => {
    const { host, code } = await kruise(two, { env: { CI: 'true' } });
    expect(code).toBe(20);
    expect(plansOf(host.files.keys())).toEqual([]);
    expect(host.err).toContain('error[KR3018]: head/plans/shop/cloneset-web/plan.yaml is missing');
    expect(host.err).toContain('help: run and commit: kruise plan head --base-dir base\n');
    expect(host.err).toMatch(/\(exit code 20\); CI is set, so nothing is written\n$/);
    const written = Object.fromEntries((await kruise(two)).host.files);
    const at = '/repo/head/plans/shop/cloneset-web/plan.yaml';
    const edited = { ...written, [at]: String(written[at]).replace('100%', '50%') };
    expect((await kruise(edited, { env: { CI: 'true' } })).code).toBe(21);
    expect((await kruise(edited)).host.err).toContain(
      `${at.replace('/repo/', '')} was edited: kruise plan overwrites it`,
    );
    const committed = await kruise(Object.fromEntries((await kruise(two)).host.files), {
      env: { CI: 'true' },
    });
    expect(committed.code).toBe(0);
    expect(committed.host.err).toMatch(/^1 warning\nthe committed plans are those of this change\n$/m);
  });

  test('a folder that is not writable gives a message', async () => {
    const { host, code } = await kruise(two, { locked: ['head/plans'] });
    expect(code).toBe(1);
    expect(host.err).toContain('cannot be written to head/plans: permission denied');
  });

  test.each([
    ['head/plans', { 'head/plans': '/outside' }],
    ['head/plans/shop', { 'head/plans/shop': '/outside' }],
  ])('nothing through a link out of the folder: %s', async (link, links) => {
    const files = { ...two, '/outside/x': '', 'head/plans/keep': '' };
    const { host, code } = await kruise(files, { links });
    expect(code).toBe(1);
    expect(host.err).toContain(`error[KR1015]: the link ${link} leads out of the folder and is not followed`);
    expect(
      [...host.files.keys()].filter((path) => path.endsWith('.md') || path.endsWith('plan.yaml')),
    ).toEqual([]);
  });

  test('to --out, which is also read at base', async () => {
    const { host } = await kruise(two, { args: [...compare, '--out', 'rollout/plans'] });
    expect(plansOf(host.files.keys())).toContain('/repo/head/rollout/plans/shop/cloneset-web/plan.yaml');
  });

  test('the working directory is the default root', async () => {
    const { host } = await kruise(
      { '/base/web.yaml': v1, '/repo/web.yaml': v2 },
      { args: ['plan', '--base-dir', '/base'] },
    );
    expect(plansOf(host.files.keys())).toContain('/repo/plans/shop/cloneset-web/plan.yaml');
  });

  test('a single file', async () => {
    const { host } = await kruise(
      { 'base/a/web.yaml': v1, 'head/a/web.yaml': v2, 'head/b.yaml': 'kind: {{ apps.kruise.io }}' },
      { cwd: '/repo/head', args: ['plan', 'a/web.yaml', '--base-dir', '../base'] },
    );
    expect(host.files.size).toBe(3);
    const { host: rooted } = await kruise(
      {
        '/repo/base/a/web.yaml': v1,
        '/repo/head/a/web.yaml': v2,
        '/repo/head/b.yaml': 'kind: {{ apps.kruise.io }}',
      },
      { cwd: '/repo/head', args: ['plan', 'a/web.yaml', '--base-dir', '../base'] },
    );
    expect(plansOf(rooted.files.keys())).toContain('/repo/head/plans/shop/cloneset-web/plan.yaml');
  });
});

describe('output', () => {
  test('the human form', async () => {
    const { host } = await kruise({
      'base/web.yaml': `${v1}---\n${cloneSet({ name: 'gone' })}---\n${cloneSet({ name: 'big' })}`,
      'head/web.yaml': `${v2}---\n${cloneSet({ name: 'fresh' })}---\n${cloneSet({ name: 'big', pod: '      hostNetwork: true' })}`,
      'head/kruise.yaml':
        'steps: [{match: {name: web}, batches: [{to: 5%, timeout: 5m}, {to: 100%, timeout: 30m}], between: {soak: 10m}, approve: [1]}]',
    });
    expect(host.out).toMatchSnapshot();
  });

  test('JSON has plan, forecast and diagnostics', async () => {
    const { host } = await kruise(two, { args: [...compare, '-o', 'json'] });
    const document = JSON.parse(host.out) as {
      changes: { plan: object; forecast: object }[];
      diagnostics: object[];
    };
    expect(Object.keys(document)).toEqual([
      'format',
      'summary',
      'totals',
      'groups',
      'changes',
      'files',
      'diagnostics',
    ]);
    expect(document.changes[0]).toHaveProperty('plan.spec.digest');
    expect(document.changes[0]).toHaveProperty('forecast.rows');
  });

  test('YAML is the plan file', async () => {
    const { host } = await kruise(two, { args: [...compare, '-o', 'yaml'] });
    const written = (await kruise(two)).host.files;
    expect(host.out).toBe(written.get('/repo/head/plans/shop/cloneset-web/plan.yaml'));
  });

  test('Markdown is one page', async () => {
    const { host } = await kruise(two, { args: [...compare, '-o', 'markdown'] });
    expect(host.out).toMatchSnapshot();
  });

  test('a diagnostic with its code frame', async () => {
    const { host } = await kruise({ ...two, 'head/web.yaml': v2.replace('  replicas:', '  replica:') });
    expect(host.err).toMatchSnapshot();
  });

  test.each([
    [{}, false, false],
    [{}, true, true],
    [{ NO_COLOR: '1' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ TERM: 'dumb' }, true, false],
  ])('colors with %j on a terminal %s: %s', async (env: Record<string, string>, tty, colored) => {
    const { host } = await kruise(two, { env, tty });
    expect(host.out.includes('\u001b[')).toBe(colored);
  });

  test('hostile text is escaped on the terminal and on the page', async () => {
    const evil = '\\u001b[2J<script>x</script>|`\\n# owned';
    const { host } = await kruise({
      'base/web.yaml': v1,
      'head/web.yaml': cloneSet({ image: `"${evil}"`, container: `        "${evil}": 1` }),
    });
    const page = String(host.files.get('/repo/head/plans/shop/cloneset-web/forecast.md'));
    for (const text of [host.out, host.err, page]) {
      expect(text).not.toContain('\u001b');
      expect(text).not.toContain('\n# owned');
    }
    expect(page.replaceAll(/`[^`]*`/g, '')).not.toContain('<script>');
  });
});

test('an internal error prints a message without a stack trace', async () => {
  const broken = (env: Record<string, string>): MemoryHost => {
    const host = memoryHost(two, { env });
    host.list = () => {
      throw new TypeError('x is undefined');
    };
    return host;
  };
  const quiet = broken({});
  expect(await main(quiet, ['validate', 'head'])).toBe(1);
  expect(quiet.err).toContain('internal error: x is undefined');
  expect(quiet.err).not.toMatch(/^ +at /m);
  const loud = broken({ KRUISE_DEBUG: '1' });
  await main(loud, ['validate', 'head']);
  expect(loud.err).toMatch(/^ +at /m);
});
