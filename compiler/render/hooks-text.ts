import { handlersOf, type HookName } from '../../semantics/lifecycle/hooks.ts';
import { ownedPods } from '../../semantics/kinds/git-units.ts';
import { handlerText } from '../../semantics/lifecycle/wait.ts';
import type { Forecast } from '../forecast/forecast.ts';
import type { Change } from '../plan/change.ts';
import { shorten } from '../text/escape.ts';

const LONGEST_HANDLER = 120;

/**
 * The hooks at which pods wait during the rollout. The controllers behind them are not in git, so a step fails by its
 * timeout if one of them never ends a wait.
 */
export function hooksText({ head }: Change, { mode, replicas }: Forecast): string[] {
  const own = head && ownedPods(head.normal.units);
  if (own === undefined || replicas.expected === 0) return [];
  const asked: readonly HookName[] = mode === 'Recreate' ? ['preDelete', 'preNormal'] : ['inPlaceUpdate'];
  const hooks = asked.flatMap((name) => {
    const hook = own.lifecycle[name];
    const [first, ...more] = hook === undefined ? [] : handlersOf(hook, { metadata: { name: '' } }, false);
    if (first === undefined) return [];
    const others = more.length === 0 ? '' : ` and ${more.length} more`;
    return [`${name} (${shorten(handlerText(first), LONGEST_HANDLER)}${others})`];
  });
  if (hooks.length === 0) return [];
  return [
    `Each pod waits at ${hooks.length === 1 ? 'hook' : 'hooks'} ${hooks.join(' and ')}. Assumed: no wait takes time.`,
  ];
}
