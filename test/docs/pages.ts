import { readFileSync } from 'node:fs';
import { trackedFiles } from '../house/files.ts';
import { readSession, type Shown } from '../cli/world/session.ts';

/** The pages that readers type commands from: README, `docs/` and the examples. */
export function pages(): string[] {
  return trackedFiles().filter((path) => /^(README\.md|docs\/.*\.md|examples\/.*README\.md)$/.test(path));
}

/** The commands of the `console` blocks of a page, in their order, without the indent of a list. */
export function commandsOf(path: string): Shown[] {
  return [...readFileSync(path, 'utf8').matchAll(/^( *)```console\n([^]*?)^\1```$/gm)].flatMap(
    ([, indent = '', block = '']) => readSession(block.replace(new RegExp(`^${indent}`, 'gm'), '')),
  );
}
