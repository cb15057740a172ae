import type { GitManifest } from '../../semantics/kinds/git-side.ts';
import { ownedPods, type OwnedPods, updatesOf, wantedReplicas } from '../../semantics/kinds/git-units.ts';
import {
  HOOKS,
  type Hook,
  type HookName,
  isHooked,
  isWhole,
  marksNotReady,
} from '../../semantics/lifecycle/hooks.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Locate } from './schema-errors.ts';

/**
 * Warns of hooks that hold no pod, and of those whose end releases the pod.
 *
 * @param path of the hooks in the manifest
 */
export function lifecycleRules(
  manifest: Pick<GitManifest, 'units' | 'template'>,
  path: readonly string[],
  locate: Locate,
): Diagnostic[] {
  const own = ownedPods(manifest.units);
  if (own === undefined) return [];
  return HOOKS.flatMap((name) => {
    const hook = own.lifecycle[name];
    if (hook === undefined) return [];
    const at = locate([...path, name], 'key');
    const idle = whyIdle(name, hook, manifest);
    const found = idle === undefined ? [] : [diagnostic('KR2180', { hook: name, why: idle }, at)];
    const label = name === 'preNormal' ? undefined : selectedLabel(hook, own);
    if (label !== undefined) found.push(diagnostic('KR2181', { hook: name, label }, at));
    return found;
  });
}

/**
 * Warns of pods that a hook is to keep out of traffic, and that were created before it asked for that.
 *
 * @param path of the hooks in the manifest
 */
export function gateRules(
  { units }: Pick<GitManifest, 'units'>,
  after: Pick<GitManifest, 'units'>,
  path: readonly string[],
  locate: Locate,
): Diagnostic[] {
  const [before, own] = [ownedPods(units), ownedPods(after.units)];
  if (before === undefined || own === undefined) return [];
  if (marksNotReady(before.lifecycle) || wantedReplicas(units) === 0) return [];
  const hook = (['preDelete', 'inPlaceUpdate'] as const).find(
    (name) => own.lifecycle[name]?.markPodNotReady === true,
  );
  if (hook === undefined) return [];
  const at = locate([...path, hook, 'markPodNotReady'], 'key');
  return [diagnostic('KR2182', { hook }, at)];
}

/** Why a hook holds no pod; undefined: it does. */
function whyIdle(
  name: HookName,
  hook: Hook,
  { template, units }: Pick<GitManifest, 'template' | 'units'>,
): string | undefined {
  if (Object.keys(hook.labels).length + hook.finalizers.length === 0) return 'it names no label or finalizer';
  const { labels, finalizers } = objectOf(template['metadata']);
  const made = {
    metadata: {
      name: '',
      labels: objectOf(labels) as Record<string, string>,
      finalizers: Array.isArray(finalizers) ? (finalizers as string[]) : [],
    },
  };
  if (name === 'preNormal')
    return isWhole(hook, made) ? 'new pods have all of it from the template' : undefined;
  const updates = updatesOf(units);
  const isInPlace = updates !== undefined && updates.policy !== 'ReCreate' && !updates.onDelete;
  if (name === 'inPlaceUpdate' && !isInPlace) return 'pods are not updated in place';
  return isHooked(hook, made) ? undefined : 'the template gives pods none of its labels and finalizers';
}

/** A label of the hook that pods are selected by; undefined: there is none. */
function selectedLabel(hook: Hook, { selector }: Pick<OwnedPods, 'selector'>): string | undefined {
  const expressions = (selector?.matchExpressions ?? []).map(({ key }) => key);
  const keys = [...Object.keys(selector?.matchLabels ?? {}), ...expressions];
  return Object.keys(hook.labels).find((key) => keys.includes(key));
}
