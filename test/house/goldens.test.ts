import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { stories } from '../stories/stories.ts';

const golden = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'golden');
const tests = join(golden, '..', 'test');

/** A story that no test plays would still be read as the truth. */
test('every golden story is played by a test, and every story is recorded', () => {
  const recorded = readdirSync(join(golden, 'stories')).sort();
  expect(recorded).toEqual(stories.map(({ file }) => `${file}.md`).sort());
});

test('every other golden is named by a test', () => {
  const sources = readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(tests, path), 'utf8'))
    .join('\n');
  const rest = readdirSync(golden, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[a-z]+$/.test(path) && !path.startsWith('stories') && path !== 'README.md')
    .map((path) => path.split('/').at(-1) ?? path);
  expect(rest.length).toBeGreaterThan(1);
  expect(rest.filter((name) => !sources.includes(name))).toEqual([]);
});
