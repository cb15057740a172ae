import { spawn, spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { confirmAt } from '../../../cli/machine/confirm.ts';

/** Both ends of a terminal. Node reads keys from it one by one, as from a real one. */
function terminal() {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (raw: boolean) => void modes.push(raw),
  });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let shown = '';
  output.setEncoding('utf8').on('data', (text: string) => (shown += text));
  return { input, output, modes, shown: () => shown };
}

/** Types the keys once the question is shown. Returns the answer and the output after the question. */
async function answered(keys: string): Promise<{ answer: boolean; after: string; modes: boolean[] }> {
  const { input, output, modes, shown } = terminal();
  const question = confirmAt({ input, output }, '3 pods follow. Continue?');
  while (!shown().includes('[y/N] ')) await new Promise((resolve) => setImmediate(resolve));
  input.write(keys);
  const answer = await question;
  await new Promise((resolve) => setImmediate(resolve));
  // Removes cursor movements.
  // eslint-disable-next-line no-control-regex
  const text = shown().replaceAll(/\u001b\[\d*[A-Z]/g, '');
  return { answer, after: text.slice(text.lastIndexOf('[y/N] ') + 6), modes };
}

test.each<[string, string, boolean, string]>([
  ['y', 'y\r', true, 'y\r\n'],
  ['yes in capitals and spaces', ' YES \r', true, ' YES \r\n'],
  ['n', 'n\r', false, 'n\r\n'],
  ['a longer text', 'yesterday\r', false, 'yesterday\r\n'],
  ['an empty line', '\r', false, '\r\n'],
  ['Ctrl-C', '\u0003', false, '\n'],
  ['Ctrl-C after a y', 'y\u0003', false, 'y\n'],
  ['Ctrl-D', '\u0004', false, '\n'],
  ['text deleted with Ctrl-U', 'yes\u0015\r', false, '\r\n'],
])(
  '%s is an answer, followed by a new line, and the terminal gets its keys back',
  async (_what, keys, meant, after) => {
    expect(await answered(keys)).toEqual({ answer: meant, after, modes: [true, false] });
  },
);

test('a closed terminal means no', async () => {
  const { input, output } = terminal();
  const question = confirmAt({ input, output }, 'Continue?');
  input.end();
  expect(await question).toBe(false);
});

const code = `import(${JSON.stringify(new URL('../../../cli/machine/node-host.ts', import.meta.url).href)}).then(async ({ nodeHost }) => {
  const { confirm } = nodeHost();
  process.stderr.write('answer: ' + (confirm === undefined ? 'nobody to ask' : await confirm('Continue?')) + '\\n');
});`;
const args = ['--import', 'tsx', '-e', code];

test('piped input is no terminal, so there is no question', () => {
  const { stderr } = spawnSync(process.execPath, args, { input: 'y\n', encoding: 'utf8' });
  expect(stderr).toContain('answer: nobody to ask');
});

/** The version of util-linux runs a command on a pseudo-terminal; other systems have other options, or none. */
const script = '/usr/bin/script';
const hasTerminals =
  spawnSync(script, ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;

test.runIf(hasTerminals).each([
  ['y', 'y\r', 'y\r\r\nanswer: true'],
  ['Ctrl-C', '\u0003', '\r\nanswer: false'],
  ['Ctrl-D', '\u0004', '\r\nanswer: false'],
])('on a pseudo-terminal, %s', async (_what, keys, expected) => {
  const quoted = [process.execPath, ...args].map((each) => `'${each.replaceAll("'", `'\\''`)}'`).join(' ');
  const child = spawn(script, ['-qefc', quoted, '/dev/null'], { stdio: 'pipe' });
  let shown = '';
  let typed = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    // Node moves the cursor once the question is shown.
    if (typed || !/\[y\/N\] [^a-z]*G/.test(shown)) return;
    typed = true;
    child.stdin.write(keys);
  });
  const exit = await new Promise((resolve) => child.on('close', resolve));
  expect([exit, shown]).toEqual([0, expect.stringContaining(expected)]);
});
