import type { Lowering, LoweringRow } from '../../semantics/kinds/lowering.ts';
import { PROTECTION_LOSSES } from '../../semantics/protection/lowering.ts';
import { podInjectors } from '../../semantics/registry/pod-injectors.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { markdownTable } from './markdown.ts';

function exactText(losses: readonly LoweringRow[]): string {
  return losses.some(({ what }) => what.startsWith('any ')) ? 'never' : 'where no row below holds';
}

function becomesText(lowering: Lowering): string {
  switch (lowering.of) {
    case 'object':
      return [`\`${lowering.to.kind}\` of \`${lowering.to.apiVersion}\``, lowering.each ?? []]
        .flat()
        .join(' ');
    case 'template':
      return 'a part of the template of its target';
    case 'nothing':
      return 'stays';
  }
}

/** The tables of docs/reference/build.md: what becomes of each kind, and why something stays or is lost. */
export function buildTables(): string {
  const overview = kinds.map(({ id, lowering }) => [
    `\`${id.kind}\``,
    becomesText(lowering),
    lowering.of === 'nothing' ? lowering.why : exactText(lowering.losses),
  ]);
  const sections = kinds.flatMap(({ id, lowering }) => {
    if (lowering.of === 'nothing') return [];
    const rows = [
      ...lowering.stays.map(({ what, instead }) => [what, 'stays', instead]),
      ...lowering.losses.map(({ what, instead }) => [what, 'lost', instead]),
      ...lowering.differs.map((text) => ['any', 'differs', text]),
    ];
    return [
      `### ${id.kind}`,
      markdownTable(['what the manifest has', 'verdict', 'why, or what happens instead'], rows),
    ];
  });
  return [
    '## Every kind',
    markdownTable(['kind', 'becomes', 'exact'], overview),
    '## Rows',
    ...sections,
    ...podInjectors.flatMap(({ id, native }) => [
      `### ${id.kind} as native sidecars`,
      'With `--sidecars`, where `kruise.yaml` chooses `as: NativeSidecars`.',
      markdownTable(
        ['what the manifest has', 'verdict', 'why, or what happens instead'],
        [
          ...native.stays.map(({ what, instead }) => [what, 'stays', instead]),
          ...native.losses.map(({ what, instead }) => [what, 'lost', instead]),
          ...native.differs.map((text) => ['any', 'differs', text]),
        ],
      ),
    ]),
    '### Deletion protection',
    markdownTable(
      ['what the manifest has', 'verdict', 'why, or what happens instead'],
      [
        ...Object.values(PROTECTION_LOSSES).map(({ what, instead }) => [what, 'lost', instead]),
        ['any', 'differs', 'a policy of the API server refuses, and no webhook'],
      ],
    ),
  ].join('\n\n');
}
