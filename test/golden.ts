import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', 'golden');

/** Tests write goldens only when asked to; CI fails on a missing, a changed and an unused one. */
export const updating = process.env['UPDATE_GOLDEN'] === '1';

/** Compares `text` with `golden/<path>`, or records it when goldens are being updated. */
export function expectGolden(path: string, text: string): void {
  const file = join(root, path);
  if (updating) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return;
  }
  if (!existsSync(file))
    throw new Error(`golden/${path} is missing: npm run golden records it, then read it`);
  expect(text, `golden/${path} (npm run golden records what is now, then read the difference)`).toBe(
    readFileSync(file, 'utf8'),
  );
}
