import { describe, expect, test } from 'vitest';
import { exitCode } from '../../../cli/command/command.ts';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { labelled } from '../../compiler/world/protection-cases.ts';
import { repositoryWith } from './clone.ts';

const conf = labelled('ConfigMap', { value: 'Always' });
const free = labelled('ConfigMap');
const CONFIG = 'roots:\n- {name: prod, path: prod}\n- {name: test, path: test}\n';
const REFUSED = 'error[KR2224]: ConfigMap shop/conf is not there any more';
const CI = { CI: 'true' };

test('the way out: the label in one commit, the object in the next', async () => {
  const clone = repositoryWith({ 'apps/web.yaml': cloneSet(), 'apps/conf.yaml': conf });
  clone.git('checkout', '--quiet', '-b', 'change');
  clone.commit('remove', { 'apps/conf.yaml': undefined });
  const check = () => clone.kruise(['plan', '--check', '--base', 'main'], '.', CI);
  const refused = await check();
  expect(refused.code).toBe(exitCode.refused);
  expect(refused.err).toContain(`${REFUSED}, and its label`);
  expect(refused.err).toContain('--> main:apps/conf.yaml:5:12');
  clone.commit('remove the label', { 'apps/conf.yaml': free });
  expect(await check()).toMatchObject({ code: 0 });
  clone.git('checkout', '--quiet', '-B', 'main');
  clone.git('checkout', '--quiet', '-b', 'next');
  clone.commit('remove', { 'apps/conf.yaml': undefined });
  expect(await check()).toMatchObject({ code: 0 });
});

describe('with roots', () => {
  const begin = () =>
    repositoryWith({
      'kruise.yaml': CONFIG,
      'prod/web.yaml': cloneSet(),
      'prod/conf.yaml': conf,
      'test/web.yaml': cloneSet(),
    });

  test.each([
    ['from one root', { 'prod/conf.yaml': undefined }],
    [
      'with its root',
      {
        'kruise.yaml': 'roots:\n- {name: test, path: test}\n',
        'prod/conf.yaml': undefined,
        'prod/web.yaml': undefined,
      },
    ],
    ['to another root, whose engine is another one', { 'prod/conf.yaml': undefined, 'test/conf.yaml': conf }],
  ])('a protected object goes %s', async (_what, change) => {
    const clone = begin();
    clone.write(change);
    const { code, err } = await clone.kruise(['plan', '--check'], '.', CI);
    expect(err).toContain(REFUSED);
    expect(err.split('error[KR2224]')).toHaveLength(2);
    expect(code).toBe(exitCode.refused);
  });

  test('it stays where another name of a root has its folder', async () => {
    const clone = begin();
    clone.write({ 'kruise.yaml': CONFIG.replace('name: prod', 'name: live') });
    expect((await clone.kruise(['plan'], '.', CI)).err).not.toContain('KR2224');
  });
});
