import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeCacheOf, loadCompiled } from '../machine/compiled.ts';

/**
 * Runs a built program once, on a copy of an example, and stores the code that V8 compiled for it next to the program. It
 * runs in a separate process, because V8 accepts the code only in a process with the same flags.
 */
const [file = ''] = process.argv.slice(2);
const example = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'examples', 'approval');
const { exports, script } = loadCompiled(file);

const folder = mkdtempSync(join(tmpdir(), 'kruise-build-'));
try {
  process.chdir(folder);
  cpSync(join(example, '1-nginx-1.25'), 'base', { recursive: true });
  cpSync(join(example, '2-nginx-1.27'), 'head', { recursive: true });
  rmSync(join('head', 'plans'), { recursive: true });
  await exports.run(['plan', 'head', '--base-dir', 'base']);
  if (process.exitCode !== 0) throw new Error('the plan of the example failed');
} finally {
  process.chdir(tmpdir());
  rmSync(folder, { recursive: true, force: true });
}
writeFileSync(codeCacheOf(file), script.createCachedData());
