import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import { main } from '../../cli/dispatch.ts';
import { nodeHost } from '../../cli/machine/node-host.ts';
import type { Host } from '../../cli/host.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder of its own for a test, removed afterwards. Paths in `files` are relative to it; a path with `/` at its end is a folder. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kruise-security-')));
  made.push(folder);
  for (const [path, text] of Object.entries(files)) {
    const at = join(folder, path);
    mkdirSync(path.endsWith('/') ? at : dirname(at), { recursive: true });
    if (!path.endsWith('/')) writeFileSync(at, text);
  }
  return folder;
}

/** The real machine in a folder, and its output. */
export function hostIn(cwd: string): Host & { out: string; err: string } {
  const host = {
    ...nodeHost(),
    cwd,
    env: {},
    out: '',
    err: '',
    stdout: (text: string) => void (host.out += text),
    draw: (text: string) => void (host.out += text),
    stderr: (text: string) => void (host.err += text),
  };
  return host;
}

/** Runs `kruise` in a folder. */
export async function kruiseIn(
  cwd: string,
  ...words: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  const host = hostIn(cwd);
  const code = await main(host, words);
  return { code, out: host.out, err: host.err };
}
