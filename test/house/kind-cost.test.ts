import { describe, expect, it } from 'vitest';
import { kinds } from '../../semantics/registry/registry.ts';
import { shelfKind } from '../fixture-kind/shelf/kind.ts';
import { kindCosts, MOST } from './kind-cost.ts';
import { globPattern, kindLines, unlistedFiles } from './kind-lines.ts';
import { kindLists } from './kind-lists.ts';
import { traitsOf } from './kind-traits.ts';

const counted = kindCosts();

describe('the lines of each kind', () => {
  it('are printed for each registered kind, and nothing is left out or lists kinds', () => {
    const { text, problems } = counted;
    expect(problems).toEqual([]);
    const heads = text.split('\n').filter((line) => /^\w+: [0-9]+ lines, (ok|over [0-9]+)( |$)/.test(line));
    expect(heads.map((line) => line.split(':')[0])).toEqual(kinds.map(({ id }) => id.kind));
  });

  it.each(counted.costs)('are at most as many as a kind may cost: $name', ({ lines }) => {
    expect(lines).toBeLessThanOrEqual(MOST);
  });

  it('have the traits that follow from the registration', () => {
    const traits = new Map(kinds.map((kind) => [kind.id.kind, traitsOf(kind)]));
    expect(traits.get('CloneSet')).toContain('counts replicas');
    expect(traits.get('StatefulSet')).toContain('names its units');
    expect(traits.get('SidecarSet')).toContain('adds to new pods');
    expect(traits.get('BroadcastJob')).toContain('needs Nodes for Placement');
    expect(traits.get('AdvancedCronJob')).toContain('counts ticks');
    expect(traits.get('ResourceDistribution')).toContain('makes copies');
    expect(traitsOf(shelfKind)).toEqual(['has no plans', 'needs Children']);
  });
});

describe('lines of kinds (control)', () => {
  const texts = new Map([
    ['cli/main.ts', "await import('../rules/list.ts');\nimport './ticks.ts';\n"],
    ['cli/ticks.ts', 'a\nb\n'],
    ['cli/cards.ts', "import './wait.ts';\n"],
    ['cli/wait.ts', 'x\n'],
    ['cli/claims.ts', "import type { X } from '../rules/claims/x.ts';\n// as Rack\n"],
    ['rules/list.ts', "import { rack } from './rack/kind.ts';\nimport { shelf } from './shelf/kind.ts';\n"],
    ['rules/rack/kind.ts', "import { only } from '../own/only.ts';\nimport '../claims/y.ts';\n"],
    ['rules/shelf/kind.ts', "import '../own/wave.ts';\nimport '../claims/y.ts';\n"],
    ['rules/own/only.ts', "import type { Deep } from './deep.ts';\nx\n"],
    ['rules/own/deep.ts', 'x\n'],
    ['rules/own/wave.ts', 'x\n'],
    ['rules/claims/x.ts', 'x\n'],
    ['rules/claims/y.ts', 'x\n'],
  ]);
  const files = {
    ticks: ['cli/ticks.ts', 'cli/wait.ts', 'rules/own/wave.ts'],
    claims: ['rules/claims/y.ts'],
    cards: ['cli/cards.ts'],
  };
  type Trait = keyof typeof files;
  const linesOf = (ofShelf: readonly Trait[]): ReturnType<typeof kindLines<Trait>> =>
    kindLines<Trait>(
      [
        { name: 'Rack', folder: 'rules/rack/', traits: ['ticks', 'claims'] },
        { name: 'Shelf', folder: 'rules/shelf/', traits: ofShelf },
      ],
      { texts, entries: ['cli/main.ts', 'cli/claims.ts', 'cli/cards.ts'], isProduct: () => true },
      (trait, path) => files[trait].includes(path),
    );

  it('are those that no program reaches without its folder, of traits it alone has, and that name it', () => {
    const [rack, shelf] = linesOf(['claims', 'cards']);
    // Of the files of ticks, another kind imports one, and a file of its traits another one.
    expect(rack).toEqual({
      unreachable: ['rules/own/only.ts', 'rules/own/deep.ts'],
      alone: ['ticks'],
      ofTraits: ['cli/ticks.ts'],
      naming: 2,
      lines: 2 + 1 + 2 + 2,
    });
    expect(shelf).toEqual({
      unreachable: ['rules/own/wave.ts'],
      alone: ['cards'],
      ofTraits: ['cli/cards.ts'],
      naming: 1,
      lines: 1 + 1 + 1,
    });
  });

  it('are shared as soon as a second kind has the trait', () => {
    expect(linesOf(['claims', 'cards', 'ticks']).map(({ ofTraits }) => ofTraits)).toEqual([
      [],
      ['cli/cards.ts'],
    ]);
  });

  it('are incomplete while a file with the word of a trait in its name is of none', () => {
    const paths = ['plan/tick-step.ts', 'plan/on-ticks.ts', 'plan/sticky.ts', 'tick/plan.ts', 'plan/tick.ts'];
    const isListed = (path: string): boolean => globPattern('plan/{on-*,tick}.ts').test(path);
    expect(unlistedFiles(paths, ['tick', 'ticks'], isListed)).toEqual(['plan/tick-step.ts']);
  });
});

describe('a list of kinds (control)', () => {
  const names = ['Rack', 'Shelf', 'StatefulSet', 'DaemonSet'];
  const listsIn = (text: string): string[] =>
    kindLists('a.ts', text, names, new Set(['StatefulSet', 'DaemonSet']));

  it.each([
    ["const all = [\n  'Rack', 'Shelf'];", 'a.ts:1'],
    ['\nconst all = new Set([rackKind, shelfKind, x]);', 'a.ts:2'],
    ['const all = { Rack: 1, Shelf: 2 };', 'a.ts:1'],
    ["f({ a: [rackKind.id, 'StatefulSet'] });", 'a.ts:1'],
  ])('is found: %s', (text, at) => {
    expect(listsIn(text)).toEqual([at]);
  });

  it.each([
    "const one = ['Rack', 'Rack']; const other = 'Shelf';",
    "const native = ['StatefulSet', 'DaemonSet'];",
    'const racks = { racking: 1, shelfLife: 2, bookshelf: 3 };',
  ])('is not what names one kind, those of Kubernetes, or other words: %s', (text) => {
    expect(listsIn(text)).toEqual([]);
  });
});
