import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Ended, runWithStubs } from './stub-programs.ts';

const scratch = mkdtempSync(join(tmpdir(), 'kruise-lanes-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const TOOLS = ['bash', 'cat', 'dirname', 'grep', 'mktemp', 'rm', 'sed', 'sleep', 'timeout'];

const FULL = 'npm run test:full';
const PACKAGE = 'npm test --workspace sandbox';
const DEMO = 'npm run demo';

/** Ends once `words` were asked for, and fails where that takes longer than ten seconds. */
const awaits = (words: string): string =>
  `for _ in {1..100}; do grep -qx "${words}" "$NOTES" && break; sleep 0.1; done; grep -qx "${words}" "$NOTES" || exit 1`;

/** A merge is checked where `npm` does `more`, and fails at the words named. */
const merged = (failing = '', more = ''): Ended =>
  runWithStubs(scratch, '.ci/run', TOOLS, {
    npx: '',
    npm: `${more}\necho "says: npm $*"\necho "$* plays $KRUISE_TEST"\n[[ "npm $*" != "${failing}" ]]`,
  });

describe('what a merge waits for', () => {
  test('installs, plays every lane and the demo, and builds the image', () => {
    const { code, out, asked } = merged();
    expect(asked.slice(0, 3)).toEqual([
      'npm ci',
      'npx --no-install tsx test/sampling.ts other-lanes',
      'npm test',
    ]);
    expect(asked.slice(3).sort()).toEqual([DEMO, FULL, PACKAGE]);
    expect(code).toBe(0);
    for (const each of [FULL, PACKAGE, DEMO]) expect(out).toContain(`says: ${each}\n`);
    expect(out).toContain('test --workspace sandbox plays full\n');
    expect(out).toContain('NOT BUILT: the image of deploy/Dockerfile');
  });

  test.each(['npm ci', 'npm test', FULL, PACKAGE, DEMO])(
    '%s fails it, and the image is not built',
    (failing) => {
      const { code, out } = merged(failing);
      expect(code).not.toBe(0);
      expect(out).toContain(`says: ${failing}\n`);
      expect(out).not.toContain('NOT BUILT');
    },
  );

  test('the lane of the sandbox and the demo beside the full lane', () => {
    const { code } = merged('', `[[ "npm $*" != "${FULL}" ]] || { ${awaits(DEMO)}; }`);
    expect(code).toBe(0);
  });

  test('after the lane that all of them play a part of', () => {
    const { asked } = merged('npm test');
    expect(asked).not.toContain(FULL);
  });
});
