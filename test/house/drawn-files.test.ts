import { expect, test } from 'vitest';
import { costly, costlyOf, leftOut, leftToPackage } from '../drawn-files.ts';
import { trackedFiles } from './files.ts';

const files = trackedFiles().filter((file) => file.endsWith('.test.ts'));

test('each entry of the costly files names a file', () => {
  expect(costly.filter((start) => !files.some((file) => file.startsWith(start)))).toEqual([]);
});

test('npm test plays few of the costly files, and many commits play them all', () => {
  const all = costlyOf(files);
  const others = all.filter((file) => !file.startsWith('test/e2e/')).length;
  const seeds = Array.from({ length: 100 }, (_, seed) => seed);
  const played = seeds.map((seed) => {
    const left = new Set(leftOut(files, seed));
    return all.filter((file) => !left.has(file));
  });
  expect(new Set(played.map(({ length }) => length))).toEqual(new Set([2 + Math.ceil(others / 8)]));
  expect([...new Set(played.flat())].sort()).toEqual([...all].sort());
});

test.each([
  ['sandbox/world.ts', true],
  ['schemas/wire/clock.ts', true],
  ['schemas/kruise/cloneset.json', false],
  ['cli/sandbox/sandbox.ts', false],
])('the tests of the sandbox are played after a change of %s: %s', (changed, arePlayed) => {
  const own = files.filter((file) => file.startsWith('sandbox/test/'));
  expect(own.length).toBeGreaterThan(50);
  expect(leftToPackage(files, [changed])).toEqual(arePlayed ? [] : own);
});
