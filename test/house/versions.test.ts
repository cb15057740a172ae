import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { trackedFiles } from './files.ts';

/** Where a page, a manifest or a job names a version of ours: the package, the image, a tag of the repository. */
const NAMED =
  /(?:\bkruise(?:-sandbox)?-|\bkruise-runtime:|[?]ref=v|REPOSITORY\/deploy\/[\w/.-]{1,60}@v|KRUISE_VERSION: v|newTag: |appVersion: |\bVersion )(\d{1,4}\.\d{1,4}\.\d{1,4})\b/g;

/** The versions that a text names and that are not this one, as `path: what it says`. */
function others(path: string, text: string): string[] {
  return [...text.matchAll(NAMED)]
    .filter(([, version]) => version !== packageJson.version)
    .map(([said]) => `${path}: ${said}`);
}

const texts = trackedFiles()
  .filter((path) =>
    /^(README\.md$|docs\/|deploy\/|examples\/|sandbox\/(README\.md|package\.json)$)/.test(path),
  )
  .map((path) => [path, readFileSync(path, 'utf8')] as const);

describe('the version of the package', () => {
  it('is the one that every page, manifest and job names', () => {
    expect(texts.flatMap(([path, text]) => others(path, text))).toEqual([]);
    expect(texts.filter(([, text]) => new RegExp(NAMED).test(text)).length).toBeGreaterThan(10);
  });

  it('is that of the sandbox', () => {
    const { version } = JSON.parse(readFileSync('sandbox/package.json', 'utf8')) as { version: string };
    expect(version).toBe(packageJson.version);
  });

  it.each([
    'npm install --save-dev ../kruise/kruise-9.9.9.tgz',
    'image: registry.example/kruise-runtime:9.9.9',
    'https://HOST/OWNER/REPOSITORY//deploy?ref=v9.9.9',
    'uses: OWNER/REPOSITORY/deploy/ci/github/plan@v9.9.9',
    'KRUISE_VERSION: v9.9.9',
    'newTag: 9.9.9',
  ])('is compared where it is written as in %s (control)', (line) => {
    expect(others('a.md', line)).toHaveLength(1);
  });
});
