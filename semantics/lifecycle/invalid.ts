import type { InvalidField } from '../fields/problems.ts';
import { reservedKeys } from '../pod/reserved-keys.ts';
import { validateSelector } from '../values/selector.ts';
import { HOOKS, type Lifecycle } from './hooks.ts';

/**
 * Handlers of hooks that no pod can have, or that only a controller may write. OpenKruise does not check hooks: a pod would
 * wait for ever, or not at all.
 */
export function invalidLifecycle(lifecycle: Lifecycle): InvalidField[] {
  return HOOKS.flatMap((name) => {
    const hook = lifecycle[name];
    if (hook === undefined) return [];
    const path = ['spec', 'lifecycle', name];
    const labels = validateSelector({ matchLabels: hook.labels }).map((problem) => ({
      path: [...path, 'labelsHandler', ...problem.path.slice(1)],
      rule: problem.message,
    }));
    const finalizers = hook.finalizers.flatMap((finalizer, index): InvalidField[] => {
      const rule = finalizerProblem(finalizer);
      return rule === undefined ? [] : [{ path: [...path, 'finalizersHandler', String(index)], rule }];
    });
    return [...labels, ...finalizers, ...reserved(hook.labels, hook.finalizers, path)];
  });
}

/** The server accepts a finalizer of a pod only in the form of a label key with a prefix. */
function finalizerProblem(finalizer: string): string | undefined {
  if (!finalizer.includes('/')) return 'must have a prefix, as in example.com/drain';
  return validateSelector({ matchLabels: { [finalizer]: '' } })[0]?.message;
}

function reserved(
  labels: Readonly<Record<string, string>>,
  finalizers: readonly string[],
  path: readonly string[],
): InvalidField[] {
  return reservedKeys({ metadata: { labels, finalizers: [...finalizers] } }, 'pod').map((found) => {
    const isLabel = found.section === 'labels';
    const field = isLabel ? ['labelsHandler', found.key] : ['finalizersHandler', String(found.index ?? 0)];
    return { path: [...path, ...field], rule: `must not be ${found.key}: only a controller writes that` };
  });
}
