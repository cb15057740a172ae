import { expect, test } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { repositoryWith } from '../git/clone.ts';

test('every problem of roots is reported in one run, at its line of kruise.yaml', async () => {
  const clone = repositoryWith({
    'kruise.yaml': [
      'roots:',
      '- {name: prod, path: overlays/prod}',
      '- {name: all, path: ./overlays/}',
      '- {name: all, path: nope}',
      '- {name: more, path: overlays-more}',
      '- {name: rest, path: overlays, render: [sh, -c, exit]}',
      '- {name: gone, path: gone, render: [sh, -c, exit]}',
      '',
    ].join('\n'),
    'overlays/prod/web.yaml': cloneSet(),
    'overlays-more/web.yaml': cloneSet(),
  });
  for (const command of ['plan', 'validate']) {
    const { code, err } = await clone.kruise([command]);
    expect(code).toBe(1);
    expect(err.match(/KR\d+\].*\n.*-->.*/g)).toEqual([
      expect.stringMatching(
        /KR4034\]: the root prod is inside of the root all: .* twice\n +--> kruise\.yaml:2:22/,
      ),
      expect.stringMatching(/KR4034\]: two roots are named all\n +--> kruise\.yaml:4:10/),
      expect.stringMatching(
        /KR4034\]: the path of the root all does not exist: nope\n +--> kruise\.yaml:4:21/,
      ),
      expect.stringMatching(
        /KR4034\]: the path of the root gone does not exist: gone\n +--> kruise\.yaml:7:22/,
      ),
    ]);
  }
});

test('roots of a wrong form do not hide the problems of others', async () => {
  const clone = repositoryWith({
    'kruise.yaml': 'roots:\n- {name: a, path: 5}\n- {name: b, path: none}\n- {name: c, path: c}\n',
    'c/web.yaml': cloneSet(),
  });
  for (const args of [['plan'], ['validate'], ['plan', 'c', 'none']])
    expect((await clone.kruise(args)).err.match(/KR\d+\].*\n.*-->.*/g), args.join(' ')).toEqual([
      expect.stringMatching(/KR2002\].*\n +--> kruise\.yaml:2:19/),
      expect.stringMatching(/KR4034\]: the path of the root b does not exist: none\n +--> kruise\.yaml:3:19/),
    ]);
});

test('an empty or a misspelled base names what was meant', async () => {
  const clone = repositoryWith({ 'web.yaml': cloneSet() });
  expect(await clone.kruise(['plan', '--base', ''])).toMatchObject({
    code: 1,
    err: expect.stringContaining('--base needs a value') as string,
  });
  for (const option of ['--base', '--head'])
    expect((await clone.kruise(['plan', option, 'mian'])).err).toMatch(
      /mian is no commit, branch or tag of this repository; did you mean main\?/,
    );
  expect((await clone.kruise(['plan', '--base', 'other'])).err).toContain('its branches: main');
});

test('commands that are not allowed and folders that do not exist are reported in one run', async () => {
  const roots = ['a, path: a, render: [cat]', 'b, path: none, render: [cat]', 'c, path: none'];
  const clone = repositoryWith({
    'kruise.yaml': `roots:\n${roots.map((root) => `- {name: ${root}}\n`).join('')}`,
    'a/web.yaml': cloneSet(),
  });
  for (const command of ['plan', 'validate'])
    expect((await clone.kruise([command])).err.match(/KR\d+\]: the \w+ \w+ \w+ \w+/g)).toEqual([
      'KR4032]: the root a is rendered',
      'KR4034]: the path of the root',
      'KR4034]: the path of the root',
    ]);
});
