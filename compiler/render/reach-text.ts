import { countText } from '../../semantics/values/text.ts';
import type { Change } from '../plan/change.ts';
import type { Reach } from '../reach/reach.ts';
import { shorten } from '../text/escape.ts';
import { namesText, units } from './change-text.ts';

const MOST_CHARACTERS = 80;

/** Which pods of other owners a target selects, and what the numbers of its forecast are. */
export function reachSentences(change: Change, expected: number): string[] {
  const { reach, assumedUnits, type } = change;
  const found = reach === undefined ? [] : selectedText(reach);
  const isUnknown = assumedUnits === undefined && (reach?.workloads ?? []).length === 0;
  const unknown = isUnknown ? ['How many pods it selects is not in the manifests.'] : [];
  const isStated = assumedUnits !== undefined && assumedUnits !== reach?.pods;
  const numbers = `The numbers are for ${units(expected, type)}${isStated ? ', as kruise.yaml assumes' : ''}.`;
  return [...found, ...unknown, numbers];
}

/** `In the manifests it selects 3 workloads …`; none where it selects no workload. */
export function selectedText({ workloads, namespaces, pods, mayBeMore, possible }: Reach): string[] {
  const unknown =
    possible === 0
      ? []
      : [`It may select ${countText(possible, 'workload')} in namespaces whose labels are in no manifest.`];
  if (workloads.length === 0) return unknown;
  const names = namesText(workloads.map(shortened));
  const sum = `${countText(workloads.length, 'workload')} in ${countText(namespaces, 'namespace')} with ${mayBeMore ? 'at least ' : ''}${countText(pods, 'pod')}`;
  return [`In the manifests it selects ${sum}: ${names}.`, ...unknown];
}

/** Nothing has validated these names. */
function shortened({ kind, namespace, name }: Reach['workloads'][number]): {
  kind: string;
  namespace?: string;
  name: string;
} {
  const short = (text: string): string => shorten(text, MOST_CHARACTERS);
  return {
    kind: short(kind),
    name: short(name),
    ...(namespace === undefined ? {} : { namespace: short(namespace) }),
  };
}
