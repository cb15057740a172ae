import type { Batch, KruiseConfig, StepRule } from '../../schemas/generated/types/config.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Locate } from '../validate/schema-errors.ts';

/** A setting, by its path, and why it has no effect whatever the targets are. */
type Idle = [path: string[], why: string];

function reported(idle: readonly Idle[], locate: Locate): Diagnostic[] {
  return idle.map(([path, why]) =>
    diagnostic('KR4026', { field: path.at(-1) ?? '', why }, locate(path, 'key')),
  );
}

/** Reports `default` and `unmatched` where no target is left for them. */
export function idleDefaults(config: KruiseConfig, locate: Locate): Diagnostic[] {
  const all = (config.steps ?? []).findIndex(({ match }) => Object.keys(match).length === 0);
  const idle: Idle[] = [];
  const taken = all < 0 ? undefined : `rule ${all + 1} matches every target`;
  // An empty default says no more than that no target is left.
  const hasSettings = Object.keys(config.default ?? {}).length > 0;
  if (hasSettings && taken !== undefined) idle.push([['default'], taken]);
  const settled =
    taken ?? (config.default === undefined ? undefined : 'default takes every target without a rule');
  if (config.unmatched !== undefined && settled !== undefined) idle.push([['unmatched'], settled]);
  return reported(idle, locate);
}

/** Reports settings of a rule that another of its settings replaces. */
export function idleFields(rule: StepRule, at: readonly string[], locate: Locate): Diagnostic[] {
  const batches = rule.batches ?? [];
  const idle: Idle[] = batches.flatMap((batch, index) =>
    idleInBatch(batch, [...at, 'batches', String(index)]),
  );
  if (
    rule.timeout !== undefined &&
    batches.length > 0 &&
    batches.every(({ timeout }) => timeout !== undefined)
  )
    idle.push([[...at, 'timeout'], 'each batch has its own']);
  return reported(idle, locate);
}

function idleInBatch({ to, atLeast, nodes, window }: Batch, at: readonly string[]): Idle[] {
  const idle: Idle[] = [];
  if (atLeast !== undefined && typeof to === 'number' && !(nodes !== undefined && atLeast === 0))
    idle.push(
      atLeast > to
        ? [[...at, 'to'], `atLeast is more, so the batch updates ${atLeast}`]
        : [[...at, 'atLeast'], `to is the number ${to} already`],
    );
  // With labels, 0 says that there may be no such node.
  const isOptional = nodes !== undefined && atLeast === 0;
  if (atLeast !== undefined && to === '100%' && !isOptional)
    idle.push([[...at, 'atLeast'], '100% is every pod']);
  if (window !== undefined && Object.keys(window).length === 0)
    idle.push([[...at, 'window'], 'it has neither maxUnavailable nor maxSurge']);
  return idle;
}
