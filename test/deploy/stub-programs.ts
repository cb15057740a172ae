import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './cluster.ts';

/** How a script of `.ci/` ended, what it said, and which stubs it asked for what, in the order of their starts. */
export interface Ended {
  code: number | null;
  out: string;
  asked: string[];
}

/**
 * Runs a script of `.ci/` where only `tools` of this machine are there, and `stubs`: name: what a bash script does with its arguments. It
 * finds the notes of what was asked so far in `$NOTES`. Files are written below `scratch`.
 */
export function runWithStubs(
  scratch: string,
  script: string,
  tools: readonly string[],
  stubs: Readonly<Record<string, string>>,
): Ended {
  const folder = mkdtempSync(join(scratch, 'path-'));
  const bin = join(folder, 'bin');
  const notes = join(folder, 'asked');
  mkdirSync(bin);
  writeFileSync(notes, '');
  for (const tool of tools) {
    const path = spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.trim();
    symlinkSync(path, join(bin, tool));
  }
  for (const [name, does] of Object.entries(stubs))
    writeFileSync(
      join(bin, name),
      `#!${join(bin, 'bash')}\nNOTES="${notes}"\necho "${name} $*" >>"$NOTES"\n${does}\n`,
      { mode: 0o755 },
    );
  const { status, stdout, stderr } = spawnSync(join(bin, 'bash'), [join(root, script)], {
    env: { PATH: bin },
    encoding: 'utf8',
    timeout: 60_000,
  });
  const asked = readFileSync(notes, 'utf8').split('\n').filter(Boolean);
  return { code: status, out: stdout + stderr, asked };
}
