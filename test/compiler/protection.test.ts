import { expect, test } from 'vitest';
import { exitCode } from '../../cli/command/command.ts';
import { diagnosticsOf, kruise } from './world/manifests.ts';
import { labelled } from './world/protection-cases.ts';

const always = labelled('ConfigMap', { value: 'Always' });
const KEY = 'policy.kruise.io/delete-protection';

test('a removal is refused with the line of base, and the way out in two commits', async () => {
  const { host, code } = await kruise({ 'base/x.yaml': always, 'head/web.yaml': '' });
  expect(code).toBe(exitCode.error);
  expect(host.err).toContain(
    [
      `error[KR2224]: ConfigMap shop/conf is not there any more, and its label ${KEY} refuses its deletion`,
      '  --> base/x.yaml:5:12',
      '   |',
      ` 5 |   labels: {${KEY}: Always}`,
      `   | ${' '.repeat(11)}${'^'.repeat(KEY.length)}`,
    ].join('\n'),
  );
  expect(host.err).toContain(
    'use two commits: the first removes the label, and once that is applied the next one removes the object',
  );
});

test('a check says that the change must not be made', async () => {
  const files = { 'base/x.yaml': always, 'head/web.yaml': '' };
  const { code } = await kruise(files, { args: ['plan', 'head', '--base-dir', 'base', '--check'] });
  expect(code).toBe(exitCode.refused);
});

test.each([
  [
    'a workload with replicas may be scaled instead',
    labelled('Deployment', { apiVersion: 'apps/v1', value: 'Cascading', more: 'spec: {replicas: 2}' }),
    'refuses its deletion while it has replicas',
    'the first scales it to 0, or removes the label',
  ],
  [
    'of a Namespace git does not show what is in it',
    labelled('Namespace', { namespace: '', value: 'Cascading' }),
    'Namespace conf is not there any more, and its label policy.kruise.io/delete-protection refuses its deletion while something is in it',
    'the first removes the label',
  ],
])('%s', async (_what, base, message, help) => {
  const { all } = await diagnosticsOf({ 'base/x.yaml': base, 'head/web.yaml': '' });
  const [found] = all.filter(({ code }) => code === 'KR2224');
  expect(found?.message).toContain(message);
  expect(found?.help).toContain(help);
});

test.each([
  [
    'that writes out a namespace',
    labelled('ConfigMap', { namespace: '', value: 'Always' }),
    always,
    `ConfigMap conf is not there any more: in namespace shop it is the same object; anywhere else its label ${KEY} refuses its deletion`,
  ],
  [
    'that leaves out its namespace',
    always,
    labelled('ConfigMap', { namespace: '', value: 'Always' }),
    `ConfigMap shop/conf is not there any more: in namespace shop it is the same object; anywhere else its label ${KEY} refuses its deletion`,
  ],
  [
    'of a kind that no policy is about',
    labelled('Widget', { apiVersion: 'example.com/v1', value: 'Always' }),
    '',
    'Widget shop/conf is not there any more, and no policy of this project protects its kind: where something else does, its deletion is refused',
  ],
])('an object %s is a warning that says both', async (_what, before, after, message) => {
  const { all } = await diagnosticsOf({ 'base/x.yaml': before, 'head/x.yaml': after });
  expect(all.filter(({ code }) => /^KR22(24|30)$/.test(code))).toMatchObject([
    { code: 'KR2230', severity: 'warning', message },
  ]);
});

test('a generated name is named with the one that takes its place', async () => {
  const name = (hash: string): string => labelled('ConfigMap', { name: `conf-${hash}`, value: 'Always' });
  const { all } = await diagnosticsOf({
    'base/x.yaml': name('2456789bcd'),
    'head/y.yaml': name('2456789bck'),
  });
  expect(all.filter(({ code }) => code === 'KR2224').map(({ message }) => message)).toEqual([
    `ConfigMap shop/conf-2456789bcd is not there any more, as its name is now 'conf-2456789bck', and its label ${KEY} refuses its deletion`,
  ]);
});

test('a typo names the value that it stands for', async () => {
  const files = { 'head/x.yaml': labelled('Service', { value: 'Cascadin' }) };
  const { all } = await diagnosticsOf(files, { args: ['validate', 'head'] });
  expect(all.filter(({ code }) => code === 'KR2226').map(({ message, help }) => [message, help])).toEqual([
    [`${KEY} 'Cascadin' protects nothing: it is not Always or Cascading`, "did you mean 'Cascading'?"],
  ]);
});

test('hundreds of removals are listed in a text of bounded length', async () => {
  const many = Array.from({ length: 400 }, (_, index) =>
    labelled('ConfigMap', { name: `${'x'.repeat(200)}-${index}`, value: 'Always' }),
  ).join('---\n');
  const { host } = await kruise({ 'base/x.yaml': many, 'head/web.yaml': '' });
  expect(host.err.length).toBeLessThan(60_000);
  expect(host.err).toContain('KR2224');
});
