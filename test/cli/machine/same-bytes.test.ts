import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { isFull } from '../../lanes.ts';
import { bundleKruise } from '../world/bundle.ts';

/** Other versions of Node.js to try, by their folders as in `.ci/run`: `KRUISE_NODES=/opt/node22:/opt/node24`. */
const nodes = (process.env['KRUISE_NODES'] ?? '')
  .split(delimiter)
  .filter((path) => path !== '')
  .map((path) => join(path, 'bin/node'));

// Danish sorts aa behind z, and Turkish has another lower case of I.
const danish = { LC_ALL: 'da_DK.UTF-8', TZ: 'Asia/Tokyo' };
const turkish = { LC_ALL: 'tr_TR.UTF-8', TZ: 'America/St_Johns' };

/** The locale of a process is read once, so each of these needs its own. */
describe.runIf(isFull)('plans of processes', () => {
  let folder = '';
  let program = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kruise-same-'));
    program = await bundleKruise(join(folder, 'dist'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Everything that a run writes and prints, with the paths of the files. */
  function planned(name: string, node: string, env: Record<string, string>): string[] {
    const at = join(folder, name);
    for (const [state, image] of [
      ['base', 'nginx:1'],
      ['head', 'nginx:2'],
    ] as const) {
      mkdirSync(join(at, state), { recursive: true });
      for (const target of ['aa', 'ab', 'z'])
        writeFileSync(
          join(at, state, `${target}.yaml`),
          cloneSet({ name: target, image, container: `        env: [{name: I_AA, value: ${state}}]` }),
        );
    }
    const run = (...args: string[]): string => {
      const { PATH = '' } = process.env;
      const options = { cwd: at, env: { PATH, ...env }, encoding: 'utf8' } as const;
      const { status, stdout, stderr } = spawnSync(node, [program, ...args], options);
      expect({ stderr: status === 0 ? '' : stderr }).toEqual({ stderr: '' });
      return stdout + stderr;
    };
    const outputs = ['human', 'json'].map((format) =>
      run('plan', 'head', '--base-dir', 'base', '-o', format),
    );
    const files = readdirSync(at, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /plans.*\./.test(path),
    );
    return [...outputs, ...files.toSorted().flatMap((path) => [path, readFileSync(join(at, path), 'utf8')])];
  }

  test.each([
    ['Danish', danish],
    ['Turkish', turkish],
  ])('are equal in %s', (name, env) => {
    const [before, after] = [
      planned(`${name}-C`, process.execPath, { LC_ALL: 'C', TZ: 'UTC' }),
      planned(name, process.execPath, env),
    ];
    expect(before).toHaveLength(2 + 2 * 6);
    expect(after).toEqual(before);
  });

  test.runIf(nodes.length > 0)('are equal on other versions of Node.js (KRUISE_NODES)', () => {
    const before = planned('this', process.execPath, {});
    for (const [index, node] of nodes.entries())
      expect(planned(`other-${index}`, node, danish)).toEqual(before);
  });
});
