import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeCacheOf } from '../../../cli/machine/compiled.ts';

describe('a program in one file', () => {
  let folder: string;
  let file: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kruise-compiled-'));
    file = join(folder, 'program.cjs');
    const said = "process.stdout.write(require('node:path').join(...words))";
    writeFileSync(file, `exports.run = async (words) => { ${said}; };`);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /**
   * Loads it in a separate process, because V8 caches compiled code within one, and accepts only code that was compiled with
   * its own flags.
   */
  function load(
    use = `
      await exports.run(['a', 'b']);
      process.stderr.write(String(script.cachedDataRejected));`,
  ): { out: string; rejected: string } {
    const script = `
      const { loadCompiled } = await import('./cli/machine/compiled.ts');
      const { exports, script } = loadCompiled(${JSON.stringify(file)});
      ${use}`;
    const words = ['--import', 'tsx', '--input-type=module', '-e', script];
    const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    return { out: stdout, rejected: stderr };
  }

  it('is loaded with its compiled code, and compiled if that is missing or does not match', () => {
    expect(load()).toEqual({ out: 'a/b', rejected: 'undefined' });
    writeFileSync(codeCacheOf(file), 'no code');
    expect(load()).toEqual({ out: 'a/b', rejected: 'true' });
    load(`
      const { writeFileSync } = await import('node:fs');
      writeFileSync(${JSON.stringify(codeCacheOf(file))}, script.createCachedData());`);
    expect(load()).toEqual({ out: 'a/b', rejected: 'false' });
  });
});
