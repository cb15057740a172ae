import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from './cluster.ts';
import { type Ended, runWithStubs } from './stub-programs.ts';

const scratch = mkdtempSync(join(tmpdir(), 'kruise-image-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** What the script may find beside builders. */
const TOOLS = ['bash', 'dirname', 'sed', 'timeout'];

/** Runs the script where `builders` alone are there, each of which fails at the words named, says so, and notes what it was asked. */
const built = (builders: Readonly<Record<string, string>>, says = ''): Ended =>
  runWithStubs(
    scratch,
    '.ci/image',
    TOOLS,
    Object.fromEntries(
      Object.entries(builders).map(([name, failing]) => [
        name,
        `echo "${says}" >&2\n[[ -z "${failing}" || "$*" != ${failing}* ]]`,
      ]),
    ),
  );

describe('CI builds the image where a builder is there', () => {
  test('with both bases, by the Dockerfile', () => {
    const { code, asked } = built({ docker: '' });
    expect(code).toBe(0);
    expect(asked).toEqual([
      'docker info',
      'docker pull --quiet node:24-bookworm-slim',
      'docker pull --quiet gcr.io/distroless/cc-debian12:nonroot',
      'docker build -f deploy/Dockerfile -t kruise-runtime:ci .',
    ]);
  });

  test('by the first that works', () => {
    const { code, asked } = built({ docker: 'info', buildah: '' });
    expect(code).toBe(0);
    expect(asked.at(-1)).toBe('buildah build -f deploy/Dockerfile -t kruise-runtime:ci .');
  });

  test('a build that fails fails CI', () => {
    const { code, asked } = built({ podman: 'build' });
    expect(asked.at(-1)).toMatch(/^podman build /);
    expect(code).not.toBe(0);
  });

  test.each<[what: string, builders: Record<string, string>, why: string]>([
    ['no builder', {}, 'no docker, podman or buildah works here'],
    ['a client without its daemon', { docker: 'info' }, 'no docker, podman or buildah works here'],
    ['no registry', { docker: 'pull' }, 'docker cannot fetch node:24-bookworm-slim'],
  ])('%s: a loud line, and nothing that looks like a proof', (_what, builders, why) => {
    const { code, out, asked } = built(builders);
    expect(code).toBe(0);
    expect(out).toBe(`NOT BUILT: the image of deploy/Dockerfile (${why})\n`);
    expect(asked.filter((each) => each.includes(' build '))).toEqual([]);
  });

  test('a base that its registry has not fails CI', () => {
    const { code, out } = built({ docker: 'pull' }, 'Error response from daemon: manifest unknown');
    expect(code).not.toBe(0);
    expect(out).toBe('Error response from daemon: manifest unknown\n');
  });

  test('as a part of what a merge waits for', () => {
    expect(readFileSync(join(root, '.ci/run'), 'utf8')).toMatch(/^\.ci\/image$/m);
  });
});
