import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { nodeRenderer } from '../../../cli/machine/renderer.ts';
import { emptyFolder } from '../git/clone.ts';

const renderer = nodeRenderer();
const limits = { timeoutMs: 60_000, mostBytes: 1_000 };
const sh = (script: string, own = limits) => {
  const { end, stdout, stderr } = renderer.run(emptyFolder(), ['sh', '-c', script], own);
  return { end, out: Buffer.from(stdout).toString(), err: stderr };
};

describe('a command', () => {
  test('gets no shell, no input, no variables of git, and one locale and time zone', () => {
    vi.stubEnv('GIT_DIR', '/elsewhere');
    vi.stubEnv('TZ', 'Asia/Tokyo');
    expect(sh('cat; echo "$LC_ALL $TZ $GIT_DIR."')).toEqual({ end: 0, out: 'C UTC .\n', err: '' });
    vi.unstubAllEnvs();
    const { stdout } = renderer.run(emptyFolder(), ['echo', '$HOME; *'], limits);
    expect(Buffer.from(stdout).toString()).toBe('$HOME; *\n');
  });

  test('is killed at its limits', () => {
    expect(sh('trap "" TERM; sleep 600', { ...limits, timeoutMs: 300 })).toMatchObject({ end: 'timeout' });
    expect(sh('yes')).toMatchObject({ end: 'too much' });
  });

  test('ends with a code, a signal, or is not there', () => {
    expect(sh('echo out; echo err >&2; exit 7')).toEqual({ end: 7, out: 'out\n', err: 'err\n' });
    expect(sh('kill -TERM $$')).toMatchObject({ end: 'SIGTERM' });
    expect(renderer.run(emptyFolder(), ['no-such-program'], limits)).toMatchObject({ end: 'not found' });
  });
});

describe('a temporary folder', () => {
  let temporary = '';
  beforeEach(() => {
    temporary = emptyFolder();
    vi.stubEnv('TMPDIR', temporary);
  });
  afterEach(() => void vi.unstubAllEnvs());
  const bytes = Buffer.from('x');
  const left = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('kruise-render-'));

  test('has files, programs and links, for this user alone', () => {
    const { folder, remove } = renderer.unpack([
      { path: 'link', kind: 'link', bytes: Buffer.from('a/b') },
      { path: 'a/b', kind: 'file', bytes },
      { path: 'run', kind: 'program', bytes },
    ]);
    expect(readFileSync(join(folder, 'link'), 'utf8')).toBe('x');
    const modes = ['', 'a/b', 'run'].map((path) => statSync(join(folder, path)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o700]);
    remove();
    expect(existsSync(folder)).toBe(false);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'is removed after %s, which ends the process while it waits for a command',
    async (signal) => {
      const script = [
        `import { nodeRenderer } from ${JSON.stringify(import.meta.resolve('../../../cli/machine/renderer.ts'))};`,
        'const { unpack, run } = nodeRenderer();',
        "const { folder } = unpack([{ path: 'a', kind: 'file', bytes: Buffer.from('x') }]);",
        "console.log('unpacked');",
        "run(folder, ['sleep', '5'], { timeoutMs: 60_000, mostBytes: 10 });",
      ].join('\n');
      const words = ['--import', 'tsx', '--input-type=module', '-e', script];
      const running = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(running.stdout, 'data');
      expect(left()).toHaveLength(1);
      running.kill(signal);
      expect(await once(running, 'exit')).toEqual([null, signal]);
      await vi.waitFor(() => expect(left()).toEqual([]));
    },
  );

  test.each(['../x', 'a/../../x', '/x', '.git/config', 'a/.GIT/hooks/x'])(
    'of a tree with %s is refused, and nothing is left',
    (path) => {
      const good = { path: 'good', kind: 'file', bytes } as const;
      expect(() => renderer.unpack([good, { path, kind: 'file', bytes }])).toThrow('has a file of the name');
      expect(readdirSync(temporary)).toEqual([]);
    },
  );

  test.each([
    ['file', ['a', 'a/b']],
    ['link', ['a', 'a/b']],
    ['link', ['a/b', 'a']],
    ['link', ['a', 'a/c/b']],
  ] as const)('writes no %s through a link: %j', (kind, paths) => {
    const outside = join(temporary, 'outside');
    mkdirSync(outside);
    const files = paths.map((path) =>
      path === 'a'
        ? { path, kind: 'link' as const, bytes: Buffer.from(outside) }
        : { path, kind, bytes: Buffer.from('x') },
    );
    expect(() => renderer.unpack(files)).toThrow('it exists already');
    expect(readdirSync(outside)).toEqual([]);
    expect(readdirSync(temporary)).toEqual(['outside']);
  });
});
