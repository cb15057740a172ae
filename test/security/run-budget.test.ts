import { describe, expect, test } from 'vitest';
import { withBudget } from '../../cli/budget.ts';
import { createBudget } from '../../compiler/load/budget.ts';
import { LIMITS } from '../../compiler/load/limits.ts';
import { repositoryWith, type Clone } from '../cli/git/clone.ts';
import { memoryHost } from '../cli/world/memory-host.ts';
import { cloneSet } from '../compiler/world/manifests.ts';

const ROOTS = 40;
/** Of 1 % of the tokens of a run, which is 80,000, each root has about a sixth. */
const MAP = Array.from({ length: 1_000 }, (_, line) => `k${line}: v\n`).join('');

/** Forty roots, of which each is far from every limit. */
function fortyRoots(budget: string): Clone {
  const roots = Array.from({ length: ROOTS }, (_, n) => `- {name: r${n}, path: r${n}}\n`).join('');
  const clone = repositoryWith({ 'kruise.yaml': `${budget}roots:\n${roots}` });
  clone.git('checkout', '--quiet', '-b', 'feature');
  const files = Array.from({ length: ROOTS }, (_, n) => [
    [`r${n}/apps/web.yaml`, cloneSet({ name: `web-${n}` })] as const,
    [`r${n}/data/map.yaml`, MAP] as const,
  ]);
  clone.commit('feature', Object.fromEntries(files.flat()));
  return clone;
}

describe('one budget is for all reads of a run', () => {
  const clone = fortyRoots('budget: 1\n');

  test.each([['plan', '--check'], ['validate']])(
    'forty roots together are too much: %s',
    async (...words) => {
      const ran = await clone.kruise(words);
      expect(ran).toMatchObject({ code: 1 });
      expect(ran.err.match(/KR1035\]/g)).toHaveLength(1);
      expect(ran.err).toContain('the run stops here: one run reads at most 80000 YAML tokens');
      expect(ran.err).toMatch(/most of it is in r\d+\/data: if those are no manifests, list it under ignore/);
      expect(ran.err).toMatch(/allow more: --budget 200 \(so far: .* of files, \d+ files to read, .*tokens/);
      expect(clone.git('status', '--porcelain')).toBe('');
    },
  );

  test('one of them is not, nor are they where whoever runs it allows more', async () => {
    expect((await clone.kruise(['plan', 'r7', '--dry-run'])).err).not.toContain('KR1035');
    expect((await clone.kruise(['validate', '--budget', '20'])).err).not.toContain('KR1035');
    const wrong = await clone.kruise(['plan', '--budget', 'much']);
    expect(wrong).toMatchObject({ code: 1 });
    expect(wrong.err).toContain(
      '--budget needs a percentage of the limits of a run, not much; a percentage from 1 to 9999',
    );
  });

  test('kruise.yaml does not raise it', async () => {
    const ran = await fortyRoots('budget: 200\n').kruise(['validate']);
    expect(ran.err).toContain('budget must be at most 100');
  });
});

test('what git and the commands of roots print draws on the same budget', () => {
  const budget = createBudget({ ...LIMITS, gitBytes: 15, printedBytes: 15 });
  const printed = { stdout: new Uint8Array(10), stderr: '' };
  const host = withBudget(
    {
      ...memoryHost({}),
      git: () => ({ ...printed, code: 0 }),
      renderer: {
        unpack: () => ({ folder: '/tmp', remove: () => undefined }),
        run: () => ({ ...printed, end: 0 }),
      },
    },
    budget,
  );
  const run = () => host.renderer?.run('/repo', ['make'], { timeoutMs: 1, mostBytes: 1 });
  expect(host.git?.('/repo', ['log']).code).toBe(0);
  expect(run()?.end).toBe(0);
  expect(run).toThrow('one run reads at most 15 bytes of output of the commands of roots');
  expect(() => host.git?.('/repo', ['log'])).toThrow('the run stops here');
});
