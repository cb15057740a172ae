import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../deploy/cluster.ts';
import { packages } from '../house/rooms.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The first group of a pattern in a file. */
function found(path: string, pattern: RegExp): string {
  const [, group] = pattern.exec(read(path)) ?? [];
  if (group === undefined) throw new Error(`${path} has nothing like ${String(pattern)}`);
  return group;
}

describe('security 18: the inputs of the build', () => {
  it('the image, the version for developers and the documents name one supported major version of Node.js', () => {
    const line = found('deploy/Dockerfile', /^ARG NODE_IMAGE=node:(\d+)-/m);
    expect(found('.nvmrc', /^(\d+)$/m)).toBe(line);
    expect(found('README.md', /You need Node\.js (\d+)/)).toBe(line);
    expect(found('docs/install.md', /^\| (\d+) +\|.*recommended/m)).toBe(line);
    const [, oldest] = /^>=(\d+)/.exec(packageJson.engines.node) ?? [];
    expect(Number(line)).toBeGreaterThan(Number(oldest));
  });

  it('packages are installed from the lock file alone, without running their scripts', () => {
    expect(read('deploy/Dockerfile')).toContain('RUN npm ci --ignore-scripts');
    expect(read('.npmrc').split('\n')).toEqual(
      expect.arrayContaining([
        'ignore-scripts=true',
        'save-exact=true',
        'omit-lockfile-registry-resolved=true',
      ]),
    );
    const versions = Object.values(packageJson.devDependencies);
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('whoever installs the package gets the program alone: what it needs is bundled', () => {
    expect(packageJson).not.toHaveProperty('dependencies');
  });

  it('each package of the program has a documented reason', () => {
    const reasons = read('CONTRIBUTING.md');
    for (const name of Object.values(packages).flat())
      expect(reasons).toMatch(new RegExp(`^- \`${name}\`[:,] `, 'm'));
  });
});
