import type { Batch, StepRule } from '../../schemas/generated/types/config.ts';
import { formatSelector, validateSelector } from '../../semantics/values/selector.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Locate } from '../validate/schema-errors.ts';

/** The label of a node that is its name: what is in git must hold in every cluster. */
const NAME_LABEL = 'kubernetes.io/hostname';

/** Reports batches for nodes that no selector can be for, for nodes by name, and a last batch that is not for every node. */
export function nodesProblems(
  { batches = [] }: StepRule,
  at: readonly string[],
  locate: Locate,
): Diagnostic[] {
  return batches.flatMap((batch, index) => {
    if (batch.nodes === undefined) return [];
    const path = [...at, 'batches', String(index), 'nodes'];
    const number = index + 1;
    const faults = [
      ...selectorProblems(batch.nodes, number, path, locate),
      ...nameProblems(batch.nodes, number, path, locate),
    ];
    const isLast = index === batches.length - 1;
    return isLast ? [...faults, diagnostic('KR3039', { number }, locate(path, 'key'))] : faults;
  });
}

function selectorProblems(
  nodes: NonNullable<Batch['nodes']>,
  number: number,
  path: readonly string[],
  locate: Locate,
): Diagnostic[] {
  if (formatSelector(nodes) === '')
    return [diagnostic('KR3037', { number, problem: 'it selects every node' }, locate(path, 'value'))];
  return validateSelector(nodes).map(({ path: below, message }) =>
    diagnostic('KR3037', { number, problem: message }, locate([...path, ...below], 'value')),
  );
}

function nameProblems(
  { matchLabels = {}, matchExpressions = [] }: NonNullable<Batch['nodes']>,
  number: number,
  path: readonly string[],
  locate: Locate,
): Diagnostic[] {
  const paths = [
    ...Object.keys(matchLabels).map((key) => [key, ['matchLabels', key]] as const),
    ...matchExpressions.map(({ key }, index) => [key, ['matchExpressions', String(index), 'key']] as const),
  ];
  return paths
    .filter(([key]) => key === NAME_LABEL)
    .map(([key, below]) => diagnostic('KR3038', { number, key }, locate([...path, ...below], 'value')));
}
