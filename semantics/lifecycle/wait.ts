import type { EventDraft } from '../decision.ts';
import { factsOf } from '../pod/facts.ts';
import type { Pod } from '../pod/types.ts';
import { type Handler, handlersOf, type Hook, type HookName, type Lifecycle } from './hooks.ts';

/** What a pod waits for at a hook, as a clause with the command that ends the wait; undefined: it waits for no hook. */
export function hookWait(lifecycle: Lifecycle, pod: Pod): string | undefined {
  const name = hookOfState(factsOf(pod).lifecycle);
  const hook = name === undefined ? undefined : lifecycle[name.hook];
  return name === undefined || hook === undefined ? undefined : waitText(name.hook, hook, pod, name.has);
}

/** The hook that a pod in this state waits for, and whether the wait is for its handlers to go; undefined: none. */
export function hookOfState(state: string | undefined): { hook: HookName; has: boolean } | undefined {
  switch (state) {
    case 'PreparingDelete':
      return { hook: 'preDelete', has: true };
    case 'PreparingUpdate':
      return { hook: 'inPlaceUpdate', has: true };
    case 'Updated':
      return { hook: 'inPlaceUpdate', has: false };
    case 'PreparingNormal':
      return { hook: 'preNormal', has: false };
    case undefined:
    default:
      return undefined;
  }
}

/**
 * What ends the wait of a pod at a hook, as a clause: `waits for hook preDelete, label a/b=c: kubectl label pod …`.
 *
 * @param has the wait ends when the pod has no handler; else when it has all of them
 */
export function waitText(name: HookName, hook: Hook, pod: Pod, has: boolean): string | undefined {
  const handlers = handlersOf(hook, pod, has);
  const [first] = handlers;
  if (first === undefined) return undefined;
  const more = handlers.length === 1 ? '' : ` and ${handlers.length - 1} more`;
  return `waits for hook ${name}, ${handlerText(first)}${more}: ${command(first, pod, has)}`;
}

/** The Event of a pod that starts to wait at a hook. */
export function waitEvent(name: HookName, hook: Hook, pod: Pod, has: boolean): EventDraft {
  const text = waitText(name, hook, pod, has) ?? `passes hook ${name}`;
  return { type: 'Normal', reason: 'WaitsForHook', message: `pod ${pod.metadata.name} ${text}` };
}

/** A handler in words: `label a/b=c`, `finalizer a/b`. */
export function handlerText(handler: Handler): string {
  return 'label' in handler ? `label ${handler.label}=${handler.value}` : `finalizer ${handler.finalizer}`;
}

/** The command that removes a handler from a pod, or adds it. */
function command(handler: Handler, { metadata }: Pod, has: boolean): string {
  const { name, namespace } = metadata;
  const pod = `pod ${name}${namespace === undefined ? '' : ` -n ${namespace}`}`;
  if ('label' in handler) {
    const change = has ? `${handler.label}-` : `${handler.label}=${handler.value} --overwrite`;
    return `kubectl label ${pod} ${change}`;
  }
  const key = has ? '$deleteFromPrimitiveList/finalizers' : 'finalizers';
  return `kubectl patch ${pod} -p '${JSON.stringify({ metadata: { [key]: [handler.finalizer] } })}'`;
}

/** A pod that waits at a hook, and what ends the wait. */
export interface PodWait {
  pod: string;
  text: string;
}

/** So many different waits are named. */
const NAMED = 3;

/**
 * Waits as clauses, one for each hook and handler: pods that wait at different ones are waited for by different people.
 *
 * @param waits by name of their pods
 * @param clause the first of equal waits as a clause, and how many more there are
 */
export function waitClauses(
  waits: readonly PodWait[],
  clause: (first: PodWait, more: number) => string,
): string[] {
  const groups = new Map<string, { first: PodWait; more: number }>();
  for (const wait of waits) {
    // The command of a wait names its pod.
    const key = wait.text.replaceAll(` pod ${wait.pod} `, ' pod ');
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { first: wait, more: 0 });
    else known.more += 1;
  }
  const all = [...groups.values()];
  const others = all.slice(NAMED).reduce((sum, { more }) => sum + more + 1, 0);
  const named = all.slice(0, NAMED).map(({ first, more }) => clause(first, more));
  return others === 0 ? named : [...named, `${others} more ${others === 1 ? 'waits' : 'wait'} for others`];
}
