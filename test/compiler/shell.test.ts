import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { shellPath } from '../../compiler/text/shell-word.ts';
import { cloneSet, kruise } from './world/manifests.ts';

/** The words of commands as a shell reads them: each program prints its own name and operands instead of running. */
function words(...commands: string[]): string[][] {
  const programs = ['cd', 'git', 'rm', 'kruise', 'kubectl', 'helm'];
  const fakes = programs.map((name) => `${name}() { printf '%s\\0' ${name} "$@"; printf '\\n\\0'; }`);
  const { stdout } = spawnSync('sh', ['-c', [...fakes, ...commands].join('\n')], { encoding: 'utf8' });
  const lines = stdout.split('\0\n\0').filter((line) => line !== '');
  return lines.map((line) => line.split('\0'));
}

const ODD = [
  "it's a $(path) `x`",
  '-rf',
  'a&&b;c',
  'plain/path.yaml',
  '"',
  '~',
  '*',
  '#a',
  '!',
  '~root',
  'x=~root',
  'a:~root',
];

test('a quoted path is one operand of a command, whatever it is named', () => {
  const read = words(...ODD.map((path) => `git rm ${shellPath(path)}`));
  expect(read).toEqual(ODD.map((path) => ['git', 'rm', path.startsWith('-') ? `./${path}` : path]));
});

test('what no shell changes is not quoted', () => {
  const plain = ['main~1', 'origin/release-1.2~3', 'a.b@c'];
  expect(plain.map(shellPath)).toEqual(plain);
});

const [path, folder] = ["my apps/it's/plans/web/plan.yaml", "my apps/it's"];
const target = 'CloneSet shop/web';

test.each([
  [
    diagnostic('KR3022', {
      path,
      target,
      wanted: 'plans/web/plan.yaml',
      folder: undefined,
      below: undefined,
    }),
    /^remove it: (.*)$/,
    [['rm', path]],
  ],
  [
    diagnostic('KR3022', { path, target, wanted: 'plans/web/plan.yaml', folder, below: undefined }),
    /^remove it: (.*?); or, .*, plan there: (.*)$/,
    [
      ['rm', path],
      ['cd', folder],
      ['kruise', 'plan'],
    ],
  ],
  [
    diagnostic('KR3022', { path, target, wanted: 'plans/web/plan.yaml', folder, below: '.' }),
    /^plan in .* has it: (.*?); or, .*, remove it: (.*)$/,
    [
      ['cd', folder],
      ['kruise', 'plan'],
      ['rm', path],
    ],
  ],
  [
    diagnostic('KR3024', { root: 'head', base: 'base', folder }),
    /^name that folder: (.*)$/,
    [['kruise', 'plan', '--base-dir', folder]],
  ],
  [
    diagnostic('KR3010', { path, isConflict: true }),
    /this file is then resolved: (.*)$/,
    [['git', 'add', path]],
  ],
] as const)('the commands in the help of $code can be pasted', ({ help }, pattern, expected) => {
  const commands = (pattern.exec(help) ?? []).slice(1).map((text) => text.replace(/^--/, 'kruise plan --'));
  expect(words(...commands)).toEqual(expected);
});

test('the command that renders a folder can be pasted', async () => {
  const files = { 'head/my app/kustomization.yaml': '', 'head/other/Chart.yaml': '' };
  const { host } = await kruise(files, { args: ['validate', 'head'] });
  const commands = [...`${host.out}${host.err}`.matchAll(/plan its output: (.*) \| kruise plan -f -/g)].map(
    ([, text = '']) => text,
  );
  expect(words(...commands).map((read) => read.slice(-1))).toEqual([['head/my app'], ['head/other']]);
});

test('a plan with a conflict of a merge is written again, and then resolved', async () => {
  const planPath = 'head/plans/shop/cloneset-web/plan.yaml';
  const files = {
    'base/web.yaml': cloneSet(),
    'head/web.yaml': cloneSet({ image: 'nginx:1.27' }),
    [planPath]: '<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> feature\n',
  };
  const { host } = await kruise(files);
  expect(host.err + host.out).toContain(`${planPath} has a conflict of a merge: kruise plan overwrites it`);
  expect(host.err + host.out).toContain(`this file is then resolved: git add ${planPath}`);
});
