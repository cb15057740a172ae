import { describe, expect, test } from 'vitest';
import * as fc from '../property.ts';
import { cyclesOf, MOST_CYCLES } from '../../compiler/plan/cycles.ts';
import { predecessorsOf } from '../../compiler/plan/predecessors.ts';
import type { Named } from '../../compiler/plan/predecessors.ts';
import { ruleIndexFor } from '../../compiler/plan/match.ts';
import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import { cloneSet, diagnosticsOf } from './world/manifests.ts';

const anyName = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const anyNamespace = fc.constantFrom('x', 'y', undefined);
const anyTargets = fc.uniqueArray(
  fc.record({ kind: fc.constant('CloneSet'), namespace: anyNamespace, name: anyName }),
  {
    maxLength: 14,
    selector: (target) => JSON.stringify(target),
  },
);
const anyConfig: fc.Arbitrary<KruiseConfig> = fc.record({
  steps: fc.array(
    fc.record({
      match: fc.oneof(
        fc.record({ name: anyName }),
        fc.constant({}),
        fc.record({ namespace: fc.constantFrom('x', 'y') }),
      ),
      after: fc.array(fc.record({ kind: fc.constant('CloneSet'), name: anyName }), { maxLength: 3 }),
    }),
    { maxLength: 6 },
  ),
});

/** The targets for which a target waits, computed target by target, as the runtime does. */
function waitsFor(config: KruiseConfig, targets: readonly Named[], target: Named): Named[] {
  const rule = ruleIndexFor(config, target);
  const named = predecessorsOf(rule === undefined ? undefined : config.steps?.[rule], target);
  return targets.filter(
    (other) => other.namespace === target.namespace && named.some((each) => each.name === other.name),
  );
}

/** Removes targets that wait for no remaining one, repeatedly; those left wait forever. */
function stuck(config: KruiseConfig, targets: readonly Named[]): Named[] {
  const remaining = targets.filter((target) => waitsFor(config, targets, target).length > 0);
  return remaining.length === targets.length ? remaining : stuck(config, remaining);
}

describe('cycles among targets', () => {
  test('are reported if rollouts would wait for each other, and not otherwise', () => {
    fc.assert(
      fc.property(anyConfig, anyTargets, (config, targets) => {
        expect(cyclesOf(config, targets).length > 0).toBe(stuck(config, targets).length > 0);
      }),
      { numRuns: 2_000 },
    );
  });

  test('each is an existing cycle, starts at its first name, and is reported once for its rules', () => {
    fc.assert(
      fc.property(anyConfig, anyTargets, (config, targets) => {
        const cycles = cyclesOf(config, targets);
        for (const { targets: round, rules } of cycles) {
          const names = round.map((target) => target.name);
          expect(names[0]).toBe([...names].sort()[0]);
          expect(rules).toEqual(round.map((target) => ruleIndexFor(config, target)));
          round.forEach((target, index) => {
            expect(waitsFor(config, targets, target)).toContainEqual(round[(index + 1) % round.length]);
          });
        }
        const reported = cycles.map(({ rules }) => [...new Set(rules)].sort((a, b) => a - b).join());
        expect(new Set(reported).size).toBe(reported.length);
        expect(cyclesOf(config, [...targets].reverse())).toEqual(cycles);
      }),
      { numRuns: 2_000 },
    );
  });

  test('of very many only the first are reported, and the last of them notes it', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `t${i}`);
    const all = names.map((each) => `{kind: CloneSet, name: ${each}}`);
    const rules = names.map(
      (each, i) => `{match: {name: ${each}}, after: [${all.filter((_, j) => j !== i).join(', ')}]}`,
    );
    const { all: found } = await diagnosticsOf(
      {
        'head/web.yaml': names.map((each) => cloneSet({ name: each })).join('---\n'),
        'head/kruise.yaml': `steps: [${rules.join(', ')}]`,
      },
      { args: ['validate', 'head'] },
    );
    const cycles = found.filter(({ code }) => code === 'KR4018');
    expect(cycles).toHaveLength(MOST_CYCLES);
    expect(
      cycles.filter(({ message }) => message.endsWith('; correct these to see whether there are more')),
    ).toHaveLength(1);
  });
});

describe('the diagnostics of after', () => {
  const three = ['web', 'db', 'cache'].map((name) => cloneSet({ name })).join('---\n');
  const blog = three.replaceAll('namespace: shop', 'namespace: blog');
  const rule = (match: string, name: string): string =>
    `{match: {${match}}, after: [{kind: CloneSet, name: ${name}}]}`;
  test.each<[string, string, string, string]>([
    [
      three,
      rule('name: web', 'bd'),
      'after names CloneSet bd, which is in no manifest of namespace shop',
      "did you mean 'db'?",
    ],
    [three, rule('name: web', 'wbe'), 'CloneSet wbe', 'correct the name'],
    [
      `${three}---\n${blog}`,
      rule('', 'cahce'),
      'in no manifest of namespace blog, nor of 1 more',
      "did you mean 'cache'?",
    ],
    [
      `${three}---\n${cloneSet({ name: 'queue', namespace: 'data' })}`,
      `{match: {namespace: data}}, ${rule('', 'queue')}`,
      'CloneSet queue',
      'data/queue is in another namespace; after names targets of the same namespace',
    ],
    [
      `${three}---\n${cloneSet({ name: 'queue', namespace: 'data' })}---\n${cloneSet({ name: 'queue', namespace: 'bus' })}`,
      `{match: {namespace: data}}, {match: {namespace: bus}}, ${rule('', 'queue')}`,
      'CloneSet queue',
      'bus/queue is in another namespace; after names targets of the same namespace',
    ],
    [
      three,
      `${rule('name: web', 'db')}, ${rule('name: db', 'cache')}, ${rule('name: cache', 'web')}`,
      'rollouts would wait for each other: shop/cache → shop/web → shop/db → shop/cache',
      'remove an entry of after, or add a separate rule for one of the targets above rule 3',
    ],
  ])('%#', async (head, rules, message, help) => {
    const files = { 'head/web.yaml': head, 'head/kruise.yaml': `steps: [${rules}]\ndefault: {}` };
    const { all } = await diagnosticsOf(files, { args: ['validate', 'head'] });
    expect(all).toEqual([
      expect.objectContaining({
        message: expect.stringContaining(message),
        help: expect.stringContaining(help),
      }),
    ]);
  });

  test('of very many only the first get a suggestion', async () => {
    const names = Array.from({ length: 25 }, (_, i) => `{kind: CloneSet, name: cach${i}}`).join(', ');
    const files = {
      'head/web.yaml': three,
      'head/kruise.yaml': `steps: [{match: {name: web}, after: [${names}]}, {match: {}}]`,
    };
    const { all } = await diagnosticsOf(files, { args: ['validate', 'head'] });
    expect(all).toHaveLength(25);
    expect(all.map(({ help }) => help === "did you mean 'cache'?")).toEqual(all.map((_, i) => i < 20));
  });
});
