import { countText } from '../../semantics/values/text.ts';
import { formatSelector } from '../../semantics/values/selector.ts';
import { areSelectedOtherwise } from '../plan/bound.ts';
import type { Change } from '../plan/change.ts';
import type { Reach } from '../reach/reach.ts';
import { shorten } from '../text/escape.ts';
import { namesText, units } from './change-text.ts';

const MOST_CHARACTERS = 80;

/** Which pods of other owners a target selects, and what the numbers of its forecast are. */
export function reachSentences(change: Change, expected: number): string[] {
  const { reach, assumedUnits, type } = change;
  const found = [...(reach === undefined ? [] : selectedText(reach)), ...selectionSentences(change)];
  const twice = change.alsoChanged ?? [];
  if (twice.length > 0)
    found.push(
      `This commit also changes ${namesText(twice.map(shortened))}: the pods there change twice, once by each plan.`,
    );
  const anew = change.alsoMadeAnew ?? [];
  if (anew.length > 0) {
    const whose = anew.length === 1 ? 'its own controller makes' : 'their own controllers make';
    found.push(
      `This commit also changes ${namesText(anew.map(shortened))}: ${whose} the pods there anew as soon as it is applied, and this plan changes them once more.`,
    );
  }
  const isUnknown = assumedUnits === undefined && (reach?.workloads ?? []).length === 0;
  const unknown = isUnknown ? ['How many pods it selects is not in the manifests.'] : [];
  const isStated = assumedUnits !== undefined && assumedUnits !== reach?.pods;
  const numbers = `The numbers are for ${units(expected, type)}${isStated ? ', as kruise.yaml assumes' : ''}.`;
  return [...found, ...unknown, numbers];
}

/** That targets of the same commit change the pods, too, by plans of their own. */
export function twiceSentences({ alsoChangedBy = [] }: Change): string[] {
  if (alsoChangedBy.length === 0) return [];
  const [verb, names] = [alsoChangedBy.length === 1 ? 'selects' : 'select', alsoChangedBy.map(shortened)];
  return [
    `This commit also changes ${namesText(names)}, which ${verb} these pods: they change twice, once by each plan.`,
  ];
}

/** What a change of the selection does: who joins, who leaves, and when. None where the change is about something else. */
export function selectionSentences({ reachChange, base, head }: Change): string[] {
  if (!areSelectedOtherwise(base, head)) return [];
  const named = (reach: Reach | undefined): string =>
    reach === undefined || reach.workloads.length === 0
      ? 'no workload in the manifests'
      : `${countText(reach.workloads.length, 'workload')} in the manifests: ${namesText(reach.workloads.map(shortened))}`;
  return [
    `Newly selected: ${named(reachChange?.joining)}. Their new pods get the sidecars when the plan has ended, or its last step leads to all pods.`,
    `No longer selected: ${named(reachChange?.leaving)}. Their new pods get no sidecar as soon as the manifest is applied, and running ones keep theirs.`,
    `Namespaces: ${namespaceText(base)} before, ${namespaceText(head)} now.`,
  ];
}

function namespaceText(state: Change['head']): string {
  const own = state?.normal.units;
  const selector = own?.of === 'selected' ? own.selection.namespaceSelector : undefined;
  return selector === undefined
    ? 'all'
    : `those that match ${shorten(formatSelector(selector), MOST_CHARACTERS)}`;
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
function shortened({ kind, namespace, name }: Pick<Change, 'kind' | 'namespace' | 'name'>): {
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
